// Shared memory of a block that has one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ROWS_BLOCKLAYOUT_H
#define LIB_TARGET_NVPTX_ROWS_BLOCKLAYOUT_H

#include "lib/Target/NVPTX/Rows/RowShape.h"

namespace ampc::nvptx {

/// Elements of chunks, those of one chunk in planes of at most 16 bytes each, so that neighbouring
/// threads find theirs in neighbouring banks.
struct ChunkBuffer {
  using Value = mlir::Value;
  int64_t offset = 0, planeBytes = 0; // bytes
  int64_t vector = 0, pieceElements = 0, elementBytes = 0;

  ChunkBuffer() = default;
  ChunkBuffer(mlir::Type element, int64_t vector, int64_t chunks, int64_t padding);
  int64_t pieceBytes() const { return pieceElements * elementBytes; }
  int64_t pieces() const { return vector / pieceElements; }
  int64_t bytes() const { return pieces() * planeBytes; }

  /// Where a piece of a chunk is, or its element i.
  Value place(DeviceEmitter &e, Value chunk, int64_t piece) const;
  Value place(DeviceEmitter &e, Value chunk, Value i) const;
  llvm::SmallVector<Value> load(DeviceEmitter &e, mlir::Type element, Value chunk) const;
  void store(DeviceEmitter &e, llvm::ArrayRef<Value> values, Value chunk) const;
};

struct BlockLayout {
  using Value = mlir::Value;
  static constexpr int64_t chains = 64; // sums of a row, one a column of a block of 64

  BlockLayout(const RowShape &shape, const Chip &chip);
  int64_t tileColumns() const { return threads * vector; }
  int64_t warps() const { return threads / 32; }

  int64_t vector, threads, chunks, tiles;
  /// Inputs that lie in shared memory before the first stage, and values that a stage leaves there.
  llvm::MapVector<Value, ChunkBuffer> kept;
  /// Of ordered sums: terms, twice, since one tile is added up while the next is made; then by
  /// reduction: sums of columns, what is left of the row, the result.
  struct Sum {
    ChunkBuffer terms;
    int64_t nextTile = 0; // bytes between the two
    int64_t columns = 0, rest = 0, result = 0;
  };
  llvm::DenseMap<Value, Sum> sums;
  /// Others: one number per warp.
  llvm::DenseMap<Value, int64_t> perWarp;
  int64_t bytes = 0;

private:
  bool place(const RowShape &shape, const Chip &chip, int64_t count);
  int64_t take(int64_t size);
  void placeSums(const RowShape &shape);
  void placeTerms(const RowShape &shape);
  bool keep(const RowShape &shape, Value value, int64_t most);
  bool takePlace(const RowShape &shape, Value value);

  llvm::SmallVector<Value> replaced; // inputs whose place has another value from some stage on
};

} // namespace ampc::nvptx
#endif
