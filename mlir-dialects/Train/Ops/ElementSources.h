// Source elements of data-movement ops: the operand element of every result element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_ELEMENTSOURCES_H
#define MLIR_DIALECTS_TRAIN_OPS_ELEMENTSOURCES_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Element `element` of a result is element `number` of the operand `from`; both count row-major.
using ElementVisitor = llvm::function_ref<void(int64_t element, mlir::Value from, int64_t number)>;
/// Visits all elements of a result of a cast, or of an op that has the trait GivesElements.
void forEachElement(mlir::OpResult result, ElementVisitor visit);
} // namespace ampc
#endif
