// Sources of panels: operands of a GEMM in memory, and packing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_PANELS_H
#define LIB_CODEGEN_CPU_PRODUCT_PANELS_H

#include "lib/Codegen/CPU/Product/Product.h"

namespace ampc::cpu {

/// Unit (line, point) of a panel lies at line * lineStride + point * depthStride.
struct PanelLayout {
  int64_t lineStride, depthStride;
  /// Layout of runs, if not 0: point k is point k % runPoints of run k / runPoints, and runs are
  /// runStride units apart; line i is line i % linesPerSegment of segment i / linesPerSegment.
  /// Lines may overlap, as windows of a convolution do.
  int64_t runPoints = 0, runStride = 0, linesPerSegment = 0, segmentStride = 0;

  int64_t offsetOfLine(int64_t i) const {
    return runPoints ? i / linesPerSegment * segmentStride + i % linesPerSegment * lineStride
                     : i * lineStride;
  }
  /// Units of a panel. Example: 12 lines of 100 points, 112 units apart: 1344.
  int64_t units(int64_t lines, int64_t points) const {
    return runPoints ? points / runPoints * runStride : lines * std::max(lineStride, points);
  }
};

/// Row-major panel [lines, depth] whose lines are an odd number of cache lines apart, so that
/// neighbouring lines map to different cache sets.
PanelLayout paddedLines(int64_t depth);

/// Operand of a GEMM, seen as lines (rows of A, columns of B) over k. Packs panels; lines past the
/// edge of the matrix hold any values, because the epilogue skips the sums of such lines.
class PanelSource {
public:
  virtual ~PanelSource();
  /// Called before the panels of a batch entry (of type index).
  virtual void enterBatch(KernelEmitter &e, mlir::Value batch) {}
  /// Layout that this source packs into fastest, for panels of A on vectors; `depth` counts points.
  /// Panels of B are always {1, lines}, panels of A for AMX row-major.
  virtual PanelLayout layout(int64_t lines, int64_t depth) const { return {1, lines}; }
  /// Packs `lines` lines from `line` on over the points [k, k + depth) into `panel`. If k is odd,
  /// the second half of the last pair is zero.
  virtual void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                    mlir::Value depth, mlir::Value panel, PanelLayout layout,
                    const PanelFormat &format) = 0;
  /// Prefetches the elements that `pack` with the same arguments reads.
  virtual void prefetch(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                        mlir::Value depth, const PanelFormat &format) {}
  /// Layout of runs: range of runs, counted from `k`, that are not all zero in the panel of `line`;
  /// `pack` fills only this range.
  virtual std::pair<mlir::Value, mlir::Value> runsOf(KernelEmitter &e, mlir::Value line,
                                                     mlir::Value k, mlir::Value depth) {
    return {};
  }
  /// Whether the matrix is k-major: neighbouring lines contiguous, neighbours in k far apart.
  virtual bool linesAreNeighbours() const { return false; }
  /// Address of the first panel of a prepacked operand.
  virtual mlir::Value packed() const { return mlir::Value(); }
  /// Bytes between lines if memory holds row-major lines in this format already; else 0.
  virtual int64_t bytesBetweenLines(const PanelFormat &format) const { return 0; }
  /// Address of point `k` of a line; only if bytesBetweenLines() is not 0.
  virtual mlir::Value addressInPlace(KernelEmitter &e, mlir::Value line, mlir::Value k,
                                     const PanelFormat &format) {
    return mlir::Value();
  }
};

/// Matrix at constant strides. Example: A [100, 64] row-major: lineStride 64, depthStride 1.
class StridedSource : public PanelSource {
public:
  mlir::Value pointer;
  mlir::Type element;
  int64_t lines = 1, depth = 1;                         // of the whole matrix
  int64_t lineStride = 0, depthStride = 0;              // in elements
  int64_t start = 0;                                    // of line 0, k 0
  llvm::SmallVector<std::pair<int64_t, int64_t>> batch; // size and stride of each batch dimension

  bool batchInvariant() const;
  void enterBatch(KernelEmitter &e, mlir::Value batch) override;
  PanelLayout layout(int64_t lines, int64_t depth) const override;
  bool linesAreNeighbours() const override { return lineStride == 1 && depthStride >= 128; }
  mlir::Value packed() const override { return pointer; }
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;
  void prefetch(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
                const PanelFormat &format) override;
  int64_t bytesBetweenLines(const PanelFormat &format) const override;
  mlir::Value addressInPlace(KernelEmitter &e, mlir::Value line, mlir::Value k,
                             const PanelFormat &format) override;

private:
  /// Arguments of a call of `pack`.
  struct Job {
    mlir::Value line;
    int64_t count;
    mlir::Value k, points, pairs; // pairs: points with both k
    mlir::Value panel;
    PanelLayout layout;
    PanelFormat format;
    int64_t width; // units of a vector
  };
  mlir::Value entry; // address of the current batch entry
  mlir::Value startOf(KernelEmitter &e, const Job &job, mlir::Value i);
  mlir::Value alongLine(KernelEmitter &e, const Job &job, mlir::Value start, mlir::Value j);
  mlir::Value acrossLines(KernelEmitter &e, const Job &job, mlir::Value i, mlir::Value j,
                          int64_t lanes, bool isPaired);
  mlir::Value unitAt(KernelEmitter &e, const Job &job, mlir::Value i, mlir::Value j);
  void copyLines(KernelEmitter &e, const Job &job);
  void transposeLines(KernelEmitter &e, const Job &job);
  void copyColumns(KernelEmitter &e, const Job &job);
  void transposeColumns(KernelEmitter &e, const Job &job);
  void copyElements(KernelEmitter &e, const Job &job, mlir::Value from, mlir::Value to);
};

/// Converts 16-bit floats to `acc` (exact); wider floats stay. Example: bf16 -> f32.
mlir::Value widen(KernelEmitter &e, mlir::Value x, mlir::Type acc);
/// Pairs of 16-bit numbers (as integers) in i32, `odd` in the upper halves; null: zeros.
mlir::Value interleave(KernelEmitter &e, mlir::Value even, mlir::Value odd);
/// Stores units of a panel; for split numbers in both panels.
void storeUnits(KernelEmitter &e, mlir::Value units, mlir::Value panel, mlir::Value position,
                const PanelFormat &format);
/// Stores 16-bit numbers (as integers), neighbours in k, in a row-major panel of pairs. `position`
/// counts numbers.
void storeAlongLine(KernelEmitter &e, mlir::Value numbers, mlir::Value panel, mlir::Value position,
                    const PanelFormat &format);

} // namespace ampc::cpu
#endif
