// Counts what is not finite in the gradients of a step, and keeps the state of steps that skip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRANSFORMS_STEPGUARD_H
#define LIB_TRANSFORMS_STEPGUARD_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Adds to one program of a step (train, grad or apply) the result `nonfinite`: how many elements
/// of its gradients are infinite or NaN. Unless the step allows them, one predicate then guards all
/// state.
class StepGuard {
public:
  using Value = mlir::Value;
  explicit StepGuard(train::FuncOp func)
      : func(func), body(func.getBody().front()), builder(func.getContext()),
        b(builder, func.getLoc()), symbols(func->getParentOfType<train::ModelOp>()) {}

  mlir::StringRef getRole() { return attribute("train.role"); }
  /// Whether the program is handed gradients that `*_grad` stored and the caller may have changed.
  bool isApply() { return getRole() == "apply"; }
  /// One count per gradient: of those that the program is handed, or of those that it computes.
  mlir::SmallVector<Value> countGradients();
  /// The elements of `x` that are not finite, counted right behind it.
  Value countIn(Value x);
  /// Adds up the counts, guards the state, and gives the predicate. `byDefault` is what a step does
  /// that says nothing.
  Value guard(mlir::ArrayRef<Value> counts, train::NonFinite byDefault);

  /// The argument that holds a slot; added behind the other state if missing.
  Value state(mlir::StringRef slot, mlir::Type type);
  void addResult(Value value, mlir::StringRef key, mlir::StringRef name);

private:
  mlir::StringRef attribute(mlir::StringRef name) {
    auto text = func->getAttrOfType<mlir::StringAttr>(name);
    return text ? text.getValue() : mlir::StringRef();
  }
  mlir::StringRef slotOf(unsigned result) {
    auto slot = func.getResultAttrOfType<mlir::StringAttr>(result, "train.slot");
    return slot ? slot.getValue() : mlir::StringRef();
  }
  train::BufferOp bufferOf(mlir::StringRef slot);
  mlir::StringRef roleOf(mlir::StringRef slot);
  Value kept(Value value, Value old);
  void guardState();
  void remakeWorkingCopies(const llvm::StringMap<Value> &params);

  train::FuncOp func;
  mlir::Block &body;
  mlir::OpBuilder builder;
  GradBuilder b;
  mlir::SymbolTable symbols;
  Value found;
  llvm::DenseMap<Value, Value> guardedRows;
};
} // namespace ampc
#endif
