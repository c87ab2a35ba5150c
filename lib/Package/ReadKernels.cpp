// Reads the code and launches of kernels for the runtime's tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelInfo.h"
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;

/// Code that the host calls, tier by tier. `sources`: per tier the number of the highest tier whose
/// code any kernel runs there, e.g. avx512 for amx if no kernel has products for tiles.
static LogicalResult readCode(ModuleOp module, SymbolTableCollection &symbols,
                              const ModelInfo &result, DictionaryAttr function, KernelInfo &kernel,
                              uint32_t &mask, MutableArrayRef<size_t> sources) {
  auto lookup = [&](Operation *table, const Twine &name) {
    return symbols.lookupSymbolIn(table, StringAttr::get(module.getContext(), name));
  };
  ArrayRef<TargetTier> known = result.target->getTiers();
  auto tasks = function.getAs<DenseI64ArrayAttr>("tasks"),
       scratch = function.getAs<DenseI64ArrayAttr>("scratch");
  auto finishTasks = function.getAs<IntegerAttr>("finish");
  auto tiers = function.getAs<ArrayAttr>("tiers");
  if (!tasks || !scratch || !finishTasks || !tiers || size_t(tasks.size()) != known.size() ||
      size_t(scratch.size()) != known.size() || tiers.size() != known.size() ||
      !llvm::all_of(tiers, llvm::IsaPred<StringAttr>))
    return module.emitError()
           << "expected name, tasks, scratch, finish and tiers in kernel.functions, but got "
           << function;
  for (auto [i, tier] : llvm::enumerate(known)) {
    CodeInfo &entry = kernel.code.emplace_back();
    entry.tasks = tasks[i];
    entry.scratch = scratch[i];
    StringRef source = cast<StringAttr>(tiers[i]).getValue();
    if (source.empty())
      continue;
    mask |= 1u << tier.isa;
    auto found = llvm::find_if(known, [&](const TargetTier &t) { return t.name == source; });
    sources[i] = std::max(sources[i], size_t(found - known.begin()));
    entry.run = kernel.name + "_" + source.str();
    auto code = dyn_cast_or_null<ModuleOp>(lookup(module, "tier_" + source));
    if (!code || !lookup(code, entry.run))
      return module.emitError() << "expected a function " << entry.run
                                << " in the module of the tier";
    std::string finish = entry.run + "_finish";
    if (lookup(code, finish)) {
      entry.finish = finish;
      entry.finishTasks = finishTasks.getInt();
    }
  }
  return success();
}

static std::array<uint32_t, 3> extentOf(ArrayRef<int64_t> sizes) {
  return {uint32_t(sizes[0]), uint32_t(sizes[1]), uint32_t(sizes[2])};
}

static ampc_tensor_map readMap(kernel::TensorMapAttr map) {
  ampc_tensor_map info{};
  info.offset = map.getOffset();
  llvm::copy(map.getSizes(), info.sizes);
  llvm::copy(map.getStrides(), info.strides);
  llvm::copy(map.getBox(), info.box);
  info.operand = int32_t(map.getOperand());
  info.dtype = dtypeOf(map.getElement()).value_or(-1);
  info.rank = int32_t(map.getSizes().size());
  info.swizzle = int32_t(map.getSwizzle());
  return info;
}

/// Reads launches of device code, which has a single tier.
static LogicalResult readLaunches(ModuleOp module, SymbolTableCollection &symbols,
                                  const ModelInfo &result, DictionaryAttr function,
                                  KernelInfo &kernel) {
  auto launches = function.getAs<ArrayAttr>("launches");
  if (!launches || !llvm::all_of(launches, llvm::IsaPred<kernel::LaunchAttr>))
    return module.emitError() << "expected launches in kernel.functions, but got " << function;
  StringRef tier = result.target->getTiers().front().name;
  auto code = module.lookupSymbol<ModuleOp>(("tier_" + tier).str());
  for (auto launch : launches.getAsRange<kernel::LaunchAttr>()) {
    if (!code ||
        !symbols.lookupSymbolIn(code, StringAttr::get(module.getContext(), launch.getFunction())))
      return module.emitError() << "expected a function " << launch.getFunction()
                                << " in the module of the tier";
    LaunchInfo info{launch.getFunction().str(),
                    extentOf(launch.getGrid()),
                    extentOf(launch.getBlock()),
                    extentOf(launch.getCluster()),
                    uint32_t(launch.getShared()),
                    {},
                    {}};
    llvm::append_range(info.parameters, launch.getParameters());
    llvm::append_range(info.maps, llvm::map_range(launch.getMaps(), readMap));
    kernel.launches.push_back(std::move(info));
  }
  return success();
}

/// A state may claim tiers with code of their own. If a tier runs the code of a lower tier
/// throughout, and the lower tier was not requested, the code becomes code of the lower tier.
/// Example: a library of --tiers=amx for a model without tile products is a library of avx512.
static void resolveTiers(ModelInfo &result, ArrayRef<size_t> sources) {
  ArrayRef<TargetTier> known = result.target->getTiers();
  for (auto [number, tier] : llvm::enumerate(known)) {
    size_t source = sources[number];
    if (!(result.tiers >> tier.isa & 1) || source == number)
      continue;
    result.tiers &= ~(1u << tier.isa);
    if (result.tiers >> known[source].isa & 1)
      continue;
    result.tiers |= 1u << known[source].isa;
    for (KernelInfo &kernel : result.kernels)
      kernel.code[source] = kernel.code[number];
  }
}

LogicalResult ampc::readKernels(ModuleOp module, ModelInfo &result) {
  auto functions = module->getAttrOfType<ArrayAttr>("kernel.functions");
  if (!functions)
    return module.emitError() << "expected a module after emit, but there are no kernel.functions";
  bool isDevice = result.target->isDevice();
  SymbolTableCollection symbols;
  uint32_t all = 0;
  SmallVector<size_t> sources(result.target->getTiers().size());
  for (const TargetTier &tier : result.target->getTiers())
    all |= 1u << tier.isa;
  result.tiers = all; // nothing to run: any processor suffices
  for (auto function : functions.getAsRange<DictionaryAttr>()) {
    auto name = function.getAs<StringAttr>("name");
    if (!name)
      return module.emitError() << "expected a name in kernel.functions, but got " << function;
    KernelInfo kernel;
    kernel.name = name.str();
    if (Attribute starts = function.get("starts")) {
      auto bytes = dyn_cast<DenseI64ArrayAttr>(starts);
      if (!bytes)
        return module.emitError() << "expected starts in kernel.functions to be bytes, but got "
                                  << starts;
      kernel.starts = llvm::to_vector(bytes.asArrayRef());
    }
    uint32_t mask = 0;
    if (failed(isDevice ? readLaunches(module, symbols, result, function, kernel)
                        : readCode(module, symbols, result, function, kernel, mask, sources)))
      return failure();
    result.tiers &= isDevice ? all : mask;
    result.kernels.push_back(std::move(kernel));
  }
  if (!isDevice && !result.kernels.empty())
    resolveTiers(result, sources);
  return success();
}
