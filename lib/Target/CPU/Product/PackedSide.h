// A side of products that is packed before: how a tier keeps it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_PACKEDSIDE_H
#define LIB_TARGET_CPU_PRODUCT_PACKEDSIDE_H

#include "lib/Target/CPU/Product/MicroTile.h"
#include "lib/Target/CPU/Product/Panels.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// Rows and columns [from, to) of a matrix, of type index.
struct MatrixBlock {
  mlir::Value row, rowEnd, column, columnEnd;
};

/// The other side has one line: it has no say.
class PackedSide {
public:
  PackedSide(mlir::RankedTensorType type, const Tier &tier);
  /// The side of `shape` that is packed before; `lineDim`: which dimension of its matrix is lines.
  PackedSide(const ProductShape &shape, unsigned lineDim, const Tier &tier, int64_t taps = 1);

  int64_t panelCount() const { return panels; }
  int64_t linesPerPanel() const { return lines; }
  int64_t bytes() const { return panels * panelBytes(); }
  int64_t panelsPerTask() const;
  /// Fails, with an error at the op, if the memory that was planned does not suffice.
  mlir::LogicalResult checkSize(mlir::Operation *op, const Tier &tier) const;
  /// Whether the bytes have the same order.
  bool isLike(const PackedSide &other) const;
  /// Blocks of a right side that start at multiples of this in both dimensions, and end there or at
  /// the edge of the matrix, are whole numbers of panels by steps of what packs them.
  int64_t blockEdge(const Tier &tier) const;
  /// From now on `packBlock` writes past the caches, if a panel's vectors are whole lines of them:
  /// `finishStreams` comes before another thread reads what it wrote. Returns whether they are.
  bool streamPanels(const Tier &tier);
  /// Whether such blocks may end at multiples of `edge` within a row: not if that is within a
  /// panel.
  bool mayCutRows(int64_t edge) const { return taps == 1 || source.lines % edge == 0; }

  /// Where the matrix is from now on, and how many elements its rows are apart.
  void setMatrix(KernelEmitter &e, mlir::Value pointer, int64_t rowStride);
  /// The same by how far neighbouring lines and neighbours in k are apart.
  void setLines(KernelEmitter &e, mlir::Value pointer, int64_t lineStride, int64_t depthStride);
  /// All of a panel.
  void packPanel(KernelEmitter &e, mlir::Value number, mlir::Value packed);
  /// What a block of a right side is in all panels.
  void packBlock(KernelEmitter &e, const MatrixBlock &block, mlir::Value packed);

private:
  /// A step of 16 points lies line by line.
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
  int64_t points, padded; // of k, and of a panel
  int64_t lines, panels, panelUnits;
  PanelFormat format;
  unsigned lineDim;
  /// Of a turned filter: k is (tap, row of the matrix), and a tap's lines are side by side in rows,
  /// the last tap first. Else 1.
  int64_t taps;
  StridedSource source; // a batch entry is a tap
};

} // namespace ampc::cpu
#endif
