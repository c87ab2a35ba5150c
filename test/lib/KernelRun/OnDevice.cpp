// The kernels of a file on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/OnDevice.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

SmallVector<Operation *> test::kernelsOf(ModuleOp module) {
  SmallVector<Operation *> all;
  for (auto program : module.getOps<kernel::ProgramOp>())
    for (auto op : program.getBody().getOps<KernelOpInterface>())
      all.push_back(op);
  return all;
}

static DeviceMap mapOf(kernel::TensorMapAttr attr) {
  Type element = attr.getElement();
  DeviceMap map{size_t(attr.getOperand()), attr.getOffset(), DeviceMap::F32, {}, {}, {}, 0};
  map.element = element.isF16()    ? DeviceMap::F16
                : element.isBF16() ? DeviceMap::BF16
                : element.isF64()  ? DeviceMap::F64
                                   : DeviceMap::F32;
  llvm::append_range(map.sizes, attr.getSizes());
  llvm::append_range(map.strides, attr.getStrides());
  llvm::append_range(map.box, attr.getBox());
  map.swizzle = attr.getSwizzle();
  return map;
}

static std::vector<DeviceLaunch> launchesOf(DictionaryAttr record) {
  std::vector<DeviceLaunch> launches;
  for (auto attr : record.getAs<ArrayAttr>("launches").getAsRange<kernel::LaunchAttr>()) {
    DeviceLaunch launch{attr.getFunction().str(), {}, {}, {}, uint32_t(attr.getShared()), {}};
    for (unsigned i = 0; i < 3; ++i) {
      launch.grid[i] = attr.getGrid()[i];
      launch.block[i] = attr.getBlock()[i];
      launch.cluster[i] = attr.getCluster()[i];
    }
    llvm::append_range(launch.maps, llvm::map_range(attr.getMaps(), mapOf));
    launches.push_back(launch);
  }
  return launches;
}

