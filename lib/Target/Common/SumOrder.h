// The order in which sums over many elements are formed: the same on every target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_SUMORDER_H
#define LIB_TARGET_COMMON_SUMORDER_H

#include "lib/Target/Common/Combine.h"
#include "lib/Target/Common/IterationSpace.h"

namespace ampc::target {

/// The order of sums, which docs/numerics.md defines for users ("The order of sums"). A tree over n
/// numbers adds number i and number i + h, for h = p / 2, p / 4, ..., 1, where p is the next power
/// of two; a number that does not exist is left out. Sums begin with +0, so that a number that is
/// left out and a +0 in its place are the same.
namespace order {
/// Columns of the matrix as which a row is added up: column j of it is the sum, in order, of the
/// terms j, j + 512, j + 1024, ...; a tree adds its columns.
constexpr int64_t rowWidth = 512;
/// Rows of terms that a tree adds, in columns.
constexpr int64_t blockRows = 16;
/// Blocks in order are a chunk, of columns 256 terms each, of a row 8192; a tree adds chunks.
constexpr int64_t chunkRows = 256, chunkColumns = 16 * rowWidth;
} // namespace order

/// A tree over the numbers i with leaf(i), 0 <= i < count: depth first, so that log2(count) partial
/// sums are alive. Example of 4: (leaf(0) + leaf(2)) + (leaf(1) + leaf(3)).
template <typename T>
T sumTree(int64_t count, llvm::function_ref<T(int64_t)> leaf, llvm::function_ref<T(T, T)> add,
          int64_t first = 0, int64_t distance = 1) {
  if (distance >= count)
    return leaf(first);
  T low = sumTree<T>(count, leaf, add, first, 2 * distance);
  if (first + distance >= count)
    return low;
  T high = sumTree<T>(count, leaf, add, first + distance, 2 * distance);
  return add(low, high);
}
/// The levels of a tree over numbers in memory: numbers i < pairs get those at i + half.
void forLevels(int64_t count, llvm::function_ref<void(int64_t half, int64_t pairs)> level);

/// The space of a kernel.reduce in the order of its sums: of columns, or, where `inner` is 1, of
/// rows.
struct ReduceOrder {
  explicit ReduceOrder(kernel::ReduceOp op);
  bool isOfRows() const { return inner == 1; }
  /// Terms of the last chunk.
  int64_t lastChunk() const { return reduced - (chunks - 1) * chunk; }
  int64_t outer, reduced, inner;
  int64_t chunks, chunk; // of reduced, and their length
  IterationSpace space; // rows of a transposed tensor are columns: outer and inner may be exchanged
};

} // namespace ampc::target
#endif
