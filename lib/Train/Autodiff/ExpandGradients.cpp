// Expansion of train.grad inside functions into the backward pass that computes the gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Autodiff/BlocksOfRounds.h"
#include "lib/Train/Autodiff/Reverse.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/TrainFlat.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINEXPANDGRADIENTS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Whether the value depends on every source by def-use chains. A derivative that vanishes along
/// the chain is no error: it is known only after earlier gradients have been expanded.
static LogicalResult checkDepends(train::GradOp grad) {
  for (Value source : grad.getSources())
    if (!variedValues(source, grad).contains(grad.getValue()))
      return grad.emitOpError() << "expected the value that is differentiated to depend on "
                                << nameOfSource(source) << ", but the value does not";
  return success();
}

static LogicalResult expand(train::GradOp grad) {
  decomposeActive(grad, llvm::to_vector(grad.getSources()));
  SmallVector<Value> sources(grad.getSources());
  Value value = grad.getValue();
  // Stage forward: the backward pass of a step begins at the loss, and train.grad is part of the
  // forward pass.
  Reverse reverse(
      grad, sources,
      {train::Stage::Forward, "the value that " + nameOf(grad) + " differentiates", grad.getLoc()});
  OpBuilder builder(grad);
  GradBuilder b(builder, grad);
  if (failed(reverse.run({{value, b.real(1.0, value)}})))
    return failure();
  for (auto [source, result] : llvm::zip(sources, grad.getGradients())) {
    Value gradient = reverse.gradient(source);
    if (!gradient)
      gradient = b.broadcastTo(b.real(0.0, source), source.getType());
    result.replaceAllUsesWith(gradient);
  }
  grad.erase();
  return success();
}

/// The function's gradients in block order, because a differentiated value may contain gradients.
static SmallVector<train::GradOp> gradientsOf(train::FuncOp func) {
  SmallVector<train::GradOp> gradients;
  func.walk([&](train::GradOp grad) { gradients.push_back(grad); });
  return gradients;
}

/// Whether the ops of a block in front of `end` read a varied value that is neither a source nor a
/// result in the block.
static bool readsFromOutside(const DenseSet<Value> &varied, ArrayRef<Value> sources,
                             Operation *end) {
  Block *block = end->getBlock();
  auto isInside = [&](Value v) {
    Operation *op = v.getDefiningOp();
    Block *parent = v.getParentBlock();
    return op ? block->findAncestorOpInBlock(*op) != nullptr
              : parent != block && block->findAncestorOpInBlock(*parent->getParentOp());
  };
  return llvm::any_of(llvm::make_range(block->begin(), end->getIterator()), [&](Operation &op) {
    auto isOutside = [&](Value v) {
      return varied.contains(v) && !llvm::is_contained(sources, v) && !isInside(v);
    };
    return op
        .walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(), isOutside) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

/// Whether every path from a source to the value stays in the round of the gradient. A path from a
/// value outside of the loop may lead through other values outside, and through earlier rounds.
static bool staysInRound(train::GradOp grad) {
  Block *block = grad->getBlock();
  SmallVector<Value> sources(grad.getSources()), outside;
  llvm::copy_if(sources, std::back_inserter(outside),
                [&](Value v) { return v.getParentBlock() != block; });
  Operation *end = grad->getParentOfType<train::FuncOp>().getBody().front().getTerminator();
  return grad.getValue().getParentBlock() == block &&
         (outside.empty() || !readsFromOutside(variedValues(outside, end), sources, grad));
}

/// Unrolls the loops of gradients whose paths leave the round.
static void unrollLoopsOfPaths(train::FuncOp func) {
  for (bool again = true; again;) {
    again = false;
    for (train::GradOp grad : gradientsOf(func)) {
      train::ScanOp loop = outermostLoop(grad);
      if (!loop || staysInRound(grad))
        continue;
      if (func.getRole() != train::Role::Eval) // of which the step has a remark
        grad.emitRemark() << "the loop around is unrolled before differentiation: " << nameOf(grad)
                          << " is a gradient along paths through other rounds, or through values "
                             "from outside of the loop";
      replaceByRounds(loop);
      again = true;
      break;
    }
  }
}

namespace {
struct TrainExpandGradients : ampc::impl::TrainExpandGradientsBase<TrainExpandGradients> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    // One error is enough: a source may have several instances.
    WalkResult done = getOperation()->walk([&](train::FuncOp func) {
      unrollLoopsOfPaths(func);
      if (!gradientsOf(func).empty())
        splitCheckpoints(func);
      SmallVector<train::GradOp> all = gradientsOf(func);
      bool isWrong =
          llvm::any_of(all, [](train::GradOp grad) { return failed(checkDepends(grad)); }) ||
          llvm::any_of(all, [](train::GradOp grad) { return failed(expand(grad)); });
      return isWrong ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (done.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
