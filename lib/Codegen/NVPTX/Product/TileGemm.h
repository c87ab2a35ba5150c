// Selection of GEMMs for tiled kernels, and of the tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_TILEGEMM_H
#define LIB_CODEGEN_NVPTX_PRODUCT_TILEGEMM_H

#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/Common/IterationSpace.h"
#include "lib/Codegen/NVPTX/Product/TileChoice.h"

namespace ampc::nvptx {

/// Layout of a GEMM operand: contiguous lines, along k or across k. Example: A [m, k] row-major is
/// along k with lineStride k.
struct SideLayout {
  target::Access access; // by (batch..., m, n, k), for operands that are matrices in memory
  bool alongDepth;
  int64_t lineStride;     // elements between lines
  int64_t copyBytes;      // aligned bytes per copy, for any line: 16, 8, 4, or 2 for single 16-bit
                          // numbers
  int64_t lines;          // rows or columns of the result
  bool isWindows = false; // windows of an image (implicit GEMM), not a matrix in memory
  unsigned operand = 0;   // number of the kernel's operand
};

/// A tiled GEMM: on matrix units for 16-bit numbers and for f32 rounded to tf32; by SIMT
/// multiply-adds of f32 for f32 and for types without matrix units on the chip.
struct TileGemm {
  mlir::SmallVector<int64_t> batch; // batch sizes
  int64_t m, n, depth;
  mlir::Type element;
  std::string whyNoUnits;      // reason against matrix units; empty: matrix units are used
  std::string whyNoWarpgroups; // reason of the op against warpgroups
  SideLayout lhs, rhs;
  TileShape tile = {};
  /// Row of Tiles.inc that `choose` has found.
  std::optional<TilePick> pick;
  /// SIMT: number of slices of k for the sums of other targets, bit for bit, and the points that a
  /// slice is a multiple of (0: k is not cut). Example: the gradient of a filter from 8 images of
  /// [14, 14] in 4 slices -> ranges 4, rangePoints 196.
  int64_t ranges = 1, rangePoints = 0;
  /// Cycles of a multiprocessor per point of the epilogue, beyond storing 16 bits. An estimate.
  double bodyCycles = 0;
  int64_t parts = 1, partDepth; // split-K slices, whose sums are added in order; points of k per
                                // slice
  bool readsAhead = true;       // copies through registers also load past the last k-tile

  /// Nothing, with a reason in `why`, if no tiled kernel supports the product.
  static std::optional<TileGemm> of(kernel::GemmOp op, const Chip &chip, std::string &why);
  /// Convolution as implicit GEMM: rows are windows [n * y * x], k are taps and channels.
  static std::optional<TileGemm> of(kernel::ConvOp op, const target::Window &window,
                                    const Chip &chip, std::string &why);
  /// Gradient of the filter as implicit GEMM: rows are outputs, columns the filter's taps and
  /// channels, and k the windows.
  static std::optional<TileGemm> of(kernel::ConvFilterOp op, const target::Window &window,
                                    const Chip &chip, std::string &why);
  /// Chooses a tile and a split-K factor: `given`, or the model's choice if 0.
  void choose(const Chip &chip, int64_t given, bool readsTable);
  /// Takes tile, stages and split-K factor from a plan; false, with a reason in `why`, if the chip
  /// has no such code.
  bool follow(kernel::PlanAttr plan, const Chip &chip, std::string &why);

  /// All properties that the choice of a tile depends on.
  ProductSize size() const;
  /// Plan made by `choose`, and the modelled cycles.
  TilePick picked() const;
  double cycles(const Chip &chip) const;

  bool onMatrixUnits() const { return whyNoUnits.empty(); }

  int64_t tilesM() const { return llvm::divideCeil(m, tile.m); }
  int64_t tilesN() const { return llvm::divideCeil(n, tile.n); }
  int64_t batches() const { return mlir::ShapedType::getNumElements(batch); }
  int64_t blocks() const { return tilesM() * tilesN() * batches(); } // per split-K slice
  int64_t results() const { return m * n * batches(); }
  int64_t elementBytes() const { return element.isF32() ? 4 : 2; }
  /// Points of k per k-tile.
  int64_t stepDepth() const { return tile.lineBytes / elementBytes(); }
  int64_t steps() const { return llvm::divideCeil(depth, stepDepth()); }
  /// Whether the last k-tile, of the sum or of a slice, is partial.
  bool endsInStep() const {
    return (parts > 1 ? partDepth : depth) % stepDepth() || depth % stepDepth();
  }
  /// Bytes of a k-tile of both operands.
  int64_t stageBytes() const {
    return (tile.m + tile.n) * (onMatrixUnits() ? tile.lineBytes : 4 * stepDepth());
  }
  int64_t ringBytes() const { return tile.stages * stageBytes(); }
  /// Partial sums in the workspace: f32 [parts, batch, m, n].
  int64_t workspaceBytes() const { return parts == 1 ? 0 : parts * results() * 4; }
  std::string describe() const;

private:
  /// Candidate tiles of the kind of kernel.
  mlir::SmallVector<TileSpeed> tiles(const Chip &chip) const {
    return onMatrixUnits() ? tileShapes(chip) : numberTiles(size(), chip);
  }
  void setTile(const TileShape &shape, const Chip &chip);
  /// Whether both operands are copied by cp.async.
  bool isAsync(const Chip &chip) const {
    return chip.hasAsyncCopy() && lhs.copyBytes > 2 && rhs.copyBytes > 2;
  }
  /// Cuts k into at most `count` slices of equal size, except for the last.
  void cut(int64_t count);
};

} // namespace ampc::nvptx
#endif
