// Places of an index, sorted by the rows that they name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_TABLE_ROWSORT_H
#define LIB_TARGET_NVPTX_TABLE_ROWSORT_H

#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// What places of an index are cut into: neighbouring ones for a block, and in it for its warps, so
/// that the order of threads is the order of places.
struct IndexBlocks {
  using Value = mlir::Value;
  static constexpr int64_t threads = 256, warps = threads / 32;

  explicit IndexBlocks(int64_t count);
  LaunchShape shape(int64_t sharedBytes) const;
  Value warp(DeviceEmitter &e) const { return e.div32(e.thread(), 32); }
  /// Goes over the places of the thread's warp, 32 at a time: the thread's place, one that exists
  /// in any case, and whether it is the thread's own. The body makes the next of the carried
  /// values.
  using Body = llvm::function_ref<llvm::SmallVector<Value>(Value place, Value exists,
                                                           mlir::ValueRange carried)>;
  llvm::SmallVector<Value> walk(DeviceEmitter &e, mlir::ValueRange carried, Body body) const;

  int64_t count, perBlock, blocks;
};

/// Sorts by digits of 8 bits, the lowest first; places of equal digits stay in their order. A pass
/// counts how often each digit occurs in each block, then each block knows where its places go. One
/// block does that in one launch.
class RowSort {
public:
  using Value = mlir::Value;
  struct Memory {
    Value index, order, workspace; // the sorted places are in `order`
  };
  using MemoryOf = llvm::function_ref<Memory(DeviceEmitter &e, const KernelPointers &pointers)>;

  /// Rows at `padding` and outside of [0, rows) come last.
  RowSort(int64_t count, int64_t rows, std::optional<int64_t> padding = std::nullopt)
      : blocks(count), rows(rows), padding(padding) {}
  int64_t workspaceBytes() const;
  void emit(DeviceCode &code, MemoryOf memory) const;
  /// The row that a place names; `rows` for those that come last.
  Value keyOf(DeviceEmitter &e, Value index, Value place) const;

  const IndexBlocks blocks;

private:
  static constexpr int64_t digitBits = 8, digits = int64_t(1) << digitBits;
  int64_t passes() const { return llvm::divideCeil(llvm::Log2_64(rows) + 1, digitBits); }
  /// Of a pass; null: places in their order.
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

/// Bits of a warp's threads in front of this one.
mlir::Value threadsBefore(DeviceEmitter &e);
mlir::Value countBits(DeviceEmitter &e, mlir::Value bits);

} // namespace ampc::nvptx
#endif
