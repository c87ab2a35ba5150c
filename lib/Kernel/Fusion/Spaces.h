// Iteration spaces of kernels and the maps from them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_SPACES_H
#define LIB_KERNEL_FUSION_SPACES_H

#include "lib/Kernel/Fusion/BlockRewriter.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc {
inline mlir::AffineMap mapAt(mlir::ArrayAttr maps, unsigned i) {
  return mlir::cast<mlir::AffineMapAttr>(maps[i]).getValue();
}
llvm::SmallVector<mlir::AffineMap> mapsOf(mlir::ArrayAttr maps);
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}
int64_t elements(llvm::ArrayRef<int64_t> space);

/// map(via(point)). Most maps between two kernels of one space are the identity, for which
/// AffineMap::compose would build every expression anew.
mlir::AffineMap composed(mlir::AffineMap map, mlir::AffineMap via);
/// The map with 0 for dimensions of size 1: equal accesses get equal maps.
mlir::AffineMap normalized(mlir::AffineMap map, llvm::ArrayRef<int64_t> space);
bool isIdentityOn(mlir::AffineMap map, llvm::ArrayRef<int64_t> space);
/// From the elements of a tensor to the points of the space, if `map` is one to one between all of
/// both; else null.
mlir::AffineMap inverseOf(mlir::AffineMap map, llvm::ArrayRef<int64_t> space,
                          llvm::ArrayRef<int64_t> shape);

/// From the indices of one shape to those of another that differs in dimensions of size 1; else
/// null.
mlir::AffineMap unitReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                            mlir::MLIRContext *context);

/// Inputs come after the leading operands.
inline llvm::MutableArrayRef<mlir::OpOperand> inputsOf(FusedKernelOpInterface op) {
  return op->getOpOperands().take_back(op.getInputMaps().size());
}
/// Number among the inputs of a fused kernel; negative for what stands before them.
int64_t inputNumber(mlir::OpOperand &use);
/// All readers take the value element by element in their bodies, directly or through views.
bool isReadByElement(mlir::Value value);

/// True if some op of the body depends on the position along rows, or on the whole row.
bool hasRowOps(FusedKernelOpInterface op);
/// A map without row ops.
bool isPointwise(mlir::Operation *op);
bool usesLinearIndex(FusedKernelOpInterface op);

/// A kernel that reads a tensor to add it up, whatever else it does with the sum.
bool addsUp(mlir::Operation *op);

/// Whether the program's loss depends on `op`. A kernel of a gradient may give values of the
/// forward pass, too, and a sum of those is none of a gradient: it keeps its order.
bool leadsToLoss(BlockRewriter &order, mlir::Operation *op);

/// What a sum over all elements of a gradient adds up; null if the kernel does anything else, or if
/// the bits of the sum depend on its order, which fusion has to keep. `gradient` is the input that
/// is one, in the memory of a kernel with `kernel.barrier` that can add up what it writes.
struct GradientSum {
  mlir::OpOperand *gradient = nullptr;
  llvm::SmallVector<mlir::Value> terms; ///< of the body, one per result

  static std::optional<GradientSum> of(BlockRewriter &order, mlir::Operation *op);
  /// The same without regard to the order.
  static std::optional<GradientSum> inAnyOrder(BlockRewriter &order, mlir::Operation *op);
};
/// True if a sum over a gradient reads results of the one, and the other waits for a sum: as one
/// kernel they would be too late for sums to become part of the kernels of the gradients.
bool delaysSums(BlockRewriter &order, mlir::Operation *first, mlir::Operation *second);

/// What a map gives that works element by element on tensors of the result's shape.
mlir::Value createPointwise(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::RankedTensorType type, mlir::ValueRange inputs,
                            llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
/// Rewrites a map over another space with the same points in the same order, its tensors behind
/// views. Null (and nothing changed) if its maps do not allow that.
kernel::MapOp respace(BlockRewriter &rewriter, kernel::MapOp op, llvm::ArrayRef<int64_t> space);
} // namespace ampc
#endif
