// Kernels that work row by row on tensors too large to exist as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_CHUNKING_ROWREGION_H
#define LIB_KERNEL_CHUNKING_ROWREGION_H

#include "lib/Kernel/Fusion/Spaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// The shape of one of `times` equal parts of the leading `rows` rows of a tensor, one behind the
/// other; nothing if the shape cannot be cut like that.
std::optional<llvm::SmallVector<int64_t>> chunkOf(llvm::ArrayRef<int64_t> shape, int64_t rows,
                                                  int64_t times);

/// The points of a kernel: its space, and behind it what a product sums over.
llvm::SmallVector<int64_t> pointsOf(FusedKernelOpInterface op);

/// All kernels that read or write the scores of a product, or what has as many elements and is
/// computed from them row by row, and those between them. Targets and what else of that size does
/// not depend on the scores is given, or made by pointwise kernels, of which others may have need,
/// too: to add up the weights of all rows, say.
class RowRegion {
public:
  /// Scores have at least so many elements for one that goes into the region by rows or comes out
  /// of it.
  static constexpr int64_t scoresPerOther = 4;
  /// Nothing if the scores leave the region, or if it would have to wait for what others compute
  /// from all of its rows; `why` says which of it.
  static std::optional<RowRegion> around(kernel::GemmOp product, std::string &why);

  /// How a kernel sees a tensor.
  enum class Access { ByRow, Whole };
  /// Whether rows of the tensor go with the rows of the region.
  Access accessOf(FusedKernelOpInterface op, unsigned operand) const;
  /// Whether the kernel adds up over rows.
  bool addsRows(FusedKernelOpInterface op) const;
  /// Whether only the region reads the value.
  bool isInside(mlir::Value value) const { return !leaves.contains(value); }
  /// Whether the region has a copy of the kernel, which stays for other readers.
  bool isRepeated(mlir::Operation *op) const { return repeated.contains(op); }
  /// The largest number of equal parts of at least `least` rows that all tensors can be cut into.
  int64_t mostParts(int64_t least) const;

  int64_t rows, scores;                   ///< the product's rows, and elements of its result
  llvm::SetVector<mlir::Operation *> ops; ///< in their order
  /// The dimensions of each kernel's points that are the rows.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> rowDims;

private:
  void findDependents(mlir::Operation *product);
  bool isGiven(mlir::Value value) const;
  void repeat(mlir::Operation *source, mlir::Value value);
  bool grow(std::string &why);
  bool add(mlir::Operation *op, mlir::Value known);
  bool addOrSay(mlir::Operation *op, mlir::Value known, std::string &why);
  std::optional<Access> find(FusedKernelOpInterface op, mlir::Value tensor,
                             mlir::AffineMap map) const;
  mlir::Value findReturning();
  bool close(std::string &why);
  bool isWorthwhile() const;

  llvm::SetVector<mlir::Value> large;                     ///< without views
  unsigned grown = 0;                                     ///< how many of them are followed
  llvm::DenseSet<mlir::Value> leaves;                     ///< results that others read
  llvm::DenseSet<mlir::Operation *> dependents, repeated; ///< of the product; see isRepeated
};
} // namespace ampc
#endif
