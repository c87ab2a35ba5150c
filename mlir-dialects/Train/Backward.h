// Which ops of a differentiated program are its backward pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_BACKWARD_H
#define MLIR_DIALECTS_TRAIN_BACKWARD_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/DenseSet.h"

namespace ampc {
/// Everything behind the first `train.seed`, but not the forward pass of later micro-batches: what
/// results depend on without depending on a seed, under a name (of train-name-ops) that occurred
/// before the seed.
class BackwardOps {
public:
  explicit BackwardOps(mlir::Block &body);
  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// Null if the program has no backward pass.
  mlir::Operation *getFirstSeed() const { return seed; }

private:
  mlir::Operation *seed = nullptr;
  llvm::DenseSet<mlir::Operation *> ops;
};
} // namespace ampc
#endif
