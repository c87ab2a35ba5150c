// From global memory to a tile in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILECOPY_H
#define LIB_TARGET_NVPTX_PRODUCT_TILECOPY_H

#include "lib/Target/NVPTX/Product/SharedTile.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// The steps of one side along k. Threads lie over chunks of neighbouring lines; what is outside of
/// the operand becomes zeros.
class TileCopy {
public:
  using Value = mlir::Value;
  /// `first`: the first line or column of the tile in the result; `start`: where the side of the
  /// block's entry of the batch starts.
  TileCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
           Value start, Value first);

  const SharedTile &tile() const { return shared; }
  /// Where this thread reads of step 0.
  Value firstSource() const { return source; }
  Value nextSource(Value source) { return e.advance(source, stepBytes); }
  /// Starts the copies of a step, of which `left` points of k are left, to a tile at `target`.
  void issue(Value target, Value source, Value left);

private:
  void copyChunk(Value target, Value source, Value isLine, Value column);
  void moveElements(Value target, Value source, Value isLine, Value column);

  DeviceEmitter &e;
  const TileGemm &gemm;
  const SideLayout &side;
  SharedTile shared;
  Value start, source;
  Value line, column; // of the thread's first chunk in the tile; elements
  Value firstLine;    // of the tile, in the result
  Value offset;       // of the first chunk in the tile
  int64_t linesPerPass, passes, stepBytes;
};

} // namespace ampc::nvptx
#endif
