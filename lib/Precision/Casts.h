// Casts inserted by passes, as distinct from casts of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_CASTS_H
#define LIB_PRECISION_CASTS_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Program/Origin.h"

namespace ampc {
/// Casts `v` to `element` (no cast if the type is equal already). The cast carries `origin` and the
/// reason `why`, for remarks and reports.
mlir::Value insertCast(mlir::OpBuilder &builder, mlir::Value v, mlir::Type element,
                       const llvm::Twine &why, train::OriginAttr origin);
/// As above, with the origin of `v`.
mlir::Value insertCast(mlir::OpBuilder &builder, mlir::Value v, mlir::Type element,
                       const llvm::Twine &why);
/// Remark on an inserted cast at the cast's source line; nothing for a cast of the model.
void explainCast(train::FuncOp func, train::CastOp cast);
} // namespace ampc
#endif
