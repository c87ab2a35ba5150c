// Prepacked operand of GEMMs (kernel.pack): panel order of a tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_PACKEDSIDE_H
#define LIB_CODEGEN_CPU_PRODUCT_PACKEDSIDE_H

#include "lib/Codegen/CPU/Product/MicroTile.h"
#include "lib/Codegen/CPU/Product/Panels.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// Rows and columns [from, to) of a matrix, of type index.
struct MatrixBlock {
  mlir::Value row, rowEnd, column, columnEnd;
};

/// Operand packed by kernel.pack: panels one after the other, each over all of k. Depends on this
/// operand alone (the other operand counts as a single line), so that all GEMMs which read the copy
/// agree. Example: B [512, 1000] f32 on AVX-512: 32 panels [512, 32].
class PackedSide {
public:
  PackedSide(mlir::RankedTensorType type, const Tier &tier);
  /// The prepacked operand of `shape`; `lineDim`: dimension of the matrix that is lines.
  PackedSide(const ProductShape &shape, unsigned lineDim, const Tier &tier, int64_t taps = 1);

  int64_t panelCount() const { return panels; }
  int64_t linesPerPanel() const { return lines; }
  int64_t bytes() const { return panels * panelBytes(); }
  int64_t panelsPerTask() const;
  /// Fails, with an error at the op, if the panels need more than the planned bytes.
  mlir::LogicalResult checkSize(mlir::Operation *op, const Tier &tier) const;
  /// Whether both operands have the same order in memory.
  bool isLike(const PackedSide &other) const;
  /// Grid of `packBlock`: blocks of B whose rows and columns start at multiples of blockEdge, and
  /// end at multiples or at the edge of the matrix, hold whole panels and whole vectors of k.
  int64_t blockEdge(const Tier &tier) const;
  /// Makes `packBlock` write past the caches if vectors of a panel are whole cache lines; returns
  /// whether they are. `finishStreams` must run before another thread reads the panels.
  bool streamPanels(const Tier &tier);
  /// Whether blocks may end at multiples of `edge` within a row: not inside of a panel.
  bool mayCutRows(int64_t edge) const { return taps == 1 || source.lines % edge == 0; }

  /// Sets address and leading dimension (elements) of the matrix.
  void setMatrix(KernelEmitter &e, mlir::Value pointer, int64_t rowStride);
  /// Sets address and strides (elements) of the matrix: from line to line, from k to k.
  void setLines(KernelEmitter &e, mlir::Value pointer, int64_t lineStride, int64_t depthStride);
  /// Packs one whole panel.
  void packPanel(KernelEmitter &e, mlir::Value number, mlir::Value packed);
  /// Packs a block of B into all panels that the block touches.
  void packBlock(KernelEmitter &e, const MatrixBlock &block, mlir::Value packed);

private:
  /// Order of AMX tiles for A: [points / 16, lines, 16] pairs.
  bool hasTileOrder() const { return isLeft && tile.usesTiles(); }
  int64_t panelBytes() const { return tile.parts() * panelUnits * elementBytes(format.unit); }
  int64_t pointsPerTap() const { return points / taps; }
  mlir::Value panelAt(KernelEmitter &e, mlir::Value number, mlir::Value packed) const;
  void packLines(KernelEmitter &e, const MatrixBlock &block, mlir::Value firstPoint,
                 mlir::Value packed);
  void clearPadding(KernelEmitter &e, mlir::Value panel) const;

  int64_t planned = 0; // bytes
  ProductShape shape;
  bool isLeft;
  MicroTile tile;
  int64_t points, padded; // of k; of a panel, with zeros
  int64_t lines, panels, panelUnits;
  PanelFormat format;
  unsigned lineDim;
  /// Taps of a transposed filter, else 1. k is (tap, row of the matrix); rows hold the lines of all
  /// taps side by side, the last tap first: [rows, taps, lines].
  int64_t taps;
  StridedSource source; // a batch entry is a tap
};

} // namespace ampc::cpu
#endif
