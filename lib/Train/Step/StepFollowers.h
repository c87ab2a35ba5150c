// Updates of the tensors that follow the parameters of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_STEPFOLLOWERS_H
#define LIB_TRAIN_STEP_STEPFOLLOWERS_H

#include "lib/Train/Step/StepKnobs.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// keep * old + (1 - keep) * now in the element type of `old`; `keep` is the knob if there is one.
mlir::Value buildAverage(GradBuilder &b, double keep, mlir::Value knob, mlir::Value old,
                         mlir::Value now);

class StepFollowers {
public:
  /// `gradient`: the step's gradient program. Buffers that the program writes do not follow.
  StepFollowers(train::ModelOp model, train::StepOp step, StepKnobs &knobs, train::FuncOp gradient);
  /// Warns of averages in 16 bits, which lose small changes.
  void warnOfLostChanges();
  /// Adds the new values of the targets to a program. `updated`: new values of state by name, with
  /// the type of the state; `next`: number of this update, from 1.
  void addResults(GradBuilder &b, SignatureChange &program,
                  const llvm::StringMap<mlir::Value> &updated, mlir::Value next);
  void erase();

private:
  mlir::Value newValue(GradBuilder &b, SignatureChange &program, train::FollowOp follow,
                       mlir::Value old, mlir::Value source, mlir::Value next);
  mlir::RankedTensorType typeOf(llvm::StringRef state);

  train::ModelOp model;
  StepKnobs &knobs;
  llvm::SmallVector<train::FollowOp> follows;
};
} // namespace ampc
#endif
