// Feeds of B, one class per kind: in place, packed per k-block, kept packed for later tasks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/RhsFeed.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc::cpu;

RhsFeed::~RhsFeed() = default;

PanelFormat ampc::cpu::rhsFormat(const ProductShape &shape, const MicroTile &tile, RhsFeedKind feed,
                                 int64_t panelUnits) {
  if (feed == RhsFeedKind::InPlace && tile.multiply == Multiply::Wide && shape.rhs.isBF16())
    return PanelFormat(IntegerType::get(shape.rhs.getContext(), 16));
  return PanelFormat::of(tile.multiply, shape.acc, panelUnits);
}

SidePanels ampc::cpu::rhsPanels(const ProductShape &shape, const Blocking &blocking) {
  bool isInPlace = blocking.rhs == RhsFeedKind::InPlace;
  PanelLayout layout = {1, blocking.tile.columns()};
  int64_t points = isInPlace ? packedPoints(shape, blocking.tile) : blocking.k.depth;
  int64_t units = layout.units(blocking.tile.columns(), points);
  int64_t kBlocks = blocking.keepsRhs ? blocking.k.count : 1;
  return {blocking.tile.columns(), layout, units,
          rhsFormat(shape, blocking.tile, blocking.rhs, units),
          isInPlace ? 0 : kBlocks * blocking.n.step};
}

using AddressOf = llvm::function_ref<Value(Value panel)>;
/// Writes a k-block of the task's panels to the addresses given.
using FillBlock = void (*)(const GemmSide &, const GemmTask &, Value kBlock, AddressOf);

static void packPanels(const GemmSide &side, const GemmTask &task, Value kBlock, AddressOf to) {
  KernelEmitter &e = side.e;
  Value start = side.firstPoint(kBlock);
  e.loop(task.n, task.nEnd, 1, [&](Value n) {
    side.padWithZeros(to(n), kBlock);
    Value count = side.blocking.k.pointsIn(e, kBlock), panel = to(n);
    side.pack(side.firstLine(n), start, count, panel);
  });
}

/// One sweep over k for all panels of the task.
static void packSweep(const GemmSide &side, const GemmTask &task, Value kBlock, AddressOf to) {
  KernelEmitter &e = side.e;
  Value start = side.firstPoint(kBlock);
  e.loop(task.n, task.nEnd, 1, [&](Value n) { side.padWithZeros(to(n), kBlock); });
  side.forChunks(kBlock, [&](Value k, Value count, Value nextCount) {
    Value next = e.add(e.add(start, k), side.chunkPoints);
    e.loop(task.n, task.nEnd, 1, [&](Value n) {
      side.prefetch(side.firstLine(n), next, nextCount);
      Value panel = e.address(to(n), side.panels.format.unit, e.mul(k, side.panels.lines));
      side.pack(side.firstLine(n), e.add(start, k), count, panel);
    });
  });
}

/// Converts prepacked panels from bf16 to the f32 of the sums.
static void widenPanels(const GemmSide &side, const GemmTask &task, Value kBlock, AddressOf to) {
  KernelEmitter &e = side.e;
  const Blocking &blocking = side.blocking;
  int64_t columns = side.panels.lines,
          panelUnits = packedPoints(side.shape, blocking.tile) * columns;
  Type narrow = side.shape.rhs;
  Value first = e.mul(kBlock, blocking.k.depth * columns);
  e.loop(task.n, task.nEnd, 1, [&](Value n) {
    Value from = e.address(side.source.packed(), narrow, e.add(e.mul(n, panelUnits), first));
    Value panel = to(n);
    Value end = e.mul(blocking.k.pointsIn(e, kBlock), columns);
    e.loop(e.index(0), end, blocking.tile.width, [&](Value i) {
      e.store(widen(e, e.loadVector(from, narrow, i, blocking.tile.width), side.shape.acc), panel,
              i);
    });
  });
}

namespace {
/// Panels that kernel.pack wrote for this tier.
struct InPlace : RhsFeed {
  using RhsFeed::RhsFeed;
  Value panel(const GemmTask &task, Value n, Value kBlock) override {
    KernelEmitter &e = side.e;
    Value start = e.mul(n, side.panelStride());
    Value block = e.mul(kBlock, side.blocking.k.depth * side.panels.lines);
    return e.address(side.source.packed(), side.panels.format.unit, e.add(start, block));
  }
};

/// Panels of a k-block in scratch: [n.step] panels, written by every task.
struct PerBlock : RhsFeed {
  PerBlock(const GemmSide &side, FillBlock fill) : RhsFeed(side), fill(fill) {}
  void beginBlock(const GemmTask &task, Value kBlock) override {
    fill(side, task, kBlock, [&](Value n) { return panel(task, n, kBlock); });
  }
  Value panel(const GemmTask &task, Value n, Value kBlock) override {
    KernelEmitter &e = side.e;
    Value at = e.mul(e.sub(n, task.n), side.panelStride());
    return e.address(side.buffer(), side.panels.format.unit, at);
  }

private:
  const FillBlock fill;
};

/// Panels of all k-blocks in scratch: [k.count, n.step] panels, written by the first of a thread's
/// tasks with the same columns of B.
struct Kept : RhsFeed {
  Kept(const GemmSide &side, FillBlock fill) : RhsFeed(side), fill(fill) {}
  void beginTask(const GemmTask &task, Value columns, Value before) override {
    KernelEmitter &e = side.e;
    Value isNew = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, columns, before);
    e.when(isNew, [&] {
      e.loop(e.index(0), e.index(side.blocking.k.count), 1, [&](Value kBlock) {
        fill(side, task, kBlock, [&](Value n) { return panel(task, n, kBlock); });
      });
    });
  }
  Value panel(const GemmTask &task, Value n, Value kBlock) override {
    KernelEmitter &e = side.e;
    Value number = e.add(e.sub(n, task.n), e.mul(kBlock, side.blocking.n.step));
    return e.address(side.buffer(), side.panels.format.unit, e.mul(number, side.panelStride()));
  }

private:
  const FillBlock fill;
};
} // namespace

std::unique_ptr<RhsFeed> RhsFeed::create(const GemmSide &side) {
  const Blocking &blocking = side.blocking;
  if (blocking.rhs == RhsFeedKind::InPlace)
    return std::make_unique<InPlace>(side);
  bool isSweep = blocking.tile.usesTiles() && side.source.linesAreNeighbours();
  FillBlock fill = blocking.rhs == RhsFeedKind::Widened ? widenPanels
                   : isSweep                            ? packSweep
                                                        : packPanels;
  if (blocking.keepsRhs)
    return std::make_unique<Kept>(side, fill);
  return std::make_unique<PerBlock>(side, fill);
}
