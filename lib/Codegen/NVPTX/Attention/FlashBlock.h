// Shared parts of kernels with tiles of scores: positions, masks, bias, results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_FLASHBLOCK_H
#define LIB_CODEGEN_NVPTX_ATTENTION_FLASHBLOCK_H

#include "lib/Codegen/Common/Combine.h"
#include "lib/Codegen/NVPTX/Attention/RowTile.h"
#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Accumulator fragment of mma m16n8, 16 rows by 8 columns in the registers of a warp: thread t has
/// columns 2 (t % 4) and 2 (t % 4) + 1 of row t / 4, then of row t / 4 + 8.
using Accumulator = std::array<mlir::Value, 4>;
/// Fragments of a tile [rows, columns]: all columns of the first 16 rows, then of the next 16 rows.
using Accumulators = llvm::SmallVector<Accumulator>;

Accumulators unflatten(mlir::ValueRange values);
void append(llvm::SmallVectorImpl<mlir::Value> &values, const Accumulators &squares);

/// A thread block of a flash attention kernel. Owned rows: rows of the score tile, queries or keys,
/// split over the warps. Columns are the other side, streamed through shared memory. Example:
/// forward, 4 warps of 32 queries and tiles of 64 keys: score tile [128, 64].
class FlashBlock {
public:
  using Value = mlir::Value;
  FlashBlock(DeviceEmitter &e, const FlashShape &shape, const FlashTile &tile,
             const KernelPointers &pointers, bool ownsQueries);
  static int64_t count(const FlashShape &shape, const FlashTile &tile, bool ownsQueries);

  // Sizes.
  int64_t rowCount() const { return ownsQueries ? shape.queries : shape.keys; }
  int64_t columnCount() const { return ownsQueries ? shape.keys : shape.queries; }
  int64_t warpBlocks() const { return tile.warpRows / 16; } // number of 16-row fragments per warp
  int64_t columnTiles() const { return tile.columns / 8; }
  RowTile ownTile() const { return {tile.rows(), shape.width}; }
  RowTile streamedTile() const { return {tile.columns, shape.width}; }

  // Positions. Range of the column tiles that are visible to any row of the block, as values of
  // type index.
  std::pair<Value, Value> tileRange();
  /// Whether a block may have no visible tile: queries that see no key. Every key is seen by a
  /// query.
  bool mayMeetNothing() const { return ownsQueries && shape.causal && shape.offset() < 0; }
  /// This thread's row in fragment `i` of the warp; `half` selects row t / 4 or t / 4 + 8. An i32.
  Value row(int64_t i, int64_t half);
  /// As `row`, clamped to the last row; a value of type index.
  Value existingRow(int64_t i, int64_t half);
  /// First of this thread's two columns among the first eight of a tile, of type index.
  Value column(Value tileNumber);
  /// As `column`, relative to the first column of the tile: an i32.
  Value pairColumn() { return pair; }
  Value warpNumber() { return warp; }
  Value warpStart() {
    return e.mul(warp, tile.warpRows);
  } // first row of the warp within the
    // tile
  Value memory() { return e.sharedMemory(memoryAlignment(shape)); }
  /// Alignment of tiles in bytes: for wgmma the 128-byte swizzle repeats after 1024 bytes.
  static int64_t memoryAlignment(const FlashShape &shape) { return shape.warpgroups ? 1024 : 128; }
  Value rowStart(const RowLayout &layout, Value pointer); // address of the first row of the batch
                                                          // entry
  Value firstRow() { return first; }
  RowCopy copyOf(unsigned operand, const RowTile &rows, int64_t count);

  // Scores. Replaces masked pairs and pairs out of range by `hidden`.
  void hide(Accumulators &numbers, Value tileNumber, double hidden);
  /// Products of queries and keys become scores: scale, then bias.
  void scaleAndBias(Accumulators &products, Value tileNumber);
  /// Element (part, row) of an operand [2, queries], such as the logsumexp, at the thread's row.
  Value rowNumber(unsigned operand, int64_t part, int64_t i, int64_t half);

  // Functions of f32. Base 2 exponential, approximated by the hardware (ex2.approx).
  Value exp2(Value x);
  Value fma(Value x, Value y, Value z);
  Value mul(Value x, Value y);
  Value sub(Value x, Value y);
  Value add(Value x, Value y);
  Value number(double value) { return e.constant(e.b.getF32Type(), value); }
  Value isNumber(Value x, double value);
  /// Two 16-bit numbers packed into an i32, `low` in the lower half.
  Value roundPair(Value low, Value high, mlir::Type element);
  /// Combines `x` over the four threads that share a row.
  Value combineQuad(kernel::Combine kind, Value x);

  // Results. Stores rows of accumulators that are in range; the row of fragment i and `half` is
  // multiplied by factors[2 i + half].
  void storeRows(const Accumulators &sums, llvm::ArrayRef<Value> factors, unsigned result);
  /// Stores element (part, row) of a result [2, queries], by the first of the four threads that
  /// share the row.
  void storeRowNumber(Value number, unsigned result, int64_t part, int64_t i, int64_t half);
  /// Stores this thread's scores of a tile; result maps end with (query, key).
  void storeScores(const Accumulators &numbers, Value tileNumber, unsigned result);

  DeviceEmitter &e;
  const FlashShape &shape;
  const FlashTile &tile;
  const KernelPointers &pointers;
  const bool ownsQueries;

private:
  Value bound(Value row);
  Value shuffleXor(Value x, int64_t mask);
  void storeChunks(const Accumulators &sums, llvm::ArrayRef<Value> factors, unsigned result);
  void storeElements(const Accumulators &sums, llvm::ArrayRef<Value> factors, unsigned result);
  /// 4x4 transpose among the four threads of a row: thread t, with piece t of four tiles, gets all
  /// four pieces of tile t.
  void transposeQuad(llvm::MutableArrayRef<Value> words);
  void whenRow(Value row, llvm::function_ref<void()> body);
  bool liesInPairs(const RowLayout &scores) const;
  /// Calls `use` with every element of a tile and the bias of that element.
  void forBias(Value tileNumber, llvm::function_ref<void(int64_t square, int64_t i, Value)> use);
  /// Position of (row, column) in a tensor of scores [..., query, key].
  Value scorePosition(const RowLayout &layout, Value row, Value column);

  llvm::SmallVector<Value> batch;
  Value first;                  // first row of the block, an i32
  Value warp, lane, line, pair; // line: lane / 4; pair: 2 (lane % 4)
};

} // namespace ampc::nvptx
#endif
