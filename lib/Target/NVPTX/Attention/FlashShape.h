// Which attentions run on matrix units, in which tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_FLASHSHAPE_H
#define LIB_TARGET_NVPTX_ATTENTION_FLASHSHAPE_H

#include "lib/Target/Common/IterationSpace.h"
#include "lib/Target/NVPTX/Chip.h"

namespace ampc::nvptx {

/// Rows of a tensor: its access ends with (row, column), that of a logsumexp with (part, query).
struct RowLayout {
  target::Access access;
  mlir::Type element;
  int64_t alignment; // bytes at multiples of which the tensor starts

  int64_t columnStride() const { return access.strides.back(); }
  int64_t rowStride() const { return access.strides.end()[-2]; }
  /// Whether rows of a batch of these sizes start at multiples of this many elements, at most 16
  /// bytes.
  bool startsAt(int64_t multiple, llvm::ArrayRef<int64_t> batch) const;
};

/// An attention or its gradient whose factors have 16 bits. Scores exist in tiles, and only in
/// registers (Dao 2023, FlashAttention-2).
struct FlashShape {
  llvm::SmallVector<int64_t> batch;
  int64_t queries, keys, width;
  double scale;
  bool causal, biased;
  mlir::Type element; // of factors
  bool warpgroups;    // form products, not single warps
  llvm::SmallVector<RowLayout> operands, results;

  /// Nothing, and a reason, if only the plain form has code for it.
  static std::optional<FlashShape> of(kernel::AttentionOp op, const Chip &chip, std::string &why);
  static std::optional<FlashShape> of(kernel::AttentionGradOp op, const Chip &chip,
                                      std::string &why);

  int64_t entries() const { return mlir::ShapedType::getNumElements(batch); }
  /// Query i sees the keys up to i + offset().
  int64_t offset() const { return keys - queries; }
  /// Steps of 16 channels, and tiles of 8, that products take.
  int64_t depthSteps() const { return llvm::divideCeil(width, 16); }
  int64_t channelTiles() const { return llvm::divideCeil(width, 8); }
  std::string formName() const { return warpgroups ? "flash on warpgroups:" : "flash:"; }
  /// Bytes that can be copied at once, wherever a row starts: 16, 8 or 4.
  int64_t copyBytes(const RowLayout &rows) const;
};

/// A block's tile of scores: rows of its own, some per warp, and columns that pass by, in a ring of
/// stages.
struct FlashTile {
  int64_t warps, warpRows, columns, stages;

  int64_t threads() const { return 32 * warps; }
  int64_t rows() const { return warps * warpRows; }
  std::string describe() const;
  /// Warps that have something to do; at least two, since fewer threads do not fill a pass of
  /// copies, or a warpgroup.
  FlashTile forRows(int64_t count, const FlashShape &shape) const {
    FlashTile tile = *this;
    while (tile.warps > (shape.warpgroups ? 4 : 2) && tile.rows() / 2 >= count)
      tile.warps /= 2;
    return tile;
  }
};

} // namespace ampc::nvptx
#endif
