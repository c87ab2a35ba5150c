// Limits of the size of a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_LIMITS_H
#define MLIR_DIALECTS_TRAIN_LIMITS_H

#include <cstdint>

namespace ampc {
/// The most ops of a model, as it is written and behind the replacement of its calls and uses of
/// modules: a chain of so many pointwise ops compiles in ten minutes of CPU and 8 GB. Functions
/// that call one another twice double with each; without a limit a text of a few lines would fill
/// all memory.
constexpr int64_t mostOps = 400000;
} // namespace ampc
#endif
