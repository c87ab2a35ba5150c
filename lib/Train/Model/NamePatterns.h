// Expansion of name patterns in parameter lists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_NAMEPATTERNS_H
#define LIB_TRAIN_MODEL_NAMEPATTERNS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
constexpr size_t maxPatterns = 64; ///< limit of patterns that braces expand to

/// Replaces each pattern in the lists of steps and groups by the matching parameters, in
/// declaration order, without frozen parameters.
llvm::LogicalResult expandPatterns(train::ModelOp model);
} // namespace ampc
#endif
