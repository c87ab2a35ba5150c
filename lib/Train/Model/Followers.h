// Followers of instances, as followers of parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_FOLLOWERS_H
#define LIB_TRAIN_MODEL_FOLLOWERS_H

#include "mlir-dialects/Train/Program/Follow.h"

namespace ampc {
/// The ops `train.follow` of a model without modules.
class Followers {
public:
  explicit Followers(train::ModelOp model) : model(model) {}
  /// Finds the source of every tensor of the targets, and freezes the targets: patterns of steps do
  /// not match frozen parameters.
  llvm::LogicalResult freeze();
  /// Replaces every op by one op per tensor, with the step behind which the tensor changes. The
  /// parameters of steps are known.
  llvm::LogicalResult expand();

private:
  struct Pair {
    StateOpInterface target, source;
  };
  llvm::LogicalResult pair(train::FollowOp follow, llvm::SmallVectorImpl<Pair> &pairs);
  llvm::LogicalResult checkSources();
  llvm::FailureOr<train::StepOp> stepOf(train::FollowOp follow, llvm::ArrayRef<Pair> pairs);

  train::ModelOp model;
  llvm::SmallVector<std::pair<train::FollowOp, llvm::SmallVector<Pair>>> all;
};
} // namespace ampc
#endif
