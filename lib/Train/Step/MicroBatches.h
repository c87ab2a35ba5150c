// Gradients over a batch that is computed in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_MICROBATCHES_H
#define LIB_TRAIN_STEP_MICROBATCHES_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// Rewrites a gradient function (train-autodiff) for batches of `count` times as many rows: one
/// copy of its body per micro-batch, on its rows of every batched input: argument `x` becomes as
/// many, numbered by `train.part`. Losses and gradients are averaged in their own type, and new
/// values of buffers go from copy to copy. Equal kernels are emitted once, so a copy costs rows of
/// the step's table and no code. Where a short batch is supported, every part counts as much as its
/// valid rows do, and one without any not at all.
void accumulateMicroBatches(train::FuncOp gradient, int64_t count);
} // namespace ampc
#endif
