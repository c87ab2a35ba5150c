// Affine maps as strides, and iteration domains with as few dimensions as possible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_ITERATIONSPACE_H
#define LIB_CODEGEN_COMMON_ITERATIONSPACE_H

#include "lib/Codegen/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/IR/AffineMap.h"

namespace ampc::target {

/// Element that a point of the domain accesses: constant + sum of strides[d] * dim d, in elements.
/// Example: `(m, k) -> (k, m)` into a tensor [K, M] has strides [1, M]. Maps with floordiv or mod
/// have a `residue` that is not linear, added to the sum.
struct Access {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> strides;
  mlir::AffineExpr residue; // null if linear

  static Access of(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
  bool dependsOn(unsigned dim) const;
  /// Stride along `dim` in elements; nullopt if the stride varies.
  std::optional<int64_t> strideAlong(unsigned dim) const;
};

/// Iteration domain of a body, and the access of each operand and result.
struct IterationSpace {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<Access> inputs, results;

  static IterationSpace of(FusedKernelOpInterface op);
  /// Merges neighbouring dimensions that are contiguous in all accesses, and drops dimensions of
  /// size 1, at most until a single dimension remains. The order of points stays. `keepLast`
  /// excludes the last dimension.
  void collapse(bool keepLast);
  /// Dimensions below `split` of point `number` in row-major order.
  llvm::SmallVector<mlir::Value> delinearize(LoopEmitter &e, mlir::Value number,
                                             unsigned split) const;
  /// Number of points in the dimensions [from, to).
  int64_t count(unsigned from, unsigned to) const;
  unsigned rank() const { return sizes.size(); }
};

/// Element offset of an access at a point.
mlir::Value position(LoopEmitter &e, const Access &access, llvm::ArrayRef<mlir::Value> dims);

} // namespace ampc::target
#endif
