// Gradient accumulation over the micro-batches of a batch, on one or several ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_MICROBATCHES_H
#define LIB_TRAIN_STEP_MICROBATCHES_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// Rewrites a gradient function (train-autodiff) for batches of `count` times as many rows, with a
/// copy of the body per micro-batch: argument `x` becomes `count` arguments, numbered by
/// `train.part`. Losses and gradients are added in their own type; weighMicroBatches has made them
/// terms of a sum. Every `train.total` is computed before the first copy. New values of buffers are
/// passed from copy to copy. Equal kernels are emitted once, so a copy costs rows of the step's
/// table and no code. With short batches, a micro-batch without valid rows adds 0.
/// On several ranks each rank has `count` micro-batches: part m of rank r is part r * count + m of
/// the batch. Totals, losses and gradients are then summed over ranks (`train.sum_ranks`), and
/// random ops draw for their part. An error if the forward pass writes state that depends on rows.
llvm::LogicalResult accumulateMicroBatches(train::FuncOp gradient, int64_t count, int64_t ranks);
} // namespace ampc
#endif
