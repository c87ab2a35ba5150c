// Where packed panels come from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PANELS_H
#define LIB_TARGET_CPU_PANELS_H

#include "lib/Target/CPU/Product.h"

namespace ampc::cpu {

/// Element (line, k) of a panel lies at line * lineStride + k * depthStride.
struct PanelLayout {
  int64_t lineStride, depthStride;
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
  /// The layout this source packs into fastest. B's panels always are {1, lines}.
  virtual PanelLayout layout(int64_t lines, int64_t depth) const { return {1, lines}; }
  /// Packs `lines` lines from `line` on over the points [k, k + depth) into `panel`, in type `acc`.
  virtual void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                    mlir::Value depth, mlir::Value panel, PanelLayout layout, mlir::Type acc) = 0;
};

/// Lines at constant strides in memory.
class StridedSource : public PanelSource {
public:
  mlir::Value pointer;
  mlir::Type element;
  int64_t lines = 1, depth = 1;                         // sizes of the whole side
  int64_t lineStride = 0, depthStride = 0;              // in elements
  int64_t start = 0;                                    // of line 0, point 0
  llvm::SmallVector<std::pair<int64_t, int64_t>> batch; // size and stride of each batch dimension

  bool batchInvariant() const;
  void enterBatch(KernelEmitter &e, mlir::Value batch) override;
  PanelLayout layout(int64_t lines, int64_t depth) const override;
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, mlir::Type acc) override;

private:
  mlir::Value entry; // address of the current batch entry
  void copyLines(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                 mlir::Value depth, mlir::Value panel, PanelLayout layout, mlir::Type acc);
  void transposeLines(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                      mlir::Value depth, mlir::Value panel, PanelLayout layout, mlir::Type acc);
  void copyColumns(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                   mlir::Value depth, mlir::Value panel, PanelLayout layout, mlir::Type acc);
  void copyElements(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k,
                    mlir::Value from, mlir::Value to, mlir::Value panel, PanelLayout layout,
                    mlir::Type acc);
};

/// Floats of 16 bits become f32 (exact); others stay.
mlir::Value widen(KernelEmitter &e, mlir::Value x, mlir::Type acc);

} // namespace ampc::cpu
#endif
