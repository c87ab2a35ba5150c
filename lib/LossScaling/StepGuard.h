// Counts gradient elements that are not finite (found_inf), and keeps the state of skipped steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_LOSSSCALING_STEPGUARD_H
#define LIB_LOSSSCALING_STEPGUARD_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// Provenance of ops that loss scaling and the check of gradients add to a program.
inline train::OriginAttr scalingOrigin(train::FuncOp func) {
  return train::OriginAttr::get(
      mlir::StringAttr::get(func.getContext(), func.getStepName() + ".scaling"),
      train::Stage::Update);
}

/// Provenance of an op that reads a gradient before the update: the gradient's op, stage update.
inline train::OriginAttr originOfReader(mlir::Value gradient) {
  return originOf(gradient).withStage(train::Stage::Update);
}

/// Adds the result `nonfinite` to a program of a step (train, grad or apply): the i64 count of
/// gradient elements that are infinite or NaN. Unless the step allows such gradients, a single
/// predicate (count != 0) guards all state.
class StepGuard {
public:
  using Value = mlir::Value;
  explicit StepGuard(train::FuncOp func)
      : func(func), signature(func), body(func.getBody().front()), builder(func.getContext()),
        b(builder, func.getLoc(), scalingOrigin(func)),
        symbols(func->getParentOfType<train::ModelOp>()) {}

  /// Whether the program receives gradients as state, stored by `*_grad` and possibly changed by
  /// the caller.
  bool isApply() { return func.is(train::Role::Apply); }
  /// A count per gradient: the gradient arguments of an apply program, else the gradients that the
  /// program computes.
  mlir::SmallVector<Value> countGradients();
  /// Count of elements of `x` that are not finite, inserted right behind the definition of `x`.
  Value countIn(Value x);
  /// Sums the counts, guards the state and returns the predicate. `byDefault`: mode of a step that
  /// declares none.
  Value guard(mlir::ArrayRef<Value> counts, train::NonFinite byDefault);

private:
  /// Role of a state; none for parameters and the model's own buffers.
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
