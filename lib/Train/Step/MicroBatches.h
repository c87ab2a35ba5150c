// Gradients over a batch that is computed in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_MICROBATCHES_H
#define LIB_TRAIN_STEP_MICROBATCHES_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// Rewrites a gradient function (train-autodiff) for batches of `count` times as many rows: one
/// copy of its body per micro-batch, on its rows of every batched input: argument `x` becomes as
/// many, numbered by `train.part`. Losses and gradients are added up in their own type: weighParts
/// has made them terms of a sum. Every `train.total` is computed before the first copy. New values
/// of buffers go from copy to copy. Equal kernels are emitted once, so a copy costs rows of
/// the step's table and no code. Where a short batch is supported, a part without valid rows adds
/// nothing.
void accumulateMicroBatches(train::FuncOp gradient, int64_t count);
} // namespace ampc
#endif
