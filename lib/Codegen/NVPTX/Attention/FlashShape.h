// Attentions on matrix units: shapes, and tiles of scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_FLASHSHAPE_H
#define LIB_CODEGEN_NVPTX_ATTENTION_FLASHSHAPE_H

#include "lib/Codegen/Common/IterationSpace.h"
#include "lib/Codegen/NVPTX/Chip.h"

namespace ampc::nvptx {

/// Layout of an operand's rows: the access ends with dimensions (row, column); for a logsumexp with
/// (part, query).
struct RowLayout {
  target::Access access;
  mlir::Type element;
  int64_t alignment; // alignment of the tensor's first byte, in bytes

  int64_t columnStride() const { return access.strides.back(); }
  int64_t rowStride() const { return access.strides.end()[-2]; }
  /// Whether the rows of all entries of a batch start at multiples of `multiple` elements (of at
  /// most 16 bytes).
  bool startsAt(int64_t multiple, llvm::ArrayRef<int64_t> batch) const;
};

/// Shape of an attention, or of an attention's gradient, with 16-bit factors. Scores exist only as
/// tiles in registers (Dao 2023, FlashAttention-2).
struct FlashShape {
  llvm::SmallVector<int64_t> batch;
  int64_t queries, keys, width;
  double scale;
  bool causal, biased;
  mlir::Type element; // element type of the factors
  bool warpgroups;    // wgmma forms the products, not mma.sync of single warps
  llvm::SmallVector<RowLayout> operands, results;

  static FlashShape of(kernel::AttentionOp op, bool warpgroups);
  static FlashShape of(kernel::AttentionGradOp op, bool warpgroups);

  int64_t entries() const { return mlir::ShapedType::getNumElements(batch); }
  /// Causal mask: query i sees keys up to i + offset(). Example: 3 queries, 5 keys -> offset 2.
  int64_t offset() const { return keys - queries; }
  /// k-steps of 16 channels, and tiles of 8 channels.
  int64_t depthSteps() const { return llvm::divideCeil(width, 16); }
  int64_t channelTiles() const { return llvm::divideCeil(width, 8); }
  std::string formName() const { return warpgroups ? "flash on warpgroups:" : "flash:"; }
  /// Bytes of a single cp.async for any row: 16, 8 or 4.
  int64_t copyBytes(const RowLayout &rows) const;
};
/// Reason why the chip's matrix units cannot form the products of the op; empty if they can.
std::string whyPlain(kernel::AttentionOp op, const FlashShape &shape, const Chip &chip);
std::string whyPlain(kernel::AttentionGradOp op, const FlashShape &shape, const Chip &chip);

/// Tile of scores of a block: owned rows, `warpRows` per warp, by streamed columns in a multistage
/// pipeline. Example: 4 warps x 32 rows by 64 columns is a [128, 64] tile.
struct FlashTile {
  int64_t warps, warpRows, columns, stages;

  FlashTile(int64_t warps, int64_t warpRows, int64_t columns, int64_t stages)
      : warps(warps), warpRows(warpRows), columns(columns), stages(stages) {}
  explicit FlashTile(kernel::ScoreTileAttr tile)
      : FlashTile(tile.getWarps(), tile.getRows(), tile.getColumns(), tile.getStages()) {}
  int64_t threads() const { return 32 * warps; }
  int64_t rows() const { return warps * warpRows; }
  std::string describe() const;
  /// Drops warps without rows. At least two warps remain (four with wgmma), since fewer threads do
  /// not fill a pass of copies, or a warpgroup.
  FlashTile forRows(int64_t count, const FlashShape &shape) const {
    FlashTile tile = *this;
    while (tile.warps > (shape.warpgroups ? 4 : 2) && tile.rows() / 2 >= count)
      tile.warps /= 2;
    return tile;
  }
};

} // namespace ampc::nvptx
#endif
