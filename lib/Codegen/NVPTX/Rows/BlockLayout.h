// Shared memory of a block with a single row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ROWS_BLOCKLAYOUT_H
#define LIB_CODEGEN_NVPTX_ROWS_BLOCKLAYOUT_H

#include "lib/Codegen/Common/SumOrder.h"
#include "lib/Codegen/NVPTX/Rows/RowShape.h"

namespace ampc::nvptx {

/// Buffer of chunks of `vector` elements, split into planes of at most 16 bytes per chunk:
/// [pieces][chunks][16 bytes], so that neighbouring threads access neighbouring banks.
struct ChunkBuffer {
  using Value = mlir::Value;
  int64_t offset = 0, planeBytes = 0; // in bytes
  int64_t vector = 0, pieceElements = 0, elementBytes = 0;

  ChunkBuffer() = default;
  ChunkBuffer(mlir::Type element, int64_t vector, int64_t chunks);
  int64_t pieceBytes() const { return pieceElements * elementBytes; }
  int64_t pieces() const { return vector / pieceElements; }
  int64_t bytes() const { return pieces() * planeBytes; }

  /// Address of a piece of a chunk, or of the chunk's element i.
  Value place(DeviceEmitter &e, Value chunk, int64_t piece) const;
  Value place(DeviceEmitter &e, Value chunk, Value i) const;
  llvm::SmallVector<Value> load(DeviceEmitter &e, mlir::Type element, Value chunk) const;
  void store(DeviceEmitter &e, llvm::ArrayRef<Value> values, Value chunk) const;
};

/// Threads in groups; a group reads 512 neighbouring columns at a time and sums parts of 8192
/// columns of the row, in the order of target::order: part p belongs to group p % groups. A thread
/// reads a chunk in each step, always of the same columns modulo 512. Example of 50257 columns in
/// f32: 7 parts, 7 groups of 128 threads, a round of 16 steps.
struct BlockLayout {
  using Value = mlir::Value;

  BlockLayout(const RowShape &shape, const Chip &chip);
  int64_t groupThreads() const { return target::order::rowWidth / vector; }
  int64_t threads() const { return groups * groupThreads(); }
  int64_t rounds() const { return llvm::divideCeil(parts, groups); }

  int64_t vector, chunks, parts, groups, steps;
  /// Inputs copied to shared memory before the first stage, and values that a stage stores there.
  llvm::MapVector<Value, ChunkBuffer> kept;
  /// Memory of a reduction: sums of columns per group, and sums of parts.
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

  llvm::SmallVector<Value> replaced; // inputs whose buffer a later stage reuses
};

} // namespace ampc::nvptx
#endif
