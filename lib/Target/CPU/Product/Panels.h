// Where packed panels come from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_PANELS_H
#define LIB_TARGET_CPU_PRODUCT_PANELS_H

#include "lib/Target/CPU/Product/Product.h"

namespace ampc::cpu {

/// Unit (line, point) of a panel lies at line * lineStride + point * depthStride.
struct PanelLayout {
  int64_t lineStride, depthStride;
  /// If not 0: point k is point k % runPoints of run k / runPoints, runStride units apart; and line
  /// i is line i % linesPerSegment of segment i / linesPerSegment. Lines may overlap.
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

/// Lines one after the other, an odd number of cache lines apart, which keeps them out of one
/// another's cache sets.
PanelLayout paddedLines(int64_t depth);

/// One side of a product, seen as lines (rows of A, columns of B) over k. Packs panels; lines past
/// the edge get any values, since nothing reads their sums.
class PanelSource {
public:
  virtual ~PanelSource();
  /// Called before the panels of a batch entry (of type index).
  virtual void enterBatch(KernelEmitter &e, mlir::Value batch) {}
  /// The layout this source packs into fastest; `depth` counts points. B's panels always are
  /// {1, lines}, and those of A for matrix tiles have whole lines.
  virtual PanelLayout layout(int64_t lines, int64_t depth) const { return {1, lines}; }
  /// Packs `lines` lines from `line` on over the points [k, k + depth) into `panel`. A pair whose
  /// second k is past the end has a zero there.
  virtual void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                    mlir::Value depth, mlir::Value panel, PanelLayout layout,
                    const PanelFormat &format) = 0;
  /// Asks for what `pack` will read there.
  virtual void prefetch(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                        mlir::Value depth, const PanelFormat &format) {}
  /// With a layout of runs: the first and the end of those in the block from `k` on that are not
  /// all zero in the panel of `line`; `pack` fills only them.
  virtual std::pair<mlir::Value, mlir::Value> runsOf(KernelEmitter &e, mlir::Value line,
                                                     mlir::Value k, mlir::Value depth) {
    return {};
  }
  /// Whether lines are side by side in memory, and neighbours in k far apart.
  virtual bool linesAreNeighbours() const { return false; }
  /// Address of the first panel of a side that was packed before.
  virtual mlir::Value packed() const { return mlir::Value(); }
  /// Bytes between lines if memory holds whole lines in this format already; else 0.
  virtual int64_t bytesBetweenLines(const PanelFormat &format) const { return 0; }
  /// Address of point `k` of a line; only if bytesBetweenLines() is not 0.
  virtual mlir::Value addressInPlace(KernelEmitter &e, mlir::Value line, mlir::Value k,
                                     const PanelFormat &format) {
    return mlir::Value();
  }
};

/// Lines at constant strides in memory.
class StridedSource : public PanelSource {
public:
  mlir::Value pointer;
  mlir::Type element;
  int64_t lines = 1, depth = 1;                         // sizes of the whole side
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
  /// One call of `pack`.
  struct Job {
    mlir::Value line;
    int64_t count;
    mlir::Value k, points, pairs; // pairs: points without the one that lacks a partner
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

/// Floats of 16 bits become f32 (exact); others stay.
mlir::Value widen(KernelEmitter &e, mlir::Value x, mlir::Type acc);
/// Numbers of 16 bits (as integers) to pairs, `odd` in the upper halves; null: zeros.
mlir::Value interleave(KernelEmitter &e, mlir::Value even, mlir::Value odd);
/// Stores units of a panel; of split numbers both parts.
void storeUnits(KernelEmitter &e, mlir::Value units, mlir::Value panel, mlir::Value position,
                const PanelFormat &format);
/// Stores numbers of 16 bits (as integers), neighbours in k, in a panel of whole lines of pairs.
/// `position` counts numbers.
void storeAlongLine(KernelEmitter &e, mlir::Value numbers, mlir::Value panel, mlir::Value position,
                    const PanelFormat &format);

} // namespace ampc::cpu
#endif
