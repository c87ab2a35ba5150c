// Rows of an operand of attention, from global to shared memory and on to registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_ROWTILE_H
#define LIB_TARGET_NVPTX_ATTENTION_ROWTILE_H

#include "lib/Target/NVPTX/Attention/FlashShape.h"
#include "lib/Target/NVPTX/Product/Fragments.h"

namespace ampc::nvptx {

/// Rows of 16-bit numbers in shared memory: panels of 64 channels one after the other, the last of
/// 32 if that holds the rest. So any width has few bytes without use, and the swizzle of its last
/// panel.
struct RowTile {
  int64_t rows, width;

  static constexpr int64_t panelChannels = 64, panelChunks = 8;
  int64_t panels() const { return llvm::divideCeil(width, panelChannels); }
  /// The last panel is a narrow one.
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

/// Copies rows of an operand to tiles. Threads lie over chunks of neighbouring rows; what is
/// outside of the operand becomes zeros.
class RowCopy {
public:
  using Value = mlir::Value;
  /// `start`: of the entry's rows, of which there are `count`.
  RowCopy(DeviceEmitter &e, const FlashShape &shape, const RowLayout &layout, int64_t count,
          const RowTile &tile, int64_t threads, Value start);
  /// Starts the copies of the tile whose first row is number `first`, an index.
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

/// What a warp reads of a tile as one side of a product: `lines` from `first` on. Along the depth a
/// line is a row and k its channels; across it a line is a channel and k the rows.
class RowFragments {
public:
  using Value = mlir::Value;
  static RowFragments left(DeviceEmitter &e, const RowTile &tile, int64_t lines, Value first);
  static RowFragments rightRows(DeviceEmitter &e, const RowTile &tile);
  static RowFragments rightChannels(DeviceEmitter &e, const RowTile &tile);
  /// Lines 16 i to 16 i + 15 and points 16 k to 16 k + 15 of the tile at `base`.
  Fragment load(Value base, int64_t i, int64_t k);

private:
  RowFragments(DeviceEmitter &e, const RowTile &tile, bool isLeft, bool alongDepth, int64_t lines,
               Value first);

  DeviceEmitter &e;
  RowTile tile;
  bool alongDepth;
  llvm::SmallVector<FragmentLoader, 2> loaders; // of whole panels, and of the last one
};

} // namespace ampc::nvptx
#endif
