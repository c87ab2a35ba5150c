// Shared memory of a block that has one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ROWS_BLOCKLAYOUT_H
#define LIB_TARGET_NVPTX_ROWS_BLOCKLAYOUT_H

#include "lib/Target/Common/SumOrder.h"
#include "lib/Target/NVPTX/Rows/RowShape.h"

namespace ampc::nvptx {

/// Elements of chunks, those of one chunk in planes of at most 16 bytes each, so that neighbouring
/// threads find theirs in neighbouring banks.
struct ChunkBuffer {
  using Value = mlir::Value;
  int64_t offset = 0, planeBytes = 0; // bytes
  int64_t vector = 0, pieceElements = 0, elementBytes = 0;

  ChunkBuffer() = default;
  ChunkBuffer(mlir::Type element, int64_t vector, int64_t chunks);
  int64_t pieceBytes() const { return pieceElements * elementBytes; }
  int64_t pieces() const { return vector / pieceElements; }
  int64_t bytes() const { return pieces() * planeBytes; }

  /// Where a piece of a chunk is, or its element i.
  Value place(DeviceEmitter &e, Value chunk, int64_t piece) const;
  Value place(DeviceEmitter &e, Value chunk, Value i) const;
  llvm::SmallVector<Value> load(DeviceEmitter &e, mlir::Type element, Value chunk) const;
  void store(DeviceEmitter &e, llvm::ArrayRef<Value> values, Value chunk) const;
};

/// Threads in groups, each of which has 512 neighbouring columns at a time and adds up parts of the
/// row of 8192 columns, in the order of target::order: part p is that of group p % groups. A thread
/// has a chunk in each step, always of the same columns modulo 512. Example of 50257 columns in
/// f32: 7 parts, 7 groups of 128 threads, a round of 16 steps.
struct BlockLayout {
  using Value = mlir::Value;

  BlockLayout(const RowShape &shape, const Chip &chip);
  int64_t groupThreads() const { return target::order::rowWidth / vector; }
  int64_t threads() const { return groups * groupThreads(); }
  int64_t rounds() const { return llvm::divideCeil(parts, groups); }

  int64_t vector, chunks, parts, groups, steps;
  /// Inputs that lie in shared memory before the first stage, and values that a stage leaves there.
  llvm::MapVector<Value, ChunkBuffer> kept;
  /// Of a reduction: the sums of columns of each group, and those of parts.
  struct Sum {
    int64_t columns = 0, parts = 0;
  };
  llvm::DenseMap<Value, Sum> sums;
  int64_t bytes = 0;

private:
  int64_t take(int64_t size);
  void placeSums(const RowShape &shape);
  bool keep(const RowShape &shape, Value value, int64_t most);
  bool takePlace(const RowShape &shape, Value value);

  llvm::SmallVector<Value> replaced; // inputs whose place has another value from some stage on
};

} // namespace ampc::nvptx
#endif
