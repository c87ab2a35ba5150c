// Order of summation of reductions over many elements, equal on all targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_SUMORDER_H
#define LIB_CODEGEN_COMMON_SUMORDER_H

#include "lib/Codegen/Common/Combine.h"
#include "lib/Codegen/Common/IterationSpace.h"

namespace ampc::target {

/// The order of summation, defined for users in docs/numerics.md ("The order of sums"). A tree over
/// n numbers adds number i and number i + h, for h = p / 2, p / 4, ..., 1, where p is the next
/// power of two; additions with a number beyond n are left out. Sums begin with +0, so that leaving
/// out a number equals adding +0.
namespace order {
/// Width of the matrix by which a row is summed: column j is the sum, in order, of the terms j, j +
/// 512, j + 1024, ...; a tree adds the columns.
constexpr int64_t rowWidth = 512;
/// Height of the blocks of a column: a tree adds 16 terms.
constexpr int64_t blockRows = 16;
/// Terms of a chunk: 256 of a column, as 16 blocks added in order; 8192 of a row, as a matrix [16,
/// 512]. A tree adds the chunks.
constexpr int64_t chunkRows = 256, chunkColumns = 16 * rowWidth;
} // namespace order

/// A tree over leaf(i), 0 <= i < count, built depth first, so that only log2(count) partial sums
/// are live. Example of 4: (leaf(0) + leaf(2)) + (leaf(1) + leaf(3)).
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
/// Levels of an in-place tree: number i < pairs adds number i + half.
void forLevels(int64_t count, llvm::function_ref<void(int64_t half, int64_t pairs)> level);

/// Domain of a kernel.reduce, [outer, reduced, inner]: sums of rows if `inner` is 1, else sums of
/// columns.
struct ReduceOrder {
  explicit ReduceOrder(kernel::ReduceOp op);
  bool isOfRows() const { return inner == 1; }
  /// Number of terms of the last chunk.
  int64_t lastChunk() const { return reduced - (chunks - 1) * chunk; }
  int64_t outer, reduced, inner;
  int64_t chunks, chunk; // number of chunks, and their length in terms
  IterationSpace space;  // outer and inner are exchanged if rows of a transposed tensor are columns
};

} // namespace ampc::target
#endif
