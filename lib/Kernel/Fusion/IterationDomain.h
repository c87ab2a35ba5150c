// Iteration domains of kernels and indexing maps over the domains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_ITERATIONDOMAIN_H
#define LIB_KERNEL_FUSION_ITERATIONDOMAIN_H

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

/// Composition map(via(point)). Most maps between two kernels of equal domain are the identity, for
/// which AffineMap::compose would rebuild every expression.
mlir::AffineMap composed(mlir::AffineMap map, mlir::AffineMap via);
/// The map with 0 in place of dimensions of size 1, so that equal accesses have equal maps: (d0,
/// d1) -> (d0, d1) over [8, 1] becomes (d0, d1) -> (d0, 0).
mlir::AffineMap normalized(mlir::AffineMap map, llvm::ArrayRef<int64_t> space);
bool isIdentityOn(mlir::AffineMap map, llvm::ArrayRef<int64_t> space);
/// Inverse of an indexing map, from the elements of a tensor to the points of the domain; null if
/// the map is not one to one between all elements and all points.
mlir::AffineMap inverseOf(mlir::AffineMap map, llvm::ArrayRef<int64_t> space,
                          llvm::ArrayRef<int64_t> shape);

/// Map between indices of two shapes that differ in dimensions of size 1 only; null for other
/// shapes. Example: [8, 1, 4] to [8, 4]: (d0, d1, d2) -> (d0, d2).
mlir::AffineMap unitReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                            mlir::MLIRContext *context);

/// Inputs of the body, behind the leading operands such as A and B of a GEMM.
inline llvm::MutableArrayRef<mlir::OpOperand> inputsOf(FusedKernelOpInterface op) {
  return op->getOpOperands().take_back(op.getInputMaps().size());
}
/// Input number of the operand; negative for leading operands.
int64_t inputNumber(mlir::OpOperand &use);
/// Whether all consumers read the value element by element in their bodies, directly or through
/// views.
bool isReadElementwise(mlir::Value value);

/// Whether an op of the body depends on the position in the row, or on the whole row.
bool hasRowOps(FusedKernelOpInterface op);
/// Whether the op is a map without row ops.
bool isPointwise(mlir::Operation *op);
bool usesLinearIndex(FusedKernelOpInterface op);

/// Whether the kernel sums over a tensor, whatever else happens to the sum.
bool isSum(mlir::Operation *op);

/// Whether the loss of the program depends on `op`. A kernel of a gradient may also write values of
/// the forward pass; a sum over such a value is no sum over a gradient and keeps its order.
bool leadsToLoss(BlockRewriter &order, mlir::Operation *op);

/// Terms of a sum over all elements of a gradient; null if the kernel does anything else, or if the
/// bits of the sum depend on the order, which fusion has to keep. `gradient` is the operand that
/// reads the gradient, written by a kernel with `kernel.barrier` that supports fused reductions.
struct GradientReduction {
  mlir::OpOperand *gradient = nullptr;
  llvm::SmallVector<mlir::Value> terms; ///< values of the body, one per result

  static std::optional<GradientReduction> of(BlockRewriter &order, mlir::Operation *op);
  /// The sum even if its bits depend on the order.
  static std::optional<GradientReduction> inAnyOrder(BlockRewriter &order, mlir::Operation *op);
};
/// Whether fusing the two kernels would delay fused reductions: a sum over a gradient reads results
/// of one kernel, and the other waits for a sum over a gradient.
bool delaysFusedReductions(BlockRewriter &order, mlir::Operation *first, mlir::Operation *second);

/// Creates an elementwise map over tensors of the result's shape; `body` builds the scalar code.
mlir::Value createPointwise(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::RankedTensorType type, mlir::ValueRange inputs,
                            llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
/// Rewrites a map over another iteration domain with the same points in the same order, and the
/// tensors behind views. Null, and nothing changed, if the indexing maps do not allow the reshape.
kernel::MapOp reshapeDomain(BlockRewriter &rewriter, kernel::MapOp op,
                            llvm::ArrayRef<int64_t> space);
} // namespace ampc
#endif
