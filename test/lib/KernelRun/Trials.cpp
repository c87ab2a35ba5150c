// Products in every way that is worth a measurement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/Trials.h"
#include "lib/Codegen/NVPTX/Product/ProductPlan.h"
#include "test/lib/KernelRun/OnDevice.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

LogicalResult test::makeTrials(ModuleOp module, const Target &target) {
  const nvptx::Chip *chip = nvptx::findChip(target.getName());
  if (!chip)
    return module.emitError("expected a target that is a GPU, but got ") << target.getName();
  for (Operation *op : kernelsOf(module)) {
    auto program = op->getParentOfType<kernel::ProgramOp>();
    OpBuilder b(program);
    for (auto [i, plan] : llvm::enumerate(nvptx::trialsOf(op, *chip))) {
      kernel::setPlans(op, plan.plan);
      auto trial = cast<kernel::ProgramOp>(b.clone(*program));
      trial.setSymName((program.getSymName() + "_" + llvm::Twine(i)).str());
    }
    program.erase();
  }
  return success();
}

static void printNumbers(ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    llvm::outs() << " " << number;
}

/// Name without the number of the trial.
static StringRef nameOf(Operation *op) {
  return op->getParentOfType<kernel::ProgramOp>().getSymName().rsplit('_').first;
}

/// "product NAME LAYOUT ELEMENT-BYTES BATCH M N K", then "buffer TYPE BYTES" for each operand and
/// result.
static void printProduct(Operation *op, const nvptx::PlannedProduct &planned) {
  nvptx::ProductSize size = planned.gemm.size();
  llvm::outs() << "product " << nameOf(op) << " " << size.layout << " " << size.elementBytes;
  printNumbers({size.batch, size.m, size.n, size.depth});
  llvm::outs() << "\n";
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    llvm::outs() << "buffer " << getElementTypeOrSelf(type) << " " << kernel::byteSize(type)
                 << "\n";
}

static void printMap(kernel::TensorMapAttr map) {
  llvm::outs() << "map " << map.getOperand() << " " << map.getOffset() << " " << map.getElement()
               << " " << map.getSwizzle() << " " << map.getSizes().size();
  printNumbers(map.getSizes());
  printNumbers(map.getStrides());
  printNumbers(map.getBox());
  llvm::outs() << "\n";
}

static void printLaunch(kernel::LaunchAttr launch) {
  llvm::outs() << "launch " << launch.getFunction().str();
  printNumbers(launch.getGrid());
  printNumbers(launch.getBlock());
  printNumbers(launch.getCluster());
  llvm::outs() << " " << launch.getShared() << "\n";
  for (kernel::TensorMapAttr map : launch.getMaps())
    printMap(map);
}

/// Line "trial KIND M N PARTS CLUSTER_SPLIT_K TILES_IN_PROGRESS MULTICAST CYCLES WORKSPACE", the
/// model's own choice first, then the launches.
static void printTrial(Operation *op, const nvptx::PlannedProduct &planned, const nvptx::Chip &chip,
                       ArrayAttr records) {
  nvptx::TilePick pick = planned.picked();
  llvm::outs() << "trial " << kernel::stringifyPlanKind(pick.kind);
  printNumbers(
      {pick.m, pick.n, pick.parts, pick.clusterSplitK, pick.tilesInProgress, pick.multicast});
  llvm::outs() << llvm::format(" %.0f ", planned.cycles(chip))
               << cast<KernelOpInterface>(op).getWorkspaceBytes() << "\n";
  auto record =
      cast<DictionaryAttr>(records[op->getAttrOfType<IntegerAttr>("kernel.function").getInt()]);
  for (auto launch : record.getAs<ArrayAttr>("launches").getAsRange<kernel::LaunchAttr>())
    printLaunch(launch);
}

LogicalResult test::printTrials(ModuleOp module, const Target &target) {
  const nvptx::Chip &chip = *nvptx::findChip(target.getName());
  auto records = module->getAttrOfType<ArrayAttr>("kernel.functions");
  llvm::outs() << "chip " << chip.name << " " << chip.multiprocessors << "\n";
  StringRef known;
  for (Operation *op : kernelsOf(module)) {
    std::optional<nvptx::PlannedProduct> planned = nvptx::singlePlanOf(op, chip);
    if (nameOf(op) != known)
      printProduct(op, *planned);
    known = nameOf(op);
    printTrial(op, *planned, chip, records);
  }
  FailureOr<std::string> text =
      target.translateDevice(module.lookupSymbol<ModuleOp>(("tier_" + chip.name).str()));
  if (failed(text))
    return failure();
  llvm::outs() << "code\n" << *text;
  return success();
}
