// Maps without divisions: every dimension moves the place by a constant stride.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_LINEARMAP_H
#define MLIR_DIALECTS_KERNEL_LINEARMAP_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace ampc {
/// constant + sum of factors[d] * dim d
struct LinearForm {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> factors;

  /// Nothing for an expression with a division.
  static std::optional<LinearForm> of(mlir::AffineExpr expr, unsigned dims);
  /// The number of an element of the shape in memory; nothing if the map divides.
  static std::optional<LinearForm> of(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
  /// Whether it is in [0, limit) for all points of the space.
  bool staysBelow(int64_t limit, llvm::ArrayRef<int64_t> space) const;
  /// Whether points that differ in a dimension with a factor have different values.
  bool isOneToOne(llvm::ArrayRef<int64_t> space) const;
};

/// From one point to the next of dimensions that are walked in order as one; nothing if there is no
/// one number. Dimensions of size 1 have no say: their factor may have been folded away.
std::optional<int64_t> commonStep(llvm::ArrayRef<int64_t> factors, llvm::ArrayRef<int64_t> sizes);

/// (d0, d1 + 5, d2) as (d0, d1, d2)
mlir::AffineMap withoutStart(mlir::AffineMap map);
bool isLinear(mlir::AffineMap map);
/// Whether every point of the space has an element of the shape. Divisions are taken to be right.
bool staysInside(mlir::AffineMap map, llvm::ArrayRef<int64_t> space, llvm::ArrayRef<int64_t> shape);

namespace kernel {
/// Bytes from the start of every operand of a kernel.map or kernel.reduce to the element that a map
/// without its start would find there: 5 * 8 * 4 for (d0, d1 + 5, d2) of tensor<4x20x8xf32>. Empty
/// for other kernels.
llvm::SmallVector<int64_t> startsOf(mlir::Operation *kernel);
} // namespace kernel
} // namespace ampc
#endif
