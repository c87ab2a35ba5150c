// Casts that passes insert, told apart from those of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_CASTS_H
#define LIB_PRECISION_CASTS_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Origin.h"

namespace ampc {
/// The value in another element type, by a cast that comes from where `like` does and says why it
/// is needed.
mlir::Value insertCast(mlir::OpBuilder &builder, mlir::Value v, mlir::Type element,
                       const llvm::Twine &why, train::OriginAttr origin);
/// From where the value comes from.
mlir::Value insertCast(mlir::OpBuilder &builder, mlir::Value v, mlir::Type element,
                       const llvm::Twine &why);
/// A remark at the cast's source line; none for a cast of the model.
void explainCast(train::FuncOp func, train::CastOp cast);
} // namespace ampc
#endif
