// Cotangents behind a division whose divisor a small constant holds up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_GUARDEDQUOTIENTS_H
#define LIB_PRECISION_GUARDEDQUOTIENTS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// In a program whose values `low` or a region of the model stores in f16: where a divisor is no
/// more than its guard, the 1e-12 of x / max(|x|, 1e-12), the cotangent is 0. It would be the one
/// behind divided by the guard, which f16 has infinity for, and infinity times the row of zeros
/// that such a divisor comes from is NaN in the gradient of every weight in front of it.
void guardQuotients(train::FuncOp func, mlir::Type low);
} // namespace ampc
#endif
