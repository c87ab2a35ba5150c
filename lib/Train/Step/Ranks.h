// Number of ranks of a model, and of the parts of a batch over all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_RANKS_H
#define LIB_TRAIN_STEP_RANKS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Key of the number of ranks on a `train.model`.
inline constexpr llvm::StringLiteral ranksKey = "train.ranks";
/// Number of ranks that train the model around `op` together; 1 without `--ranks`.
int64_t ranksOf(mlir::Operation *op);
/// Number of micro-batches of all ranks: 8 ranks with 2 micro-batches each -> 16.
int64_t partsOf(train::StepOp step);
} // namespace ampc
#endif
