// Stable radix sort of the positions of an index tensor by row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_TABLE_RADIXSORT_H
#define LIB_CODEGEN_NVPTX_TABLE_RADIXSORT_H

#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Partition of the positions: neighbouring positions to a block, and within the block to a warp,
/// so that the order of threads is the order of positions.
struct IndexBlocks {
  using Value = mlir::Value;
  static constexpr int64_t threads = 256, warps = threads / 32;

  explicit IndexBlocks(int64_t count);
  LaunchShape shape(int64_t sharedBytes) const;
  Value warp(DeviceEmitter &e) const { return e.div(e.thread(), 32); }
  /// Visits the positions of the thread's warp, 32 at a time: `place` is the thread's position,
  /// clamped to the last position, and `exists` tells whether the position is in range. The body
  /// returns the next carried values.
  using Body = llvm::function_ref<llvm::SmallVector<Value>(Value place, Value exists,
                                                           mlir::ValueRange carried)>;
  llvm::SmallVector<Value> walk(DeviceEmitter &e, mlir::ValueRange carried, Body body) const;

  int64_t count, perBlock, blocks;
};

/// Radix sort with 8-bit digits, least significant first; each pass is stable. A pass counts the
/// digits in each block, then each block computes the output positions of its elements. A single
/// block does both in a single launch. Example: index [3, 7, 3] -> order [0, 2, 1].
class RadixSort {
public:
  using Value = mlir::Value;
  struct Memory {
    Value index, order, workspace; // the sorted positions are in `order`
  };
  using MemoryOf = llvm::function_ref<Memory(DeviceEmitter &e, const KernelPointers &pointers)>;

  /// Rows equal to `padding`, and rows outside of [0, rows), come last.
  RadixSort(int64_t count, int64_t rows, std::optional<int64_t> padding = std::nullopt)
      : blocks(count), rows(rows), padding(padding) {}
  int64_t workspaceBytes() const;
  void emit(DeviceCode &code, MemoryOf memory) const;
  /// Sort key of a position: the row, or `rows` for positions that come last.
  Value keyOf(DeviceEmitter &e, Value index, Value place) const;

  const IndexBlocks blocks;

private:
  static constexpr int64_t digitBits = 8, digits = int64_t(1) << digitBits;
  int64_t passes() const { return llvm::divideCeil(llvm::Log2_64(rows) + 1, digitBits); }
  /// Buffers of a pass; null `from`: positions in the original order.
  struct Pass {
    Value index, from, to, counts;
    int64_t shift;
  };
  Pass passOf(DeviceEmitter &e, const Memory &memory, int64_t number) const;
  Value counter(DeviceEmitter &e, Value warp, Value digit) const;
  void walkDigits(
      DeviceEmitter &e, const Pass &pass,
      llvm::function_ref<void(Value place, Value exists, Value own, Value before)> body) const;
  void countDigits(DeviceEmitter &e, const Pass &pass) const;
  Value sumOfWarps(DeviceEmitter &e) const;
  void startDigits(DeviceEmitter &e, const Pass &pass) const;
  void move(DeviceEmitter &e, const Pass &pass) const;

  int64_t rows;
  std::optional<int64_t> padding;
};

/// Mask of the warp's threads in front of this thread.
mlir::Value threadsBefore(DeviceEmitter &e);
mlir::Value countBits(DeviceEmitter &e, mlir::Value bits);

} // namespace ampc::nvptx
#endif
