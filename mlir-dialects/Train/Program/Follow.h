// Followers: copies and moving averages of parameters that a model reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_FOLLOW_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_FOLLOW_H

#include "mlir-dialects/Train/Train.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/FollowOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerFollowOps(mlir::DialectRegistry &registry);

/// Key of the state whose first value another state takes: `train.first_value_of = @online.w`.
inline constexpr llvm::StringLiteral firstValueKey = "train.first_value_of";
/// Name of the state whose first value the state takes, or null.
mlir::StringAttr firstValueSource(StateOpInterface state);
void setFirstValueSource(StateOpInterface state, mlir::StringAttr source);
/// Expected content of `train.first_value_of`; nullopt if the attribute is valid.
std::optional<llvm::StringRef> misfitOfFirstValue(mlir::Operation *op, mlir::Attribute value);
} // namespace ampc
#endif
