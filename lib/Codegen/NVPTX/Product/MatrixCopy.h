// Copies from global memory to operand tiles in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_MATRIXCOPY_H
#define LIB_CODEGEN_NVPTX_PRODUCT_MATRIXCOPY_H

#include "lib/Codegen/NVPTX/Product/SharedTile.h"
#include "lib/Codegen/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

constexpr int64_t chunkBytes = 16;

/// Copies the k-tiles of an operand to shared memory, by `gemm.tile.threads()` neighbouring
/// threads.
class KTileCopy {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;
  KTileCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines);
  virtual ~KTileCopy();
  const SharedTile &tile() const { return shared; }
  int64_t tileBytes() const {
    return gemm.onMatrixUnits() ? shared.bytes() : 4 * gemm.stepDepth() * tileLines;
  }
  /// Whether copies are asynchronous (cp.async); otherwise the data passes through the thread's
  /// registers.
  bool isAsync() const {
    return gemm.onMatrixUnits() && side.copyBytes > 2 && e.chip.hasAsyncCopy();
  }
  /// SIMT layout: byte offset of `line` (a multiple of 4 below 64) at point `k`; the same offset,
  /// plus 256 bytes, for lines 64 further on.
  Value numberOffset(Value line, int64_t k);
  /// Declares that all tiles copied from now on are inside of the operand, or may be outside.
  void setInside(bool is) { isInside = is; }
  /// Ends the sum at a point of k (an i32), for a split-K slice.
  void endAt(Value point) { depthEnd = point; }
  /// Source address of this thread for the k-tile at point `k`, and for the k-tile after another.
  virtual Value firstSource(Value k) const = 0;
  virtual Value nextSource(Value source) = 0;
  /// Starts the copies of the k-tile at point `k` to the tile at `target`. Returns the registers
  /// that `end` stores, none for asynchronous copies. Loads through registers may be past the last
  /// k-tile.
  virtual Values begin(Value target, Value source, Value k) = 0;
  virtual void end(Value target, llvm::ArrayRef<Value> moved);

protected:
  /// Lines of the output tile: equal to the lines of this tile, or a multiple.
  int64_t wholeLines() const { return &side == &gemm.lhs ? gemm.tile.m : gemm.tile.n; }
  bool endsAlongDepth() const;
  /// Whether rows, or columns, of the tile may be outside of the operand.
  bool endsInRows() const;
  bool endsInColumns() const;
  /// Elements left from index `number` on: may be negative, or more than fit.
  Value left(Value limit, Value number);
  /// Stores a chunk per pass to the tile; for the SIMT kernel as f32, a row per point of k.
  void store(Value target, llvm::ArrayRef<Values> chunks);
  void storeSIMT(Value target, llvm::ArrayRef<Values> chunks);
  /// Starts the copies of a chunk in pieces, each with a condition (null: in range); `safe` is an
  /// address that can always be read.
  void beginPieces(Value to, llvm::ArrayRef<Value> from, llvm::ArrayRef<Value> exists, Value safe,
                   Values &moved);
  /// SIMT kernel: lines along k whose chunks a warp copies at once.
  int64_t linesOfWarp() const { return 32 / shared.chunks; }
  int64_t chunkElements() const { return chunkBytes / gemm.elementBytes(); }

  DeviceEmitter &e;
  const TileGemm &gemm;
  const SideLayout &side;
  int64_t tileLines;
  SharedTile shared;
  Value depthEnd;
  bool isInside = false;
  Value row, column; // of the thread's first chunk in the tile, in elements
  Value offset;      // byte offset of that chunk
  int64_t rowsPerPass, passes;
};

/// Operand that is a matrix in memory. Consecutive threads copy consecutive chunks of a line, then
/// the next line; elements outside of the operand become zeros.
class MatrixCopy : public KTileCopy {
public:
  /// `first`: first row or column of the tile in the result; `start`: address of the operand for
  /// the block's batch entry.
  MatrixCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
             Value start, Value first);

  Value firstSource(Value k) const override;
  Value nextSource(Value source) override { return e.advance(source, stepBytes); }
  Values begin(Value target, Value source, Value k) override;
  void end(Value target, llvm::ArrayRef<Value> moved) override;

private:
  void copyChunk(Value target, Value source, Value isRow, Value present, Values &moved);
  Values loadAnywhere(Value source, Value isRow, Value present);
  bool startsAnywhere() const { return side.copyBytes == 2; }

  Value start, source;
  Value firstLine; // first row or column of the tile in the result
  int64_t stepBytes;
};

} // namespace ampc::nvptx
#endif
