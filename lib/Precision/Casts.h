// Casts that passes insert, told apart from those of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_CASTS_H
#define LIB_PRECISION_CASTS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The value in another element type. Why it was needed hangs on the location, as `amp.cast`: an
/// attribute of the op would keep equal casts from becoming one.
mlir::Value insertCast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value v,
                       mlir::Type element, const llvm::Twine &why);
/// Why a pass inserted the cast; null for a cast of the model.
mlir::StringAttr reasonOfCast(train::CastOp cast);
/// A remark at the cast's source line; none for a cast of the model.
void explainCast(train::FuncOp func, train::CastOp cast);
} // namespace ampc
#endif
