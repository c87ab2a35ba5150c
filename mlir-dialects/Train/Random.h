// Random numbers in scalar code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_RANDOM_H
#define MLIR_DIALECTS_TRAIN_RANDOM_H

#include "mlir-dialects/Train/ScalarBuilder.h"

namespace ampc {
/// One of the two neighbours of `x` in bf16 or f16, the nearer one the likelier, in the type that
/// `b` computes in. Drawn from Philox4x32-10 of `count` (i64), `key` and the element's row-major
/// number.
Value roundStochastically(ScalarBuilder &b, Value x, Value count, int32_t key, mlir::Type element);
} // namespace ampc
#endif
