// Region of kernels that work row by row on tensors too large to be materialized.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_CHUNKING_CHUNKREGION_H
#define LIB_KERNEL_CHUNKING_CHUNKREGION_H

#include "lib/Kernel/Fusion/IterationDomain.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// Shape of a chunk, if the leading `rows` rows of a tensor are cut into `times` equal, contiguous
/// chunks; nothing if the shape cannot be cut like that. Example: [8, 64, 512], 512 rows, 16 times
/// -> [1, 32, 512].
std::optional<llvm::SmallVector<int64_t>> chunkOf(llvm::ArrayRef<int64_t> shape, int64_t rows,
                                                  int64_t times);

/// Sizes of a kernel's loops: the iteration domain, then the depth of a product, e.g. [m, n, k] of
/// a GEMM.
llvm::SmallVector<int64_t> loopSizes(FusedKernelOpInterface op);

/// Kernels that read or write the scores of a product, or a tensor of that size computed from the
/// scores row by row, and the kernels between. A large tensor that does not depend on the scores,
/// such as one-hot targets, is an input, or is recomputed by pointwise kernels, which stay for
/// consumers outside: a sum of the weights of all rows, for example.
class ChunkRegion {
public:
  /// Smallest ratio of the scores' elements to the elements of all tensors that enter or leave the
  /// region by rows.
  static constexpr int64_t scoresPerOther = 4;
  /// Region around the scores of a product; nothing if a consumer outside reads the scores, or if
  /// the region would wait for values that are computed from all rows. `why` names the obstacle.
  static std::optional<ChunkRegion> around(kernel::GemmOp product, std::string &why);

  /// Access of a kernel to a tensor: row by row, or the whole tensor for every row.
  enum class Access { ByRow, Whole };
  /// Access of the kernel to the operand.
  Access accessOf(FusedKernelOpInterface op, unsigned operand) const;
  /// Whether the kernel sums over rows, as for a weight's gradient.
  bool sumsRows(FusedKernelOpInterface op) const;
  /// Whether all consumers of the value are in the region.
  bool isInside(mlir::Value value) const { return !leaves.contains(value); }
  /// Whether the region has a copy of the kernel, which stays for consumers outside.
  bool isRepeated(mlir::Operation *op) const { return repeated.contains(op); }
  /// Largest number of equal chunks, each of at least `least` rows, into which all tensors can be
  /// cut.
  int64_t maxChunks(int64_t least) const;

  int64_t rows, scores;                   ///< rows of the product; elements of the product's result
  llvm::SetVector<mlir::Operation *> ops; ///< in program order
  /// Dimensions of each kernel's points that are the rows.
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
  mlir::Value findReentrant();
  bool close(std::string &why);
  bool isWorthwhile() const;

  llvm::SetVector<mlir::Value> large; ///< large values, views looked through
  unsigned grown = 0; ///< number of large values whose producer and consumers were added
  llvm::DenseSet<mlir::Value> leaves; ///< results with a consumer outside the region
  /// ops that depend on the product; see isRepeated
  llvm::DenseSet<mlir::Operation *> dependents, repeated;
};
} // namespace ampc
#endif
