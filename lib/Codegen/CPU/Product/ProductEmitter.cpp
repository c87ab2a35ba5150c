// Macro-kernel of a GEMM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/Product/MatrixTiles.h"
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

ScratchLayout ScratchLayout::of(const ProductShape &shape, const Blocking &blocking,
                                const PanelSource &lhs) {
  int64_t at = 0;
  auto take = [&](int64_t elements) {
    int64_t start = at;
    at += alignUp(elements * elementBytes(shape.acc));
    return start;
  };
  auto panelUnits = [&](const SidePanels &panels) {
    return blocking.tile.parts() * panels.buffered * panels.units;
  };
  int64_t tile = blocking.tile.elements(), split = blocking.k.areSeveral();
  ScratchLayout layout;
  layout.zeros = take(split * tile);
  layout.tile = take(tile);
  layout.spare = take(blocking.tile.usesTiles() * spareTileBytes / elementBytes(shape.acc));
  layout.lhs = take(panelUnits(lhsPanels(shape, blocking, lhs)));
  layout.rhs = take(panelUnits(rhsPanels(shape, blocking)));
  layout.sums = take(split * blocking.m.step * blocking.n.step * tile);
  layout.total = at;
  return layout;
}

ProductEmitter::ProductEmitter(KernelEmitter &e, const ProductShape &shape,
                               const Blocking &blocking, PanelSource &lhs, PanelSource &rhs,
                               Value scratch, Epilogue epilogue, Prefetch prefetch)
    : e(e), shape(shape), blocking(blocking), layout(ScratchLayout::of(shape, blocking, lhs)),
      scratch(scratch),
      lhs(LhsFeed::create({e, this->shape, this->blocking, lhs, lhsPanels(shape, blocking, lhs),
                           scratch, layout.lhs})),
      rhs(RhsFeed::create(
          {e, this->shape, this->blocking, rhs, rhsPanels(shape, blocking), scratch, layout.rhs})),
      epilogue(epilogue), prefetch(prefetch) {}

void ProductEmitter::emit(Value begin, Value end, FusedReductions *reductions) {
  if (blocking.k.areSeveral()) {
    Type vector = e.vectorOf(shape.acc, blocking.tile.width);
    for (int64_t i = 0; i < blocking.tile.rows * blocking.tile.vectors; ++i)
      e.store(e.constant(vector, 0), e.offset(scratch, layout.zeros),
              e.index(i * blocking.tile.width));
  }
  e.loop(begin, end, 1, e.index(-1), [&](Value number, ValueRange before) {
    Located located = locate(number);
    const GemmTask &task = located.task;
    if (reductions)
      reductions->begin(number);
    lhs->enterBatch(task.batch);
    rhs->enterBatch(task.batch);
    rhs->beginTask(task, located.columns, before[0]);
    e.loop(e.index(0), e.index(blocking.k.count), 1,
           [&](Value kBlock) { emitBlock(task, kBlock); });
    if (reductions)
      reductions->end(number);
    return SmallVector<Value>{located.columns};
  });
}

/// The task of a number. Rows run fastest, so that a thread reads the same columns of B in a run of
/// tasks.
ProductEmitter::Located ProductEmitter::locate(Value number) {
  Value mTask = e.rem(number, blocking.m.tasks), rest = e.div(number, blocking.m.tasks), nTask;
  Located located;
  GemmTask &task = located.task;
  if (shape.sharedRhs) {
    task.batch = e.rem(rest, shape.batch);
    located.columns = nTask = e.div(rest, shape.batch);
  } else {
    located.columns = rest;
    nTask = e.rem(rest, blocking.n.tasks);
    task.batch = e.div(rest, blocking.n.tasks);
  }
  task.m = e.mul(mTask, blocking.m.step);
  task.n = e.mul(nTask, blocking.n.step);
  task.mEnd = e.min(e.add(task.m, blocking.m.step), e.index(blocking.m.panels));
  task.nEnd = e.min(e.add(task.n, blocking.n.step), e.index(blocking.n.panels));
  return located;
}

/// All register tiles of the task over a k-block.
void ProductEmitter::emitBlock(const GemmTask &task, Value kBlock) {
  rhs->beginBlock(task, kBlock);
  lhs->beginBlock(task, kBlock);
  if (lhs->keepsRhsPanelInL1())
    return e.loop(task.n, task.nEnd, 1, [&](Value n) {
      e.loop(task.m, task.mEnd, 1,
             [&](Value m) { emitTile(task, kBlock, m, n, lhs->panel(task, m, kBlock)); });
    });
  e.loop(task.m, task.mEnd, 1, [&](Value m) {
    LhsPanel a = lhs->panel(task, m, kBlock);
    e.loop(task.n, task.nEnd, 1, [&](Value n) { emitTile(task, kBlock, m, n, a); });
  });
}

