// Patterns in place of lists of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_PATTERNS_H
#define LIB_TRAIN_MODEL_PATTERNS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
constexpr size_t maxPatterns = 64; ///< that braces make of one

/// Puts the parameters that steps and groups name by a pattern in its place, in the order of their
/// declarations. Frozen ones are left out.
llvm::LogicalResult expandPatterns(train::ModelOp model);
} // namespace ampc
#endif