/// Whether the kernel has f64 functions: CPUs call libm, which rounds less.
static bool callsLibrary(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto acc = inner->getAttrOfType<TypeAttr>("acc");
        bool isSoftmax = isa<kernel::AttentionOp, kernel::AttentionGradOp>(inner);
        bool isFunction =
            isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp, math::PowFOp>(inner);
        bool isF64 = (isSoftmax && acc.getValue().isF64()) ||
                     (isFunction && inner->getResult(0).getType().isF64());
        return isF64 ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the sums of a form are formed in another order than on CPUs.
static bool addsInParts(DictionaryAttr record) {
  return record.getAs<StringAttr>("form").getValue().contains(" parts");
}

/// Whether matrix units form the scores of an attention: weights, which come from the chip's 2^x,
/// and cotangents of scores are rounded to 16 bits then, so that bits are not a CPU's.
static bool roundsWeights(Operation *op, DictionaryAttr record) {
  return isa<kernel::AttentionOp, kernel::AttentionGradOp>(op) &&
         !record.getAs<StringAttr>("form").getValue().starts_with("plain");
}

/// Multiplications and additions that a contraction needs; 0 of other kernels.
static double usefulFlops(Operation *op) {
  auto pointsOf = [](ArrayRef<int64_t> sizes) { return double(ShapedType::getNumElements(sizes)); };
  if (auto gemm = dyn_cast<kernel::GemmOp>(op))
    return 2 * pointsOf(gemm.getSpace()) * int64_t(gemm.getDepth());
  if (auto conv = dyn_cast<kernel::ConvOp>(op))
    return 2 * pointsOf(conv.getSpace()) *
           pointsOf(conv.getRhs().getType().getShape().drop_front());
  if (auto filter = dyn_cast<kernel::ConvFilterOp>(op))
    return 2 * pointsOf(filter.getSpace()) *
           pointsOf(filter.getRhs().getType().getShape().drop_back());
  return 0;
}

/// Prints waves and sectors as multiples of the minimum, and operations of matrix units as a share
/// of the required operations.
static void printCounters(Operation *op, const DeviceCounters &c) {
  StringRef separator = " takes ";
  auto ratio = [&](StringRef name, double x, double least) {
    if (least <= 0)
      return;
    llvm::outs() << separator << name << llvm::format(" %.2f", x / least);
    separator = ", ";
  };
  ratio("waves", c.waves, c.fewestWaves);
  ratio("loads", c.loadSectors, c.fewestLoadSectors);
  ratio("stores", c.storeSectors, c.fewestStoreSectors);
  if (c.tensorFlops > 0)
    ratio("products", c.tensorFlops, usefulFlops(op));
  llvm::outs() << "\n";
}

static bool runKernel(Operation *op, DictionaryAttr record, StringRef tier, DeviceProgram &device,
                      std::optional<double> allowed, const Code *same) {
  auto noPacks = [](Operation *) { return Code(); };
  std::vector<DeviceLaunch> launches = launchesOf(record);
  llvm::outs() << record.getAs<StringAttr>("name").getValue() << "_" << tier << ": "
               << launches.size() << (launches.size() == 1 ? " launch, " : " launches, ");
  Case data(op, noPacks);
  if (allowed && !data.expect(noPacks)) {
    llvm::outs() << "not known to the interpreter\n";
    return false;
  }
  std::string wrong;
  bool roundsFactors = roundsWeights(op, record) && op->hasAttr("test.rounded_tolerance");
  if (roundsFactors && allowed)
    allowed = attribute(op, "test.rounded_tolerance", *allowed);
  std::optional<double> error = data.run(device, launches, same, roundsFactors, wrong);
  if (!error) {
    llvm::outs() << wrong << " FAILED\n";
    return false;
  }
  if (!allowed) {
    llvm::outs() << (same ? "the same ok\n" : "runs\n");
    return true;
  }
  bool passed = *error <= *allowed;
  llvm::outs() << llvm::format("error %.2g of %.2g ", *error, *allowed)
               << (passed ? "ok\n" : "FAILED\n");
  return passed;
}

static bool loadCode(ModuleOp module, const Target &target, DeviceProgram &device,
                     const GivenText *given = nullptr) {
  StringRef tier = target.getTiers().front().name;
  FailureOr<std::string> text =
      given ? given->ptx
            : target.translateDevice(module.lookupSymbol<ModuleOp>(("tier_" + tier).str()));
  if (failed(text))
    return false;
  if (given)
    device.watch(/*budget=*/20'000'000);
  std::string wrong = device.load(*text);
  if (!wrong.empty())
    llvm::errs() << "the interpreter of PTX refuses the code: " << wrong << "\n";
  return wrong.empty();
}

/// Bytes of operands and results, each counted once: the least traffic of a kernel.
static int64_t bytesOfTensors(Operation *op) {
  int64_t bytes = 0;
  for (Value operand : SetVector<Value>(op->operand_begin(), op->operand_end()))
    bytes += kernel::byteSize(operand.getType());
  for (Type type : op->getResultTypes())
    bytes += kernel::byteSize(type);
  return bytes;
}

bool test::countOnDevice(ModuleOp module, const Target &target) {
  DeviceProgram device;
  if (!loadCode(module, target, device))
    return false;
  auto records = module->getAttrOfType<ArrayAttr>("kernel.functions");
  for (Operation *op : kernelsOf(module)) {
    int64_t number = op->getAttrOfType<IntegerAttr>("kernel.function").getInt();
    auto record = cast<DictionaryAttr>(records[number]);
    std::vector<DeviceLaunch> launches = launchesOf(record);
    DeviceCounters c;
    if (std::string wrong = Case(op, [](Operation *) { return Code(); }).count(device, launches, c);
        !wrong.empty()) {
      llvm::errs() << wrong << "\n";
      return false;
    }
    llvm::outs() << op->getParentOfType<kernel::ProgramOp>().getSymName() << " launches "
                 << launches.size() << " bytes " << bytesOfTensors(op) << " loads " << c.loadSectors
                 << " " << c.fewestLoadSectors << " stores " << c.storeSectors << " "
                 << c.fewestStoreSectors << " waves " << c.waves << " " << c.fewestWaves
                 << " instructions " << c.instructions << " tensor " << c.tensorFlops << " read "
                 << c.sectorsRead << " written " << c.sectorsWritten;
    printCounters(op, c);
  }
  return true;
}

bool test::runOnDevice(ModuleOp module, const Target &target,
                       llvm::function_ref<double(Operation *)> allowed,
                       llvm::function_ref<std::optional<Code>(size_t)> same, GivenText *given) {
  DeviceProgram device;
  if (!loadCode(module, target, device, given))
    return false;
  StringRef tier = target.getTiers().front().name;
  auto records = module->getAttrOfType<ArrayAttr>("kernel.functions");
  bool passed = true;
  for (auto [i, op] : llvm::enumerate(kernelsOf(module))) {
    int64_t number = op->getAttrOfType<IntegerAttr>("kernel.function").getInt();
    auto record = cast<DictionaryAttr>(records[number]);
    std::optional<Code> other;
    if (same && !callsLibrary(op) && !addsInParts(record) && !roundsWeights(op, record))
      other = same(i);
    std::optional<double> most;
    if (allowed)
      most = allowed(op);
    passed &= runKernel(op, record, tier, device, most, other ? &*other : nullptr);
  }
  if (given)
    given->lines = device.executedLines();
  return passed;
}
