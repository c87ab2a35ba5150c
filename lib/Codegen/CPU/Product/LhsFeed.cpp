// Feeds of A, one class per kind: prepacked, packed in a sweep, packed by panel, runs, in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/LhsFeed.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc::cpu;

LhsFeed::~LhsFeed() = default;

SidePanels ampc::cpu::lhsPanels(const ProductShape &shape, const Blocking &blocking,
                                const PanelSource &lhs) {
  int64_t rows = blocking.tile.rows, depth = blocking.k.depth;
  auto panels = [&](PanelLayout layout, int64_t points, int64_t buffered) {
    int64_t units = layout.units(rows, points);
    PanelFormat format = PanelFormat::of(blocking.tile.multiply, shape.acc, units);
    return SidePanels{rows, layout, units, format, buffered};
  };
  PanelLayout packed = blocking.tile.usesTiles() ? paddedLines(depth) : lhs.layout(rows, depth);
  PanelFormat format = PanelFormat::of(blocking.tile.multiply, shape.acc, 0);
  switch (blocking.lhs) {
  case LhsFeedKind::Prepacked:
    return panels({1, rows}, packedPoints(shape, blocking.tile), 0);
  case LhsFeedKind::PackedSweep:
    return panels(packed, depth, blocking.m.step);
  case LhsFeedKind::InPlace:
    return panels({lhs.bytesBetweenLines(format) / elementBytes(format.unit), 1}, depth, 0);
  case LhsFeedKind::PackedPanel:
  case LhsFeedKind::Runs:
  case LhsFeedKind::InPlaceTiles: // the panel at the edge of A
    return panels(packed, depth, 1);
  }
  llvm_unreachable("all kinds are listed");
}

LhsPanel LhsFeed::panelAt(Value pointer) const {
  const SidePanels &panels = side.panels;
  int64_t unitBytes = elementBytes(panels.format.unit);
  return {pointer, panels.layout, side.e.index(panels.layout.lineStride * unitBytes), unitBytes};
}
LhsPanel LhsFeed::packTo(Value to, Value m, Value kBlock) const {
  side.padWithZeros(to, kBlock);
  side.pack(side.firstLine(m), side.firstPoint(kBlock), side.blocking.k.pointsIn(side.e, kBlock),
            to);
  return panelAt(to);
}

