// What kernels of tiles of scores share: places, masks, bias, results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_FLASHBLOCK_H
#define LIB_TARGET_NVPTX_ATTENTION_FLASHBLOCK_H

#include "lib/Target/Common/Combine.h"
#include "lib/Target/NVPTX/Attention/RowTile.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Numbers of sixteen lines by eight columns in the registers of a warp: thread t has columns
/// 2 (t % 4) and the next of line t / 4, then of line t / 4 + 8.
using Square = std::array<mlir::Value, 4>;
/// Squares of some lines, those of the first sixteen first.
using Squares = llvm::SmallVector<Square>;

Squares unflatten(mlir::ValueRange values);
void append(llvm::SmallVectorImpl<mlir::Value> &values, const Squares &squares);

/// A block of threads. Rows of its tile of scores are its own, queries or keys; columns, the
/// others, pass by. Every warp has some of the rows.
class FlashBlock {
public:
  using Value = mlir::Value;
  FlashBlock(DeviceEmitter &e, const FlashShape &shape, const FlashTile &tile,
             const KernelPointers &pointers, bool ownsQueries);
  static int64_t count(const FlashShape &shape, const FlashTile &tile, bool ownsQueries);

  // Sizes.
  int64_t rowCount() const { return ownsQueries ? shape.queries : shape.keys; }
  int64_t columnCount() const { return ownsQueries ? shape.keys : shape.queries; }
  int64_t warpBlocks() const { return tile.warpRows / 16; } // of sixteen rows
  int64_t columnTiles() const { return tile.columns / 8; }
  RowTile ownTile() const { return {tile.rows(), shape.width}; }
  RowTile passingTile() const { return {tile.columns, shape.width}; }

  // Places.
  /// The tiles of columns that some row has to do with, as positions.
  std::pair<Value, Value> tileRange();
  /// Whether a block may have none: queries that see no key. Every key is seen.
  bool mayMeetNothing() const { return ownsQueries && shape.causal && shape.offset() < 0; }
  /// The thread's row in block `i` of its warp, the upper or lower one.
  Value row(int64_t i, int64_t half);
  /// The same, or the last one if it does not exist; a position.
  Value existingRow(int64_t i, int64_t half);
  /// The first of the thread's two columns among the first eight of a tile: a position.
  Value column(Value tileNumber);
  /// The same, counted from the tile's first column: an i32.
  Value pairColumn() { return pair; }
  Value warpNumber() { return warp; }
  Value warpStart() { return e.mul32(warp, tile.warpRows); } // in the tile
  Value memory() { return e.sharedMemory(memoryAlignment(shape)); }
  /// Alignment of tiles in bytes: on warpgroups the swizzle of 128 bytes repeats after 1024.
  static int64_t memoryAlignment(const FlashShape &shape) { return shape.warpgroups ? 1024 : 128; }
  Value rowStart(const RowLayout &layout, Value pointer); // of the entry's first row
  Value firstRow() { return first; }
  RowCopy copyOf(unsigned operand, const RowTile &rows, int64_t count);

  // Scores.
  /// Replaces numbers of pairs that do not see each other, or do not exist.
  void hide(Squares &numbers, Value tileNumber, double hidden);
  /// Products of queries and keys become scores.
  void scaleAndBias(Squares &products, Value tileNumber);
  /// Part `part` of an operand (part, row), at the thread's row.
  Value rowNumber(unsigned operand, int64_t part, int64_t i, int64_t half);

  // Functions of f32.
  Value exp2(Value x);
  Value fma(Value x, Value y, Value z);
  Value mul(Value x, Value y);
  Value sub(Value x, Value y);
  Value add(Value x, Value y);
  Value number(double value) { return e.constant(e.b.getF32Type(), value); }
  Value isNumber(Value x, double value);
  /// Two numbers of 16 bits in an i32.
  Value roundPair(Value low, Value high, mlir::Type element);
  /// Of the four threads with a line.
  Value combineQuad(kernel::Combine kind, Value x);

  // Results.
  /// Rows of sums, that of block i and half times factors[2 i + half], as far as there are some.
  void storeRows(const Squares &sums, llvm::ArrayRef<Value> factors, unsigned result);
  /// Of a result (part, row), by one of the threads that have the row.
  void storeRowNumber(Value number, unsigned result, int64_t part, int64_t i, int64_t half);
  /// The thread's numbers of a tile, at their row and column; result maps end with (query, key).
  void storeScores(const Squares &numbers, Value tileNumber, unsigned result);

  DeviceEmitter &e;
  const FlashShape &shape;
  const FlashTile &tile;
  const KernelPointers &pointers;
  const bool ownsQueries;

private:
  Value bound(Value row);
  Value shuffleXor(Value x, int64_t mask);
  void storeChunks(const Squares &sums, llvm::ArrayRef<Value> factors, unsigned result);
  void storeElements(const Squares &sums, llvm::ArrayRef<Value> factors, unsigned result);
  /// Threads exchange pieces of four tiles, so that each has all of one.
  void transposeQuad(llvm::MutableArrayRef<Value> words);
  void whenRow(Value row, llvm::function_ref<void()> body);
  bool liesInPairs(const RowLayout &scores) const;
  /// Calls `use` with every number of a tile and its bias.
  void forBias(Value tileNumber, llvm::function_ref<void(int64_t square, int64_t i, Value)> use);
  /// Position of (row, column) in a tensor of scores.
  Value scorePosition(const RowLayout &layout, Value row, Value column);

  llvm::SmallVector<Value> batch;
  Value first;                  // row of the block, an i32
  Value warp, lane, line, pair; // lane / 4, 2 (lane % 4)
};

} // namespace ampc::nvptx
#endif
