// Sparse gradients of tables that only lookups read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_AUTODIFF_SPARSEGRADIENTS_H
#define LIB_TRAIN_AUTODIFF_SPARSEGRADIENTS_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// Makes the gradients of a step's tables sparse where that saves work or the optimizer requires
/// row numbers: the result marked by `train.gradient` becomes the segment sums [rows, width], and
/// an additional result, marked by `train.rows`, holds the row numbers. With `explain`, and for
/// tables under a lazy optimizer, remarks say why a gradient is dense.
void makeSparseGradients(train::FuncOp gradient, train::StepOp step, bool explain);
} // namespace ampc
#endif
