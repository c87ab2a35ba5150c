// Limits of the size of a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_LIMITS_H
#define MLIR_DIALECTS_TRAIN_LIMITS_H

#include <cstdint>

namespace ampc {
/// Limit on the ops of a model, as written and after expansion of calls and modules: a chain of 400
/// 000 pointwise ops compiles in ten minutes of CPU and 8 GB. A function that calls the previous
/// function twice doubles the count per level; without a limit, a text of a few lines would exhaust
/// memory.
constexpr int64_t mostOps = 400000;
} // namespace ampc
#endif
