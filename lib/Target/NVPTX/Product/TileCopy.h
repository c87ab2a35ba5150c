// From global memory to a tile in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILECOPY_H
#define LIB_TARGET_NVPTX_PRODUCT_TILECOPY_H

#include "lib/Target/NVPTX/Product/SharedTile.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

constexpr int64_t chunkBytes = 16;

/// The steps of one side along k, in tiles of shared memory, by `gemm.tile.threads()` neighbouring
/// threads.
class StepCopy {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;
  StepCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines);
  virtual ~StepCopy();
  const SharedTile &tile() const { return shared; }
  int64_t tileBytes() const {
    return gemm.onMatrixUnits() ? shared.bytes() : 4 * gemm.stepDepth() * tileLines;
  }
  /// Whether copies run while the thread goes on; else they go through its registers.
  bool isAsync() const {
    return gemm.onMatrixUnits() && side.copyBytes > 2 && e.chip.hasAsyncCopy();
  }
  /// Without matrix units: bytes from a tile's start to the number of `line`, a multiple of 4 below
  /// 64, and the same of lines 64 further on, at a point of k.
  Value numberOffset(Value line, int64_t k);
  /// Whether all of the tiles that are copied from now on is known to be inside of the operand.
  void setInside(bool is) { isInside = is; }
  /// The sum ends at this point of k, an i32.
  void endAt(Value point) { depthEnd = point; }
  /// What this thread reads of the step that begins at point `k`, and of the step after another.
  virtual Value firstSource(Value k) const = 0;
  virtual Value nextSource(Value source) = 0;
  /// Starts the copies of the step that begins at point `k` to a tile at `target`. Returns what
  /// `end` is to store, which is nothing of asynchronous ones; the others may be past the last
  /// step.
  virtual Values begin(Value target, Value source, Value k) = 0;
  virtual void end(Value target, llvm::ArrayRef<Value> moved);

protected:
  /// Lines of the result's tile: as many as this one has, or several times as many.
  int64_t wholeLines() const { return &side == &gemm.lhs ? gemm.tile.m : gemm.tile.n; }
  bool endsAlongDepth() const;
  /// Whether rows of the tile, or its columns, may be outside of the operand.
  bool endsInRows() const;
  bool endsInColumns() const;
  /// Elements from a number on that are there: may be none, or more than there are places.
  Value left(Value limit, Value number);
  /// A chunk of every pass, to the tile; without matrix units as numbers of f32, a row for each
  /// point of k.
  void store(Value target, llvm::ArrayRef<Values> chunks);
  void storeNumbers(Value target, llvm::ArrayRef<Values> chunks);
  /// A chunk in pieces, each there or not (null: it is); `safe` can be read always.
  void beginPieces(Value to, llvm::ArrayRef<Value> from, llvm::ArrayRef<Value> exists, Value safe,
                   Values &moved);
  /// Without matrix units: lines along k of which a warp reads chunks at once.
  int64_t linesOfWarp() const { return 32 / shared.chunks; }
  int64_t chunkElements() const { return chunkBytes / gemm.elementBytes(); }

  DeviceEmitter &e;
  const TileGemm &gemm;
  const SideLayout &side;
  int64_t tileLines;
  SharedTile shared;
  Value depthEnd;
  bool isInside = false;
  Value row, column; // of the thread's first chunk in the tile; elements
  Value offset;      // of that chunk
  int64_t rowsPerPass, passes;
};

/// Lines of a matrix. Threads lie over chunks of neighbouring lines; what is outside of the operand
/// becomes zeros.
class TileCopy : public StepCopy {
public:
  /// `first`: the first line or column of the tile in the result; `start`: where the side of the
  /// block's entry of the batch starts.
  TileCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
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
  Value firstLine; // of the tile, in the result
  int64_t stepBytes;
};

} // namespace ampc::nvptx
#endif
