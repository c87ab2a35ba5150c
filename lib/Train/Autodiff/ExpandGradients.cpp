// Expansion of train.grad inside functions into the backward pass that computes the gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Autodiff/Reverse.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
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
                                << nameOfSource(source) << ", but it does not";
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
      {train::Stage::Forward, "what " + nameOf(grad) + " differentiates", grad.getLoc()});
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

namespace {
struct TrainExpandGradients : ampc::impl::TrainExpandGradientsBase<TrainExpandGradients> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    // One error is enough: a source may have several instances.
    WalkResult done = getOperation()->walk([&](train::FuncOp func) {
      // In block order, because a differentiated value may contain gradients.
      auto all = llvm::to_vector(func.getOps<train::GradOp>());
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
