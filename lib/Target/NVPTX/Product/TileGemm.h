// Which products run on matrix units, in which tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILEGEMM_H
#define LIB_TARGET_NVPTX_PRODUCT_TILEGEMM_H

#include "lib/Target/Common/IterationSpace.h"
#include "lib/Target/NVPTX/Chip.h"

namespace ampc::nvptx {

/// A block's tile of the result, bytes of a line of its steps along k, and how many steps are on
/// their way or in use. Warps lie in a grid of warpsM by warpsN.
struct TileShape {
  int64_t m, n, lineBytes, stages, warpsM, warpsN;

  int64_t threads() const { return 32 * warpsM * warpsN; }
  int64_t warpM() const { return m / warpsM; }
  int64_t warpN() const { return n / warpsN; }
};

/// Where one side of a product lies: lines of neighbouring elements, along k or across it.
struct SideLayout {
  target::Access access; // of (batch..., m, n, k)
  bool alongDepth;
  int64_t lineStride; // elements from line to line
  int64_t copyBytes;  // that are aligned wherever a line starts: 16, 8, 4, or 2 for one of 16 bits
  int64_t lines;      // of m or n: as many as the result has
};

/// A product of 16-bit numbers, or of f32 rounded to tf32, in tiles.
struct TileGemm {
  mlir::SmallVector<int64_t> batch, lines; // sizes; lines: of the dimensions that are m
  int64_t m, n, depth;
  mlir::Type element;
  SideLayout lhs, rhs;
  TileShape tile;

  /// Nothing, and a reason, if only the plain form has code for it.
  static std::optional<TileGemm> of(kernel::GemmOp op, const Chip &chip, std::string &why);
  /// A convolution: lines are its windows, and k their taps and channels, of which a chunk of 16
  /// bytes has one tap.
  static std::optional<TileGemm> of(kernel::ConvOp op, const Chip &chip, std::string &why);
  int64_t tilesM() const { return llvm::divideCeil(m, tile.m); }
  int64_t tilesN() const { return llvm::divideCeil(n, tile.n); }
  int64_t blocks() const { return tilesM() * tilesN() * mlir::ShapedType::getNumElements(batch); }
  int64_t elementBytes() const { return element.isF32() ? 4 : 2; }
  /// Points of k of a step.
  int64_t stepDepth() const { return tile.lineBytes / elementBytes(); }
  int64_t steps() const { return llvm::divideCeil(depth, stepDepth()); }
  /// Bytes of a step of both sides.
  int64_t stageBytes() const { return (tile.m + tile.n) * tile.lineBytes; }
  int64_t ringBytes() const { return tile.stages * stageBytes(); }
  std::string describe() const;
};

} // namespace ampc::nvptx
#endif
