// Pass train-unroll-scans: loops become their rounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/InlineCalls.h"
#include "lib/Train/Model/LoopRandomState.h"
#include "mlir-dialects/Train/Build/Expansion.h"
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
  for (CompositeOpInterface op : layers)
    replaceByDecomposition(op);
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

/// The op for which passes up to train-autodiff do not look into the loop, or null. A norm over the
/// batch writes its running statistics once per step.
static Operation *findClosed(train::ScanOp scan) {
  Operation *found = nullptr;
  scan.walk([&](ModalOpInterface op) {
    if (!isa<RandomOpInterface>(*op) && !found)
      found = op;
  });
  return found;
}

/// Whether the loop stays; a remark says why an early pass unrolls a loop.
static bool staysLoop(train::ScanOp scan) {
  Operation *closed = findClosed(scan);
  if (closed)
    scan.emitRemark() << "the loop is unrolled before differentiation: " << nameOf(closed)
                      << " writes state, which a loop does not carry";
  return !closed;
}

/// All loops of the function, each behind the loops inside of it.
static SmallVector<train::ScanOp> allLoops(train::FuncOp func) {
  SmallVector<train::ScanOp> loops;
  func.walk([&](train::ScanOp scan) { loops.push_back(scan); });
  return loops;
}

/// Whether the rounds are few and small. No kernel joins ops of two rounds of a loop, nor an op of
/// the loop and one around it, so that a short loop is faster without the loop. A loop with a
/// checkpoint stays, as its adjoint does: the adjoint computes the values of the round again.
static bool isShort(train::ScanOp scan) {
  constexpr int64_t mostRounds = 4, mostOpsOfRounds = 1000;
  return !scan.getCheckpoint() && scan.getRounds() <= mostRounds &&
         countUnrolled(scan, mostOpsOfRounds) <= mostOpsOfRounds;
}

static bool hasLoopInside(train::ScanOp scan) {
  return scan.getBody()
      .walk([](train::ScanOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether a loop of the function is in the segment of a checkpoint, or has such a segment inside:
/// recomputation of segments does not look into loops. A loop with `checkpoint` has no segment.
static bool hasLoopsInSegments(train::FuncOp func) {
  auto isInSegment = [](Operation *op) {
    return segmentOf(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return llvm::any_of(outermostLoops(func),
                      [&](train::ScanOp scan) { return scan->walk(isInSegment).wasInterrupted(); });
}

/// Remarks on forward loops that are unrolled because of checkpoints around or inside.
static void remarkSegments(train::FuncOp func) {
  for (train::ScanOp scan : outermostLoops(func))
    if (isForward(scan))
      scan.emitRemark() << "the loop is unrolled: recomputation for a checkpoint around the loop, "
                           "or around a call inside, does not look into loops; the loop's own "
                           "clause checkpoint or checkpoint every k keeps the loop";
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
    replaceByRounds(scan);
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
      if (failed(unrollLoopsOf(func)))
        return failure();
    }
    return success();
  }

  LogicalResult unrollLoopsOf(train::FuncOp func) {
    bool isLate = keep == "long" || keep == "all";
    bool isInSegments = isLate && hasLoopsInSegments(func);
    if (isInSegments && func.getRole() != train::Role::Eval)
      remarkSegments(func);
    if (isLate && !isInSegments)
      return unrollLoops(allLoops(func), [&](train::ScanOp scan) {
        return keep == "all" || hasLoopInside(scan) || !isShort(scan);
      });
    return unrollLoops(outermostLoops(func),
                       [&](train::ScanOp scan) { return keep == "open" && staysLoop(scan); });
  }
};
} // namespace
