// Random numbers in scalar code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_RANDOM_H
#define MLIR_DIALECTS_TRAIN_OPS_RANDOM_H

#include "mlir-dialects/Train/Build/ScalarBuilder.h"

namespace ampc {
/// Stochastic rounding of `x` to bf16 or f16, in the type that `b` computes in: a neighbour is
/// chosen with a probability that falls linearly with distance. Random bits are Philox4x32-10 of
/// `count` (i64), `key` and the element's row-major index.
Value roundStochastically(ScalarBuilder &b, Value x, Value count, int32_t key, mlir::Type element);
} // namespace ampc
#endif
