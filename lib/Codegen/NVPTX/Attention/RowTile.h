// Rows of an attention operand: copies from global to shared memory, and loads of fragments to
// registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_ROWTILE_H
#define LIB_CODEGEN_NVPTX_ATTENTION_ROWTILE_H

#include "lib/Codegen/NVPTX/Attention/FlashShape.h"
#include "lib/Codegen/NVPTX/Product/Fragments.h"

namespace ampc::nvptx {

/// Layout of 16-bit rows in shared memory: [panels][rows][64 channels], the last panel with 32
/// channels if these hold the rest. So any width wastes few bytes, and each panel has the swizzle
/// of its width.
struct RowTile {
  int64_t rows, width;

  static constexpr int64_t panelChannels = 64, panelChunks = 8;
  int64_t panels() const { return llvm::divideCeil(width, panelChannels); }
  /// Whether the last panel has 32 channels, e.g. width 96 -> 64 + 32.
  bool endsNarrow() const {
    int64_t rest = width % panelChannels;
    return rest > 0 && rest <= panelChannels / 2;
  }
  SharedTile panel(int64_t number) const {
    return {rows, endsNarrow() && number + 1 == panels() ? panelChunks / 2 : panelChunks};
  }
  int64_t panelStart(int64_t number) const { return number * rows * 16 * panelChunks; }
  int64_t bytes() const { return panelStart(panels() - 1) + panel(panels() - 1).bytes(); }
};

/// Copies rows of an operand to tiles by cp.async. Consecutive threads copy consecutive chunks of a
/// row, then the next row; elements out of range become zeros.
class RowCopy {
public:
  using Value = mlir::Value;
  /// `start`: address of the entry's rows, of which there are `count`.
  RowCopy(DeviceEmitter &e, const FlashShape &shape, const RowLayout &layout, int64_t count,
          const RowTile &tile, int64_t threads, Value start);
  /// Issues the copies of the tile whose first row has index `first`.
  void issue(Value target, Value first);

private:
  void issuePanel(Value target, Value source, Value first, int64_t panel);
  void copyChunk(Value target, Value source, Value isRow, Value present);

  DeviceEmitter &e;
  const RowLayout &layout;
  int64_t width, count, copyBytes, threads;
  RowTile tile;
  Value start;
};

/// Loads a tile as a warp's fragments of one side of a product: `lines` lines, starting at `first`.
/// Along the depth, a line is a row and k a channel; across, a line is a channel and k a row.
class RowFragments {
public:
  using Value = mlir::Value;
  static RowFragments left(DeviceEmitter &e, const RowTile &tile, int64_t lines, Value first);
  static RowFragments rightRows(DeviceEmitter &e, const RowTile &tile);
  static RowFragments rightChannels(DeviceEmitter &e, const RowTile &tile);
  /// Fragment of lines 16 i to 16 i + 15 and k from 16 k to 16 k + 15 of the tile at `base`.
  Fragment load(Value base, int64_t i, int64_t k);

private:
  RowFragments(DeviceEmitter &e, const RowTile &tile, bool isLeft, bool alongDepth, int64_t lines,
               Value first);

  DeviceEmitter &e;
  RowTile tile;
  bool alongDepth;
  llvm::SmallVector<FragmentLoader, 2> loaders; // for whole panels, and for the last panel
};

} // namespace ampc::nvptx
#endif
