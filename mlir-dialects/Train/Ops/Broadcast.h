// Numpy broadcasting: result types and indexing maps, e.g. [4, 1] with [3] -> [4, 3].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_BROADCAST_H
#define MLIR_DIALECTS_TRAIN_OPS_BROADCAST_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace ampc {
/// With an error at `loc` unless there is such a shape.
llvm::LogicalResult broadcastShapes(std::optional<mlir::Location> loc, mlir::RankedTensorType a,
                                    mlir::RankedTensorType b,
                                    llvm::SmallVectorImpl<int64_t> &shape);
/// Broadcast result type of two operands with equal element types.
llvm::LogicalResult inferBroadcast(std::optional<mlir::Location> loc, mlir::Type a, mlir::Type b,
                                   llvm::SmallVectorImpl<mlir::Type> &types);
/// Indexing map from the iteration domain to a tensor type.
mlir::AffineMap broadcastMap(mlir::Type type, llvm::ArrayRef<int64_t> space);
/// All dimensions but the last.
mlir::AffineMap rowMap(unsigned rank, mlir::MLIRContext *context);
} // namespace ampc
#endif
