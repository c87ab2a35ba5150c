// Marks the ops of a step that will run in an outlined loop body over chunks of the rows of a loss.
// Chunking is decided on kernels, whose indexing maps tell the row dimension. So a copy of the
// steps is lowered to kernels and chunked; the provenance of kernels inside loop bodies, `step#17`,
// leads back to the ops to mark.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Pipelines/MarkChunkedOps.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Conversion/Passes.h"
#include "ampc/Kernel/Chunking.h"
#include "ampc/Kernel/Passes.h"
#include "ampc/LossScaling/Passes.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

static bool hasBackwardPass(train::FuncOp func) {
  return func.getRole() && firstSeed(func.getBody().front());
}

/// Whether an op may compute scores worth chunking: a product whose result in f32 is larger than
/// `smallScores` (any product if the option gives the rows).
static bool mayBeScores(Operation &op, int64_t rows) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (!precision || precision.getCategory() != Category::LowPrecision || op.getNumResults() != 1)
    return false;
  Type result = op.getResult(0).getType();
  return rows ||
         kernel::byteSize(cast<RankedTensorType>(result).clone(Float32Type::get(op.getContext()))) >
             smallScores;
}

namespace {
struct MarkChunkedOps : PassWrapper<MarkChunkedOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkChunkedOps)
  explicit MarkChunkedOps(const CompileOptions &options) : options(options) {}
  StringRef getName() const override { return "MarkChunkedOps"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  void runOnOperation() override {
    std::optional<int64_t> rows = parseChunkedLosses(options.chunkedLosses);
    auto isCutBy = [&](const Target *target) {
      return !llvm::is_contained(options.targets, target->getName()) || target->getFusionLimits();
    };
    if (!rows || !llvm::all_of(allTargets(), isCutBy))
      return;
    SmallVector<train::FuncOp> steps;
    for (auto model : getOperation().getOps<train::ModelOp>())
      for (auto func : model.getOps<train::FuncOp>())
        if (hasBackwardPass(func) && llvm::any_of(func.getBody().front(), [&](Operation &op) {
              return mayBeScores(op, *rows);
            }))
          steps.push_back(func);
    if (!steps.empty() && failed(find(steps, *rows)))
      signalPassFailure();
  }

private:
  LogicalResult find(ArrayRef<train::FuncOp> steps, int64_t rows);
  /// Copy of all models, reduced to `steps`, in which provenance holds the op's number, e.g.
  /// `step#17`.
  ModuleOp copy(ArrayRef<train::FuncOp> steps);
  void noteNames(ModuleOp kernels);
  void mark(train::FuncOp step);

  CompileOptions options;
  llvm::StringSet<> inside, outside; ///< provenance of kernels in a loop body, and elsewhere
};
} // namespace

/// Name of an op in the copy, unique in the module: `step#17`.
static std::string nameFor(train::FuncOp step, int64_t number) {
  return (step.getSymName() + "#" + Twine(number)).str();
}

ModuleOp MarkChunkedOps::copy(ArrayRef<train::FuncOp> steps) {
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  auto whole = ModuleOp::create(builder, getOperation().getLoc());
  builder.setInsertionPointToEnd(whole.getBody());
  for (auto model : getOperation().getOps<train::ModelOp>()) {
    auto clone = cast<train::ModelOp>(builder.clone(*model));
    for (auto func : llvm::make_early_inc_range(clone.getOps<train::FuncOp>())) {
      auto isStep = [&](train::FuncOp step) {
        return step->getParentOp() == model && step.getSymName() == func.getSymName();
      };
      if (llvm::none_of(steps, isStep)) {
        func.erase();
        continue;
      }
      for (auto [number, op] : llvm::enumerate(func.getBody().front()))
        if (train::OriginAttr origin = originOf(&op))
          setOrigin(&op, origin.withName(nameFor(func, number)));
    }
  }
  return whole;
}

void ampc::addPassesBeforeChunking(OpPassManager &pm) {
  pm.addPass(createAmpLowerLossScaling());
  pm.addPass(createConvertTrainToKernel());
  pm.addPass(createTrainSimplify());
}

LogicalResult MarkChunkedOps::find(ArrayRef<train::FuncOp> steps, int64_t rows) {
  ModuleOp whole = copy(steps);
  OpPassManager pm(ModuleOp::getOperationName());
  pm.addPass(createTrainUnrollScans());
  addPassesBeforeChunking(pm);
  pm.addPass(createKernelChunkRows({rows, /*explain=*/false}));
  LogicalResult status = runPipeline(pm, whole);
  if (succeeded(status)) {
    noteNames(whole);
    for (train::FuncOp step : steps)
      mark(step);
  }
  whole.erase();
  return status;
}

/// Whether an op makes the zeros with which a loop's accumulators begin.
static bool isBeginning(Operation *op) {
  return op->getNumOperands() == 0 && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) { return isa<kernel::CallOp>(user); });
}

void MarkChunkedOps::noteNames(ModuleOp kernels) {
  for (auto program : kernels.getOps<kernel::ProgramOp>())
    for (auto op : program.getBody().getOps<KernelOpInterface>()) {
      if (isa<kernel::CallOp>(*op) || isBeginning(op))
        continue; // provenance names ops of the loop body
      for (train::OriginAttr origin : originsOf(op))
        (program.is(train::Role::Part) ? inside : outside).insert(origin.getName());
    }
}

/// Sets `amp.in_parts`. An op without a kernel of its own, such as a view, is inside a loop if all
/// its users are.
void MarkChunkedOps::mark(train::FuncOp step) {
  Block &body = step.getBody().front();
  auto isInParts = [](Operation *op) { return op->hasAttr("amp.in_parts"); };
  int64_t number = std::distance(body.begin(), body.end());
  for (Operation &op : llvm::reverse(body)) {
    std::string name = nameFor(step, --number);
    bool isInside = inside.contains(name), isOutside = outside.contains(name);
    bool isView = !isInside && !isOutside && originOf(&op) && !op.use_empty();
    if (!isOutside && (isInside || (isView && llvm::all_of(op.getUsers(), isInParts))))
      op.setAttr("amp.in_parts", UnitAttr::get(&getContext()));
  }
}

std::unique_ptr<Pass> ampc::createMarkChunkedOps(const CompileOptions &options) {
  return std::make_unique<MarkChunkedOps>(options);
}
