// Numpy broadcasting: types, and which elements meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_BROADCAST_H
#define MLIR_DIALECTS_TRAIN_BROADCAST_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace ampc {
/// With an error at `loc` unless there is such a shape.
llvm::LogicalResult broadcastShapes(std::optional<mlir::Location> loc, mlir::RankedTensorType a,
                                    mlir::RankedTensorType b,
                                    llvm::SmallVectorImpl<int64_t> &shape);
/// The type of a result of two operands of one element type.
llvm::LogicalResult inferBroadcast(std::optional<mlir::Location> loc, mlir::Type a, mlir::Type b,
                                   llvm::SmallVectorImpl<mlir::Type> &types);
/// A tensor type in an iteration space.
mlir::AffineMap broadcastMap(mlir::Type type, llvm::ArrayRef<int64_t> space);
/// All dimensions but the last.
mlir::AffineMap rowMap(unsigned rank, mlir::MLIRContext *context);
} // namespace ampc
#endif