namespace {
/// A packed by kernel.pack for this tier. On AMX in the order of tiles: [points / 16, rows, 16]
/// pairs, else [points, rows].
struct Prepacked : LhsFeed {
  using LhsFeed::LhsFeed;
  LhsPanel panel(const GemmTask &task, Value m, Value kBlock) override {
    KernelEmitter &e = side.e;
    constexpr int64_t tileRowBytes = 64, pairBytes = 4;
    Value start = e.mul(m, side.panelStride());
    Value at = e.add(start, e.mul(kBlock, side.blocking.k.depth * side.panels.lines));
    return {e.address(side.source.packed(), side.panels.format.unit, at), side.panels.layout,
            e.index(tileRowBytes), pairBytes * side.panels.lines};
  }
};

/// All panels of a task packed together at the start of a k-block.
struct PackedSweep : LhsFeed {
  using LhsFeed::LhsFeed;
  bool keepsRhsPanelInL1() const override { return true; }
  void beginBlock(const GemmTask &task, Value kBlock) override {
    KernelEmitter &e = side.e;
    e.loop(task.m, task.mEnd, 1, [&](Value m) { side.padWithZeros(addressOf(task, m), kBlock); });
    Value start = side.firstPoint(kBlock);
    side.forChunks(kBlock, [&](Value k, Value count, Value nextCount) {
      e.loop(task.m, task.mEnd, 1, [&](Value m) {
        Value line = side.firstLine(m), at = e.add(start, k);
        side.prefetch(line, e.add(at, side.chunkPoints), nextCount);
        side.pack(line, at, count, e.address(addressOf(task, m), side.panels.format.unit, k));
      });
    });
  }
  LhsPanel panel(const GemmTask &task, Value m, Value kBlock) override {
    return panelAt(addressOf(task, m));
  }

private:
  Value addressOf(const GemmTask &task, Value m) const {
    KernelEmitter &e = side.e;
    return e.offset(side.buffer(), e.mul(e.sub(m, task.m), side.panelBytes()));
  }
};

/// Panel by panel, packed right before a row of register tiles: the panel is still in L1.
struct PackedPanel : LhsFeed {
  using LhsFeed::LhsFeed;
  LhsPanel panel(const GemmTask &task, Value m, Value kBlock) override {
    return packTo(side.buffer(), m, kBlock);
  }
};

/// Panel by panel in runs of k. The source skips runs that are all zero: rows of a convolution's
/// windows that lie in the padding.
struct Runs : LhsFeed {
  using LhsFeed::LhsFeed;
  LhsPanel panel(const GemmTask &task, Value m, Value kBlock) override {
    Value buffer = side.buffer();
    std::pair<Value, Value> runs =
        side.source.runsOf(side.e, side.firstLine(m), side.firstPoint(kBlock),
                           side.blocking.k.pointsIn(side.e, kBlock));
    LhsPanel panel = packTo(buffer, m, kBlock);
    panel.runs = runs;
    return panel;
  }
};

/// Vectors broadcast elements of A from the matrix itself. The last panel, if M is no multiple of
/// the panel's rows, begins earlier and shares rows with the panel before.
/// Example: M = 23 in panels of 12 rows: rows 0 to 11 and 11 to 22.
struct InPlace : LhsFeed {
  using LhsFeed::LhsFeed;
  LhsPanel panel(const GemmTask &task, Value m, Value kBlock) override {
    Value k = side.firstPoint(kBlock);
    return panelAt(side.source.addressInPlace(side.e, firstRow(m), k, side.panels.format));
  }
  Value firstRow(Value m) const override {
    Value row = side.firstLine(m);
    int64_t rows = side.panels.lines, height = side.shape.m;
    return height % rows == 0 ? row : side.e.min(row, side.e.index(height - rows));
  }
};

/// Tile loads read rows of A from the matrix itself. The last panel, if M is no multiple of
/// the panel's rows, is packed, because tile loads would read past the matrix.
struct InPlaceTiles : LhsFeed {
  using LhsFeed::LhsFeed;
  void beginBlock(const GemmTask &task, Value kBlock) override {
    KernelEmitter &e = side.e;
    Value last = e.index(side.blocking.m.panels - 1);
    if (hasEdge())
      e.when(e.less(last, task.mEnd), [&] { packTo(side.buffer(), last, kBlock); });
  }
  LhsPanel panel(const GemmTask &task, Value m, Value kBlock) override {
    KernelEmitter &e = side.e;
    Value k = side.firstPoint(kBlock);
    LhsPanel panel = panelAt(side.source.addressInPlace(e, firstRow(m), k, side.panels.format));
    panel.rowBytes = e.index(side.source.bytesBetweenLines(side.panels.format));
    if (!hasEdge())
      return panel;
    LhsPanel edge = panelAt(side.buffer());
    Value isWhole = e.less(m, e.index(side.blocking.m.panels - 1));
    auto select = [&](Value x, Value y) -> Value {
      return arith::SelectOp::create(e.b, e.loc, isWhole, x, y);
    };
    panel.pointer = select(panel.pointer, edge.pointer);
    panel.rowBytes = select(panel.rowBytes, edge.rowBytes);
    return panel;
  }

private:
  bool hasEdge() const { return side.shape.m % side.panels.lines != 0; }
};
} // namespace

std::unique_ptr<LhsFeed> LhsFeed::create(const GemmSide &side) {
  switch (side.blocking.lhs) {
  case LhsFeedKind::Prepacked:
    return std::make_unique<Prepacked>(side);
  case LhsFeedKind::PackedSweep:
    return std::make_unique<PackedSweep>(side);
  case LhsFeedKind::PackedPanel:
    return std::make_unique<PackedPanel>(side);
  case LhsFeedKind::Runs:
    return std::make_unique<Runs>(side);
  case LhsFeedKind::InPlace:
    return std::make_unique<InPlace>(side);
  case LhsFeedKind::InPlaceTiles:
    return std::make_unique<InPlaceTiles>(side);
  }
  llvm_unreachable("all kinds are listed");
}
