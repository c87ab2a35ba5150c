// Linear indexing maps: the element offset is affine in the indices, with one stride per dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_LINEARMAP_H
#define MLIR_DIALECTS_KERNEL_LINEARMAP_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace ampc {
/// constant + sum of factors[d] * dim d. Example: (d0, d1) of tensor<4x8xf32>: 8 d0 + d1
struct LinearForm {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> factors;

  /// Linear form of an expression; nullopt with a division.
  static std::optional<LinearForm> of(mlir::AffineExpr expr, unsigned dims);
  /// Row-major element offset of a map into a tensor of the shape; nullopt with a division.
  static std::optional<LinearForm> of(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
  /// Whether the form is in [0, limit) for all points of the iteration domain.
  bool staysBelow(int64_t limit, llvm::ArrayRef<int64_t> space) const;
  /// Whether points that differ in a dimension with a nonzero factor have different values.
  bool isOneToOne(llvm::ArrayRef<int64_t> space) const;
};

/// Common step of dimensions that are traversed in order as one flat dimension; nullopt without a
/// common step. Example: factors [8, 1], sizes [4, 8] -> 1. Dimensions of size 1 are skipped: their
/// factor may have been folded away.
std::optional<int64_t> commonStep(llvm::ArrayRef<int64_t> factors, llvm::ArrayRef<int64_t> sizes);

/// (d0, d1 + 5, d2) as (d0, d1, d2)
mlir::AffineMap withoutStart(mlir::AffineMap map);
bool isLinear(mlir::AffineMap map);
/// Whether every point of the iteration domain maps to an element of the shape. Divisions are
/// assumed valid.
bool staysInside(mlir::AffineMap map, llvm::ArrayRef<int64_t> space, llvm::ArrayRef<int64_t> shape);

namespace kernel {
/// Attributes with the indexing maps of a product's or attention's operands, and of a body's
/// inputs.
constexpr llvm::StringLiteral operandMapsName = "operand_maps", inputMapsName = "input_maps";
/// Byte offset per operand of a kernel, as moved out of the operand's indexing map: 5 * 8 * 4 for
/// (d0, d1 + 5, d2) of tensor<4x20x8xf32>; 0 without a map. A tensor that the kernel of a
/// kernel.fused_reduction reads more than once has the start of the first read.
llvm::SmallVector<int64_t> startsOf(mlir::Operation *kernel);
} // namespace kernel
} // namespace ampc
#endif
