// Operand of a GEMM in the emitted function: source, panels, and packing into scratch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_GEMMSIDE_H
#define LIB_CODEGEN_CPU_PRODUCT_GEMMSIDE_H

#include "lib/Codegen/CPU/Product/Blocking.h"
#include "lib/Codegen/CPU/Product/Panels.h"

namespace ampc::cpu {

/// Block of C that a task computes: panels [m, mEnd) of A by panels [n, nEnd) of B, of type index.
struct GemmTask {
  mlir::Value batch, m, mEnd, n, nEnd;
};

/// Panels of an operand as the micro-kernel reads a panel.
/// Example: B [k, n] bf16 on AMX with 64 columns per panel: each panel [k / 2, 64, 2] bf16.
struct SidePanels {
  int64_t lines;        // rows of A or columns of B in a panel
  PanelLayout layout;   // of a panel
  int64_t units;        // of a panel; for split numbers of the high parts alone
  PanelFormat format;   // of a unit
  int64_t buffered = 0; // panels in scratch; 0: the operand is read in place
};

/// Operand (A or B) of the GEMM that a function computes. Feeds (LhsFeed, RhsFeed) decide which
/// panels are packed, where and when.
class GemmSide {
public:
  using Value = mlir::Value;

  /// `scratch` + `offset` bytes: the packed panels.
  GemmSide(KernelEmitter &e, const ProductShape &shape, const Blocking &blocking,
           PanelSource &source, const SidePanels &panels, Value scratch, int64_t offset)
      : e(e), shape(shape), blocking(blocking), source(source), panels(panels), scratch(scratch),
        offset(offset) {}

  KernelEmitter &e;
  const ProductShape &shape;
  const Blocking &blocking;
  PanelSource &source;
  const SidePanels panels;

  /// Address of the packed panels.
  Value buffer() const { return e.offset(scratch, offset); }
  /// Units from a packed panel to the next: both parts of split numbers.
  int64_t panelStride() const { return blocking.tile.parts() * panels.units; }
  int64_t panelBytes() const { return panelStride() * elementBytes(panels.format.unit); }
  /// First line of a panel in the matrix.
  Value firstLine(Value panel) const { return e.mul(panel, panels.lines); }
  /// First point of a k-block.
  Value firstPoint(Value kBlock) const { return e.mul(kBlock, blocking.k.depth); }

  /// Packs the lines of a panel from `line` on, over the points [k, k + count).
  void pack(Value line, Value k, Value count, Value to) const {
    source.pack(e, line, panels.lines, k, count, to, panels.layout, panels.format);
  }
  /// Prefetches the elements that `pack` will read there.
  void prefetch(Value line, Value k, Value count) const {
    source.prefetch(e, line, panels.lines, k, count, panels.format);
  }
  void padWithZeros(Value panel, Value kBlock) const;

  /// Points of k that a sweep packs of every panel before the next points.
  static constexpr int64_t chunkPoints = 16;
  /// Chunks of a k-block for a sweep over all panels of a task. A sweep suits a k-major matrix, in
  /// which neighbouring panels share rows: the sweep reads whole rows of memory, where packing
  /// panel by panel reads a cache line per row, and each row is on another page (TLB misses).
  /// `k`: first point of the chunk, counted from the start of the k-block.
  using ChunkBody = llvm::function_ref<void(Value k, Value count, Value nextCount)>;
  void forChunks(Value kBlock, ChunkBody body) const;

private:
  Value scratch;
  int64_t offset;
};

} // namespace ampc::cpu
#endif
