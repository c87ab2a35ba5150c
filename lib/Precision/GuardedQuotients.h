// Guards cotangents of divisions whose divisor has a small lower bound.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_GUARDEDQUOTIENTS_H
#define LIB_PRECISION_GUARDEDQUOTIENTS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Applies where `low` or a region of the model stores values in f16. Where a divisor is no more
/// than the guard, such as the 1e-12 of x / max(|x|, 1e-12), the cotangent becomes 0. Otherwise the
/// cotangent would be the incoming cotangent divided by the guard, which is infinite in f16; and
/// infinity times the row of zeros from which such a divisor is computed is NaN in the gradient of
/// every weight before the division.
void guardQuotients(train::FuncOp func, mlir::Type low);
} // namespace ampc
#endif
