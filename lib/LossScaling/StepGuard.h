// Counts what is not finite in the gradients of a step, and keeps the state of steps that skip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_LOSSSCALING_STEPGUARD_H
#define LIB_LOSSSCALING_STEPGUARD_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// Of what loss scaling and the check of gradients add to a program.
inline train::OriginAttr scalingOrigin(train::FuncOp func) {
  return train::OriginAttr::get(
      mlir::StringAttr::get(func.getContext(), func.getStepName() + ".scaling"),
      train::Stage::Update);
}

/// Of what reads a gradient before the update does.
inline train::OriginAttr originOfReader(mlir::Value gradient) {
  return originOf(gradient).withStage(train::Stage::Update);
}

/// Adds to one program of a step (train, grad or apply) the result `nonfinite`: how many elements
/// of its gradients are infinite or NaN. Unless the step allows them, one predicate then guards all
/// state.
class StepGuard {
public:
  using Value = mlir::Value;
  explicit StepGuard(train::FuncOp func)
      : func(func), signature(func), body(func.getBody().front()), builder(func.getContext()),
        b(builder, func.getLoc(), scalingOrigin(func)),
        symbols(func->getParentOfType<train::ModelOp>()) {}

  /// Whether the program is handed gradients that `*_grad` stored and the caller may have changed.
  bool isApply() { return func.is(train::Role::Apply); }
  /// One count per gradient: of those that the program is handed, or of those that it computes.
  mlir::SmallVector<Value> countGradients();
  /// The elements of `x` that are not finite, counted right behind it.
  Value countIn(Value x);
  /// Adds up the counts, guards the state, and gives the predicate. `byDefault` is what a step does
  /// that says nothing.
  Value guard(mlir::ArrayRef<Value> counts, train::NonFinite byDefault);

private:
  /// What the state is for; nothing for parameters and the model's own buffers.
  std::optional<train::StateRole> roleOf(mlir::StringAttr state);
  bool skipsItself(Value value, Value old);
  Value kept(Value value, Value old);
  void guardState();
  void remakeWorkingCopies(const llvm::DenseMap<mlir::StringAttr, Value> &params);

  train::FuncOp func;
  Signature signature;
  mlir::Block &body;
  mlir::OpBuilder builder;
  GradBuilder b;
  mlir::SymbolTable symbols;
  Value found;
  llvm::DenseMap<Value, Value> guardedRows;
};
} // namespace ampc
#endif