/// One register tile. Sums of earlier k-blocks lie in scratch, tile after tile.
void ProductEmitter::emitTile(const GemmTask &task, Value kBlock, Value m, Value n,
                              const LhsPanel &a) {
  Value b = rhs->panel(task, n, kBlock);
  if (blocking.k.count == 1) {
    Value tile = e.offset(scratch, layout.tile);
    emitPrefetch(task, m, n);
    multiply(a, b, blocking.k.pointsIn(e, kBlock), Value(), tile);
    return emitEpilogue(task, m, n, tile);
  }
  Value zeros = e.offset(scratch, layout.zeros), sums = sumsOf(task, m, n);
  Value isFirst = e.less(kBlock, e.index(1));
  Value from = arith::SelectOp::create(e.b, e.loc, isFirst, zeros, sums);
  multiply(a, b, blocking.k.pointsIn(e, kBlock), from, sums);
  e.when(blocking.k.isLast(e, kBlock), [&] { emitEpilogue(task, m, n, sums); });
}

Value ProductEmitter::sumsOf(const GemmTask &task, Value m, Value n) {
  Value number = e.add(e.mul(e.sub(n, task.n), blocking.m.step), e.sub(m, task.m));
  return e.address(e.offset(scratch, layout.sums), shape.acc,
                   e.mul(number, blocking.tile.elements()));
}

/// `to` = `from` + A panel * B panel; without `from` the sums begin at zero.
void ProductEmitter::multiply(const LhsPanel &a, Value b, Value points, Value from, Value to) {
  if (!blocking.tile.usesTiles())
    return multiplyVectors(a, b, points, from, to);
  constexpr int64_t pairBytes = 4;
  int64_t rowBytes = pairBytes * blocking.tile.columns();
  TileSide left = {a.pointer, a.rowBytes, a.pointBytes, lhs->panels().format.secondPanel},
           right = {b, e.index(rowBytes), rowBytes, rhs->panels().format.secondPanel};
  MatrixTiles tiles = {blocking.tile.multiply,
                       blocking.tile.rows,
                       blocking.tile.vectors,
                       blocking.k.depth,
                       from,
                       to,
                       Value()};
  tiles.spare = e.offset(scratch, layout.spare);
  emitMatrixTiles(e, tiles, left, right, points);
}

void ProductEmitter::multiplyVectors(const LhsPanel &a, Value b, Value points, Value from,
                                     Value to) {
  int64_t columns = blocking.tile.columns();
  Type left = lhs->panels().format.unit, right = rhs->panels().format.unit;
  Type numbers = right.isInteger(16) ? shape.rhs : right;
  RegisterTile tile = {blocking.tile.multiply,
                       blocking.tile.rows,
                       blocking.tile.vectors,
                       blocking.tile.width,
                       shape.acc,
                       left,
                       numbers,
                       a.layout};
  tile.prefetchesRhs = true;
  SmallVector<Value> sums = from ? tile.load(e, from, columns) : tile.zeros(e);
  if (!a.layout.runPoints)
    sums = tile.add(e, a.pointer, b, points, sums);
  else
    sums = e.loop(a.runs.first, a.runs.second, 1, sums, [&](Value run, ValueRange sum) {
      Value aRun = e.address(a.pointer, left, e.mul(run, a.layout.runStride));
      Value bRun = e.address(b, right, e.mul(run, a.layout.runPoints * columns));
      return tile.add(e, aRun, bRun, e.index(a.layout.runPoints), sum);
    });
  tile.store(e, sums, to, columns);
}

/// Software prefetch of the operands of a tile's epilogue while the micro-kernel runs: each row of
/// the tile starts a new page, where the hardware prefetcher stops.
void ProductEmitter::emitPrefetch(const GemmTask &task, Value m, Value n) {
  if (!prefetch)
    return;
  Value row = e.mul(m, blocking.tile.rows), column = e.mul(n, blocking.tile.columns());
  Value count = e.min(e.index(blocking.tile.rows), e.sub(e.index(shape.m), row));
  e.loop(e.index(0), count, 1,
         [&](Value i) { prefetch(task.batch, e.add(row, i), column, blocking.tile.columns()); });
}

/// Hands finished sums to the epilogue, a vector at a time. Rows of the panel before, which the
/// last panel may share, are left out.
void ProductEmitter::emitEpilogue(const GemmTask &task, Value m, Value n, Value tile) {
  int64_t columns = blocking.tile.columns(), width = blocking.tile.width;
  Value row0 = lhs->firstRow(m), column0 = e.mul(n, columns);
  Value rowsHere = e.min(e.index(blocking.tile.rows), e.sub(e.index(shape.m), row0));
  Value firstHere = e.sub(e.mul(m, blocking.tile.rows), row0);
  auto emitRows = [&](int64_t columnsHere) {
    e.loop(firstHere, rowsHere, 1, [&](Value row) {
      for (int64_t j = 0; j < columnsHere; j += width) {
        Value sums = e.loadVector(tile, shape.acc, e.add(e.mul(row, columns), j), width);
        epilogue(task.batch, e.add(row0, row), e.add(column0, j), std::min(width, columnsHere - j),
                 sums);
      }
    });
  };
  int64_t edge = shape.n % columns, wholePanels = shape.n / columns;
  if (wholePanels)
    e.when(e.less(n, e.index(wholePanels)), [&] { emitRows(columns); });
  if (edge)
    e.when(e.less(e.index(wholePanels - 1), n), [&] { emitRows(edge); });
}
