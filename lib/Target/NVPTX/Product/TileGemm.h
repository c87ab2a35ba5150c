// Which products run on matrix units, in which tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILEGEMM_H
#define LIB_TARGET_NVPTX_PRODUCT_TILEGEMM_H

#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/Common/IterationSpace.h"
#include "lib/Target/NVPTX/Product/TileChoice.h"

namespace ampc::nvptx {

/// Discardable attribute of an op with a product, for measurements: the members of a TilePick. Code
/// is written in that way or not at all. Of no members: as the model chooses, without the table.
constexpr llvm::StringLiteral pickName = "code.tile";
/// Nothing: the op has none, or no members that any pick could have.
std::optional<TilePick> givenPick(mlir::Operation *op);

/// Where one side of a product lies: lines of neighbouring elements, along k or across it.
struct SideLayout {
  target::Access access; // of (batch..., m, n, k); of products that are one in memory
  bool alongDepth;
  int64_t lineStride; // elements from line to line
  int64_t copyBytes;  // that are aligned wherever a line starts: 16, 8, 4, or 2 for one of 16 bits
  int64_t lines;      // of m or n: as many as the result has
  bool isWindows = false; // of an image: no matrix that lies in memory
};

/// A product in tiles: of 16-bit numbers, or of f32 rounded to tf32, on matrix units; of f32, and
/// of what a chip's matrix units do not take, by multiply-adds of f32.
struct TileGemm {
  mlir::SmallVector<int64_t> batch; // sizes
  int64_t m, n, depth;
  mlir::Type element;
  std::string whyNoUnits; // empty: matrix units form it
  SideLayout lhs, rhs;
  TileShape tile;
  /// From the op's attribute code.tile, else from the table; whether the table counts.
  std::optional<TilePick> pick;
  bool readsTable = true;
  /// Cycles of a multiprocessor for the body at a point, beyond storing 16 bits. An estimate.
  double bodyCycles = 0;
  int64_t parts = 1, partDepth; // ranges of k, whose sums are added in order; points of a range
  bool readsAhead = true;       // copies through registers begin behind the last step, too

  /// Nothing, and a reason, if there is no such code for it.
  static std::optional<TileGemm> of(kernel::GemmOp op, const Chip &chip, std::string &why);
  /// The sums of a convolution: lines are its windows, and k their taps and channels.
  static std::optional<TileGemm> of(kernel::ConvOp op, const target::Window &window,
                                    const Chip &chip, std::string &why);
  /// The gradient of its filter: lines are outputs, columns the filter's taps and channels, and k
  /// the windows.
  static std::optional<TileGemm> of(kernel::ConvFilterOp op, const target::Window &window,
                                    const Chip &chip, std::string &why);
  /// Takes a tile, and on matrix units parts of the sum: `given` of them, or as many as are worth
  /// it if 0.
  void choose(const Chip &chip, int64_t given);
  /// Cuts the sum behind every `points` of k.
  void cut(int64_t points);

  /// All that its tile depends on.
  ProductSize size() const;
  /// The way in which `choose` has it formed, and the model's cycles of that.
  TilePick picked() const;
  double cycles(const Chip &chip) const;

  bool onMatrixUnits() const { return whyNoUnits.empty(); }

  int64_t tilesM() const { return llvm::divideCeil(m, tile.m); }
  int64_t tilesN() const { return llvm::divideCeil(n, tile.n); }
  int64_t batches() const { return mlir::ShapedType::getNumElements(batch); }
  int64_t blocks() const { return tilesM() * tilesN() * batches(); } // of a part
  int64_t results() const { return m * n * batches(); }
  int64_t elementBytes() const { return element.isF32() ? 4 : 2; }
  /// Points of k of a step.
  int64_t stepDepth() const { return tile.lineBytes / elementBytes(); }
  int64_t steps() const { return llvm::divideCeil(depth, stepDepth()); }
  /// Whether the last step of k, or of a part of it, has fewer points.
  bool endsInStep() const {
    return (parts > 1 ? partDepth : depth) % stepDepth() || depth % stepDepth();
  }
  /// Bytes of a step of both sides.
  int64_t stageBytes() const {
    return (tile.m + tile.n) * (onMatrixUnits() ? tile.lineBytes : 4 * stepDepth());
  }
  int64_t ringBytes() const { return tile.stages * stageBytes(); }
  /// Partial sums lie in the workspace as [parts, batch, m, n].
  int64_t workspaceBytes() const { return parts == 1 ? 0 : parts * results() * 4; }
  std::string describe() const;
};

} // namespace ampc::nvptx
#endif
