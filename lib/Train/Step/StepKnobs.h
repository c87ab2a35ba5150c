// Knobs of a step: current values in its programs, and schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_STEPKNOBS_H
#define LIB_TRAIN_STEP_STEPKNOBS_H

#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"

namespace ampc {
class StepKnobs {
public:
  StepKnobs(train::ModelOp model, train::StepOp step) : model(model), step(step) {}
  /// Knobs exist, and no schedule of the step sets the same number.
  llvm::LogicalResult verify();
  /// Replaces the state of knobs with a schedule in the gradient program by the values of the step.
  void applySchedules(train::FuncOp gradient);
  /// Value of the knob in place of a number of the step, e.g. "optimizer.lr", of rank 0; null
  /// without a knob.
  mlir::Value find(GradBuilder &b, SignatureChange &program, llvm::StringRef path,
                   mlir::Type element) {
    return find(step, b, program, path, element);
  }
  /// Value of the knob in place of a number of any op, such as a train.follow.
  mlir::Value find(mlir::Operation *owner, GradBuilder &b, SignatureChange &program,
                   llvm::StringRef path, mlir::Type element);
  /// The number, or the value of the knob in its place.
  mlir::Value number(GradBuilder &b, SignatureChange &program, llvm::StringRef path, double own,
                     mlir::Type element);
  /// Adds the new values of knobs with a schedule to a program that updates.
  void addResults(GradBuilder &b, SignatureChange &program);
  void removeSchedules();

private:
  llvm::SmallVector<train::KnobOp> scheduled();
  mlir::Value scheduledValue(GradBuilder &b, SignatureChange &program, train::KnobOp knob);

  train::ModelOp model;
  train::StepOp step;
};
} // namespace ampc
#endif
