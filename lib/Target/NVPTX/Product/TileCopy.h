// From global memory to a tile in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILECOPY_H
#define LIB_TARGET_NVPTX_PRODUCT_TILECOPY_H

#include "lib/Target/NVPTX/Product/SharedTile.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// The steps of one side along k, in tiles of shared memory.
class StepCopy {
public:
  using Value = mlir::Value;
  virtual ~StepCopy();
  const SharedTile &tile() const { return shared; }
  /// What this thread reads of step 0, and of the step after another.
  virtual Value firstSource() const = 0;
  virtual Value nextSource(Value source) = 0;
  /// Starts the copies of a step, of which `left` points of k are left, to a tile at `target`.
  virtual void issue(Value target, Value source, Value left) = 0;

protected:
  SharedTile shared;
};

/// Lines of a matrix. Threads lie over chunks of neighbouring lines; what is outside of the operand
/// becomes zeros.
class TileCopy : public StepCopy {
public:
  /// `first`: the first line or column of the tile in the result; `start`: where the side of the
  /// block's entry of the batch starts.
  TileCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
           Value start, Value first);

  Value firstSource() const override { return source; }
  Value nextSource(Value source) override { return e.advance(source, stepBytes); }
  void issue(Value target, Value source, Value left) override;

private:
  void copyChunk(Value target, Value source, Value isLine, Value column);
  void moveElements(Value target, Value source, Value isLine, Value column);

  DeviceEmitter &e;
  const TileGemm &gemm;
  const SideLayout &side;
  Value start, source;
  Value line, column; // of the thread's first chunk in the tile; elements
  Value firstLine;    // of the tile, in the result
  Value offset;       // of the first chunk in the tile
  int64_t linesPerPass, passes, stepBytes;
};

} // namespace ampc::nvptx
#endif
