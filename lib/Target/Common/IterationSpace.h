// Affine maps as strides, and spaces with as few dimensions as possible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_ITERATIONSPACE_H
#define LIB_TARGET_COMMON_ITERATIONSPACE_H

#include "lib/Target/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/IR/AffineMap.h"

namespace ampc::target {

/// Where in memory a point of the space finds its element: constant + sum of strides[d] * dim d, in
/// elements. Maps with floordiv or mod have a `residue` that is not linear, added to that sum.
struct Access {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> strides;
  mlir::AffineExpr residue; // null if linear

  static Access of(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
  bool dependsOn(unsigned dim) const;
  /// Elements from a point to its neighbour along `dim`; nullopt if that varies.
  std::optional<int64_t> strideAlong(unsigned dim) const;
};

/// The points a body runs at, and where they find their elements.
struct IterationSpace {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<Access> inputs, results;

  static IterationSpace of(FusedKernelOpInterface op);
  /// Merges neighbouring dimensions that all accesses walk as one, and drops those of size 1. The
  /// order of points stays. With `keepLast`, the last dimension stays what it is. At least one
  /// dimension remains.
  void collapse(bool keepLast);
  /// Dimension numbers below `split`, from the number of a point in row-major order.
  llvm::SmallVector<mlir::Value> delinearize(LoopEmitter &e, mlir::Value number,
                                             unsigned split) const;
  /// Points in the dimensions [from, to).
  int64_t count(unsigned from, unsigned to) const;
  unsigned rank() const { return sizes.size(); }
};

/// Element position of an access at a point.
mlir::Value position(LoopEmitter &e, const Access &access, llvm::ArrayRef<mlir::Value> dims);

} // namespace ampc::target
#endif
