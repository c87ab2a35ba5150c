// Pass train-unroll-scans: loops become their rounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/InlineCalls.h"
#include "lib/Train/Model/LoopRandomState.h"
#include "mlir-dialects/Train/Limits.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Recurrent.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINUNROLLSCANS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Functions with a loop, and functions that call such a function, directly or not.
static llvm::SetVector<train::FuncOp> functionsWithLoops(train::ModelOp model,
                                                         SymbolTable &symbols) {
  DenseMap<train::FuncOp, SmallVector<train::FuncOp>> callers;
  llvm::SetVector<train::FuncOp> found;
  model.walk([&](Operation *op) {
    auto func = op->getParentOfType<train::FuncOp>();
    if (auto call = dyn_cast<train::CallOp>(op))
      callers[symbols.lookup<train::FuncOp>(call.getCallee())].push_back(func);
    if (isa<train::ScanOp>(op) || op->hasTrait<MadeOfLoops>())
      found.insert(func);
  });
  for (size_t i = 0; i < found.size(); ++i) // grows
    found.insert_range(callers.lookup(found[i]));
  return found;
}

/// Functions that steps and exports name.
static llvm::DenseSet<StringAttr> rootsOf(train::ModelOp model) {
  llvm::DenseSet<StringAttr> roots;
  for (auto step : model.getOps<train::StepOp>())
    roots.insert(step.getLossAttr().getAttr());
  for (auto each : model.getOps<train::ExportOp>())
    roots.insert(each.getFunctionAttr().getAttr());
  return roots;
}

/// Replaces layers by their loops, inside of other loops too.
static void decomposeLayers(train::FuncOp func) {
  SmallVector<CompositeOpInterface> layers;
  func.walk([&](CompositeOpInterface op) {
    if (op->hasTrait<MadeOfLoops>())
      layers.push_back(op);
  });
  for (CompositeOpInterface op : layers) {
    OpBuilder builder(op);
    GradBuilder b(builder, op);
    op->replaceAllUsesWith(op.decompose(b));
    op->erase();
  }
}

/// The function's loops that are in no other loop.
static SmallVector<train::ScanOp> outermostLoops(train::FuncOp func) {
  SmallVector<train::ScanOp> loops;
  func.walk<WalkOrder::PreOrder>([&](train::ScanOp scan) {
    loops.push_back(scan);
    return WalkResult::skip();
  });
  return loops;
}

/// Whether passes up to train-autodiff look into the loop: everything inside is a tensor op that is
/// the same in every mode, draws no numbers, looks nothing up and combines no rows of the batch.
static bool isOpen(train::ScanOp scan) {
  bool isOpen = true;
  scan.walk([&](Operation *op) {
    isOpen &= !isa<RandomOpInterface, IndexOpInterface, ModalOpInterface, ValidRowsOpInterface,
                   train::GradOp>(op);
    for (Type type : op->getResultTypes())
      isOpen &= getElementTypeOrSelf(type).isF32() || getElementTypeOrSelf(type).isF64() ||
                getElementTypeOrSelf(type).isInteger(1);
  });
  return isOpen;
}

/// All loops of the function, each behind the loops inside of it.
static SmallVector<train::ScanOp> allLoops(train::FuncOp func) {
  SmallVector<train::ScanOp> loops;
  func.walk([&](train::ScanOp scan) { loops.push_back(scan); });
  return loops;
}

/// Whether the rounds are few and small. No kernel joins ops of two rounds of a loop, nor an op of
/// the loop and one around it, so that a short loop is faster without the loop.
static bool isShort(train::ScanOp scan) {
  constexpr int64_t mostRounds = 4, mostOpsOfRounds = 1000;
  return scan.getRounds() <= mostRounds && countUnrolled(scan, mostOpsOfRounds) <= mostOpsOfRounds;
}

static bool hasLoopInside(train::ScanOp scan) {
  return scan.getBody()
      .walk([](train::ScanOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

/// Whether an op is in a checkpoint, or may have 16-bit values: passes on precision and
/// recomputation do not look into loops.
static bool needsUnrolledLoops(Operation *op) {
  train::OriginAttr origin = originOf(op);
  auto region = dyn_cast_or_null<TypeAttr>(origin ? origin.getRegion() : Attribute());
  auto scan = dyn_cast<train::ScanOp>(op);
  return (scan && scan.getCheckpoint()) || segmentOf(op) ||
         (region && isNarrow(region.getValue())) ||
         (origin && origin.getCompute() && isNarrow(origin.getCompute())) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

/// Whether a function with loops has an op that passes behind train-autodiff cannot treat in loops.
static bool needsUnrolledLoops(train::FuncOp func) {
  return func
      .walk([](Operation *op) {
        return needsUnrolledLoops(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces the loops that `stays` is false for by their rounds.
static LogicalResult unrollLoops(ArrayRef<train::ScanOp> loops,
                                 llvm::function_ref<bool(train::ScanOp)> stays) {
  int64_t ops = 0;
  for (train::ScanOp scan : loops) {
    if (stays(scan))
      continue;
    ops += countUnrolled(scan, mostOps);
    if (ops > mostOps)
      return scan.emitOpError() << "expected at most " << mostOps
                                << " ops in the unrolled rounds of a function's loops, but "
                                << scan.getRounds() << " rounds make more";
    OpBuilder builder(scan);
    GradBuilder b(builder, scan);
    scan->replaceAllUsesWith(unroll(b, scan));
    scan.erase();
  }
  return success();
}

namespace {
struct TrainUnrollScans : ampc::impl::TrainUnrollScansBase<TrainUnrollScans> {
  using TrainUnrollScansBase::TrainUnrollScansBase;
  void runOnOperation() override {
    if (keep != "none" && keep != "open" && keep != "long" && keep != "all") {
      getOperation()->emitError() << "expected keep none, open, long or all, but got "
                                  << shown(keep);
      return signalPassFailure();
    }
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(unroll(model)))
        return signalPassFailure();
  }

private:
  LogicalResult unroll(train::ModelOp model) {
    SymbolTable symbols(model);
    // Micro-batches are weighed before differentiation, op by op.
    bool keepsOpen =
        keep == "open" && llvm::none_of(model.getOps<train::StepOp>(), [](train::StepOp step) {
          return step.getMicroBatches().value_or(1) > 1;
        });
    auto functions = functionsWithLoops(model, symbols).takeVector();
    for (train::FuncOp func : functions)
      if (failed(inlineCalls(func, symbols)))
        return failure();
    llvm::DenseSet<StringAttr> roots = rootsOf(model);
    for (train::FuncOp func : functions) {
      if (!func.getRole() &&
          !roots.contains(func.getSymNameAttr())) { // every call has been inlined
        func.erase();
        continue;
      }
      decomposeLayers(func);
      attachLoopRandomState(func, model);
      if (failed(unrollLoopsOf(func, keepsOpen)))
        return failure();
    }
    return success();
  }

  LogicalResult unrollLoopsOf(train::FuncOp func, bool keepsOpen) {
    bool isLate = keep == "long" || keep == "all";
    if (isLate && !needsUnrolledLoops(func))
      return unrollLoops(allLoops(func), [&](train::ScanOp scan) {
        return keep == "all" || hasLoopInside(scan) || !isShort(scan);
      });
    return unrollLoops(outermostLoops(func),
                       [&](train::ScanOp scan) { return keepsOpen && isOpen(scan); });
  }
};
} // namespace
