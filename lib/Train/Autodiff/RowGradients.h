// Gradients of tables that only lookups read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_AUTODIFF_ROWGRADIENTS_H
#define LIB_TRAIN_AUTODIFF_ROWGRADIENTS_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// Lets the gradients of a step's tables stay rows where that saves work or the optimizer wants it:
/// the result marked by `train.gradient` becomes the sums, and a further result, marked by
/// `train.rows`, says whose they are. With `explain` (and for tables that a lazy optimizer cannot
/// treat so), remarks say why a gradient is dense all the same.
void keepRowGradients(train::FuncOp gradient, train::StepOp step, bool explain);
} // namespace ampc
#endif
