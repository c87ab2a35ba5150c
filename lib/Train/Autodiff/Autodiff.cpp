// Gradient functions of steps: forward and backward code in a single function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Autodiff/BlocksOfRounds.h"
#include "lib/Train/Autodiff/Reverse.h"
#include "lib/Train/FindProgram.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINAUTODIFF
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Erases ops without uses, such as adjoints of inactive operands.
static void eraseDeadCode(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static Value makeSeed(OpBuilder &builder, Value value) {
  auto scalar = RankedTensorType::get({}, getElementTypeOrSelf(value));
  GradBuilder b(builder, value.getLoc(), originOf(value).withStage(train::Stage::Backward));
  return b.broadcastTo(b.op<train::SeedOp>(scalar, builder.getF64FloatAttr(1.0)), value.getType());
}

/// Gradient of a parameter in the type of optimizer rules. The adjoint of a cast from a 16-bit
/// parameter rounds; the optimizer reads the f32 cotangent before the rounding.
static Value inTypeOfRule(GradBuilder &b, Value gradient) {
  Type element = typeOfRule(gradient.getType()).getElementType();
  if (auto cast = gradient.getDefiningOp<train::CastOp>())
    if (auto wide = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getX()));
        wide && wide.getWidth() > getElementTypeOrSelf(gradient).getIntOrFloatBitWidth())
      gradient = cast.getX();
  return b.castTo(gradient, element);
}

/// Differentiates result `result` of `func` and appends the gradients of `sources` as results,
/// named by `names`.
static LogicalResult addGradients(train::FuncOp func, unsigned result, ArrayRef<Value> sources,
                                  ArrayRef<StringRef> names) {
  splitCheckpoints(func);
  Block &body = func.getBody().front();
  Operation *ret = body.getTerminator();
  decomposeActive(ret, sources);
  Value value = ret->getOperand(result);
  Reverse reverse(ret, sources, {train::Stage::Backward, "the loss", {}});
  OpBuilder builder(ret);
  if (failed(reverse.run({{value, makeSeed(builder, value)}})))
    return failure();
  SmallVector<Value> gradients;
  for (auto [source, name] : llvm::zip(sources, names)) {
    Value g = reverse.gradient(source);
    GradBuilder b(
        builder, source.getLoc(),
        train::OriginAttr::get(builder.getStringAttr(name + ".gradient"), train::Stage::Backward));
    if (!g) {
      if (func.getStep() && !reverse.reaches(source))
        return func.emitError() << "expected the loss of step @" << *func.getStep()
                                << " to depend on @" << name << ", but the loss does not";
      g = b.broadcastTo(b.real(0.0, source), source.getType());
    }
    gradients.push_back(func.getStep() ? b.op<train::GradientOp>(inTypeOfRule(b, g), name) : g);
  }
  {
    SignatureChange change(func);
    for (auto [name, gradient] : llvm::zip(names, gradients))
      change.addResult(
          gradient, train::GradientAttr::get(
                        func.getContext(), FlatSymbolRefAttr::get(func.getContext(), name), false));
  }
  eraseDeadCode(body);
  return success();
}

namespace {
struct TrainAutodiff : ampc::impl::TrainAutodiffBase<TrainAutodiff> {
  using TrainAutodiffBase::TrainAutodiffBase;
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(of.empty() ? differentiateSteps(model) : differentiateFunction(model)))
        return signalPassFailure();
  }

private:
  LogicalResult differentiateFunction(train::ModelOp model) {
    auto source = model.lookupSymbol<train::FuncOp>(of);
    if (!source || result >= source.getNumResults())
      return model.emitError() << "expected a function named " << of << " with a result " << result;
    OpBuilder builder(source);
    builder.setInsertionPointAfter(source);
    auto func = cast<train::FuncOp>(builder.clone(*source));
    func.setSymName(of + ".grad");
    SmallVector<Value> sources;
    SmallVector<StringRef> names;
    for (BlockArgument argument : func.getBody().getArguments())
      if (isReal(argument)) {
        sources.push_back(argument);
        auto input = Signature(func).argument<train::InputAttr>(argument);
        names.push_back(input ? input.getName().getValue() : "argument");
      }
    return addGradients(func, result, sources, names);
  }
  LogicalResult differentiateSteps(train::ModelOp model) {
    for (auto step : model.getOps<train::StepOp>()) {
      train::FuncOp func = findProgram(model, train::Role::Loss, step);
      if (!func)
        return step->emitOpError() << "expected train-instantiate to have run";
      func.setSymName((step.getSymName() + ".grad").str());
      func.setRole(train::Role::Grad);
      SmallVector<Value> sources;
      SmallVector<StringRef> names;
      DenseMap<StringAttr, BlockArgument> states = findStates(func);
      for (Attribute param : step.getParams()) {
        names.push_back(cast<FlatSymbolRefAttr>(param).getValue());
        BlockArgument source = states.lookup(cast<FlatSymbolRefAttr>(param).getAttr());
        if (!source)
          return step.emitOpError()
                 << "expected the loss to depend on @" << names.back() << ", but the loss does not";
        sources.push_back(source);
      }
      if (failed(addGradients(func, 0, sources, names)))
        return failure();
    }
    return success();
  }
};
} // namespace
