// Tasks, cache blocks and register tiles of a product of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Product/ProductEmitter.h"
#include "lib/Target/CPU/Data/Totals.h"
#include "lib/Target/CPU/Product/MatrixTiles.h"
#include "lib/Target/CPU/Product/RegisterTile.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

ProductEmitter::ProductEmitter(KernelEmitter &e, const ProductShape &shape,
                               const Blocking &blocking, PanelSource &lhs, PanelSource &rhs,
                               Epilogue epilogue, Prefetch prefetch)
    : e(e), shape(shape), blocking(blocking), lhs(lhs), rhs(rhs), epilogue(epilogue),
      prefetch(prefetch), lhsLines(lhsLayout(blocking, lhs)),
      layout(ScratchLayout::of(shape, blocking, lhs)),
      lhsFormat(PanelFormat::of(blocking.multiply, shape.acc, layout.lhsPanelUnits)),
      rhsFormat(cpu::rhsFormat(shape, blocking, layout.rhsPanelUnits)) {}

PanelLayout ampc::cpu::lhsLayout(const Blocking &blocking, const PanelSource &lhs) {
  if (blocking.packedLhs)
    return {1, blocking.rows};
  if (blocking.lhsLineInPlace)
    return {blocking.lhsLineInPlace, 1};
  return blocking.usesTiles() ? paddedLines(blocking.depth)
                              : lhs.layout(blocking.rows, blocking.depth);
}

/// Of panels that are packed together.
static constexpr int64_t stretchPoints = 16;

ScratchLayout ScratchLayout::of(const ProductShape &shape, const Blocking &blocking,
                                const PanelSource &lhs) {
  int64_t at = 0;
  auto take = [&](int64_t elements) {
    int64_t start = at;
    at += alignUp(elements * elementBytes(shape.acc));
    return start;
  };
  int64_t lhsLine = std::max(lhsLayout(blocking, lhs).lineStride, blocking.depth);
  int64_t tile = blocking.rows * blocking.columns(), split = blocking.depthBlocks > 1;
  int64_t rhsBlocks = blocking.keepRhs ? blocking.depthBlocks : 1;
  ScratchLayout layout;
  PanelLayout lines = lhsLayout(blocking, lhs);
  layout.lhsPanelUnits =
      lines.runPoints ? blocking.depth / lines.runPoints * lines.runStride
                      : blocking.rows * (blocking.packedLhs ? blocking.packedPoints : lhsLine);
  layout.rhsPanelUnits =
      blocking.columns() * (blocking.readsRhsInPlace() ? blocking.packedPoints : blocking.depth);
  layout.zeros = take(split * tile);
  layout.tile = take(tile);
  layout.spare = take(blocking.usesTiles() * spareTileBytes / elementBytes(shape.acc));
  int64_t lhsPanels = packsTogether(blocking, lhs) ? blocking.mStep : 1;
  bool packs = !blocking.packedLhs && !blocking.lhsLineInPlace;
  layout.lhs = take(packs * blocking.parts() * lhsPanels * layout.lhsPanelUnits);
  layout.rhs = take(!blocking.readsRhsInPlace() * blocking.parts() * rhsBlocks * blocking.nStep *
                    layout.rhsPanelUnits);
  layout.sums = take(split * blocking.mStep * blocking.nStep * tile);
  layout.total = at;
  return layout;
}

void ProductEmitter::emit(Value begin, Value end, Value memory, Totals *totals) {
  scratch = memory;
  if (blocking.depthBlocks > 1) {
    Type vector = e.vectorOf(shape.acc, blocking.width);
    for (int64_t i = 0; i < blocking.rows * blocking.vectors; ++i)
      e.store(e.constant(vector, 0), e.offset(scratch, layout.zeros), e.index(i * blocking.width));
  }
  e.loop(begin, end, 1, e.index(-1), [&](Value number, ValueRange packed) {
    Value key;
    Task task = locate(number, key);
    if (totals)
      totals->begin(number);
    lhs.enterBatch(e, task.batch);
    rhs.enterBatch(e, task.batch);
    if (blocking.keepRhs) {
      Value isNew = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, key, packed[0]);
      e.when(isNew, [&] {
        e.loop(e.index(0), e.index(blocking.depthBlocks), 1,
               [&](Value block) { packRhs(task, block); });
      });
    }
    e.loop(e.index(0), e.index(blocking.depthBlocks), 1, [&](Value block) {
      if (!blocking.keepRhs && !blocking.readsRhsInPlace())
        packRhs(task, block);
      emitBlock(task, block);
    });
    if (totals)
      totals->end(number);
    return SmallVector<Value>{key};
  });
}

/// Rows run fastest, so that a thread packs the columns of B once for a stretch of tasks. `key`
/// tells whose.
ProductEmitter::Task ProductEmitter::locate(Value number, Value &key) {
  Value mTask = e.rem(number, blocking.mTasks), rest = e.div(number, blocking.mTasks), nTask;
  Task task;
  if (shape.sharedRhs) {
    task.batch = e.rem(rest, shape.batch);
    key = nTask = e.div(rest, shape.batch);
  } else {
    key = rest;
    nTask = e.rem(rest, blocking.nTasks);
    task.batch = e.div(rest, blocking.nTasks);
  }
  task.m = e.mul(mTask, blocking.mStep);
  task.n = e.mul(nTask, blocking.nStep);
  task.mEnd = e.min(e.add(task.m, blocking.mStep), e.index(blocking.mPanels));
  task.nEnd = e.min(e.add(task.n, blocking.nStep), e.index(blocking.nPanels));
  return task;
}

Value ProductEmitter::points(Value block) {
  return e.min(e.index(blocking.depth),
               e.sub(e.index(blocking.points), e.mul(block, blocking.depth)));
}
Value ProductEmitter::rhsPanel(const Task &task, Value block, Value panel) {
  if (blocking.readsRhsInPlace()) {
    Value start = e.mul(panel, blocking.parts() * layout.rhsPanelUnits);
    return e.address(rhs.packed(), rhsFormat.unit,
                     e.add(start, e.mul(block, blocking.depth * blocking.columns())));
  }
  Value number = e.sub(panel, task.n);
  if (blocking.keepRhs)
    number = e.add(number, e.mul(block, blocking.nStep));
  return e.address(e.offset(scratch, layout.rhs), rhsFormat.unit,
                   e.mul(number, blocking.parts() * layout.rhsPanelUnits));
}
Value ProductEmitter::sumsOf(const Task &task, Value m, Value n) {
  Value number = e.add(e.mul(e.sub(n, task.n), blocking.mStep), e.sub(m, task.m));
  return e.address(e.offset(scratch, layout.sums), shape.acc,
                   e.mul(number, blocking.rows * blocking.columns()));
}

/// Matrix tiles take 16 points at a time: those past the end of k are zeros on both sides.
void ProductEmitter::clearTail(Value panel, int64_t lines, PanelLayout layout,
                               const PanelFormat &format, Value block) {
  int64_t points = blocking.points % blocking.depth, width = blocking.width;
  points = points ? points : blocking.depth;
  int64_t padded = roundUp(points, width);
  if (!blocking.usesTiles() || padded == points)
    return;
  Value zero = e.constant(e.vectorOf(format.unit, width), 0);
  auto clear = [&](int64_t unit) {
    e.store(zero, panel, e.index(unit));
    if (format.secondPanel)
      e.store(zero, panel, e.index(unit + format.secondPanel));
  };
  e.when(e.less(e.index(blocking.depthBlocks - 2), block), [&] {
    if (layout.depthStride == 1)
      for (int64_t i = 0; i < lines; ++i)
        clear(i * layout.lineStride + padded - width);
    else
      for (int64_t unit = points * lines; unit < padded * lines; unit += width)
        clear(unit);
  });
}

void ProductEmitter::packLhs(Value m, Value block) {
  Value panel = e.offset(scratch, layout.lhs);
  clearTail(panel, blocking.rows, lhsLines, lhsFormat, block);
  if (lhsLines.runPoints)
    runs = lhs.runsOf(e, e.mul(m, blocking.rows), e.mul(block, blocking.depth), points(block));
  lhs.pack(e, e.mul(m, blocking.rows), blocking.rows, e.mul(block, blocking.depth), points(block),
           panel, lhsLines, lhsFormat);
}

/// The points of a block, numbered from its start. Rows of a stretch lie on pages of their own, of
/// which processors fetch nothing ahead: while a stretch is packed, the next one is asked for.
void ProductEmitter::inStretches(
    Value block, llvm::function_ref<void(Value k, Value count, Value nextCount)> pack) {
  Value all = points(block);
  auto countFrom = [&](Value k) { return e.min(e.index(stretchPoints), e.sub(all, k)); };
  e.loop(e.index(0), all, stretchPoints,
         [&](Value k) { pack(k, countFrom(k), countFrom(e.add(k, stretchPoints))); });
}

/// Where a panel of A lies if all of the task's do.
Value ProductEmitter::packedTogether(const Task &task, Value m) {
  int64_t bytes = blocking.parts() * layout.lhsPanelUnits * elementBytes(lhsFormat.unit);
  return e.offset(e.offset(scratch, layout.lhs), e.mul(e.sub(m, task.m), bytes));
}
void ProductEmitter::packLhsTogether(const Task &task, Value block) {
  e.loop(task.m, task.mEnd, 1, [&](Value m) {
    clearTail(packedTogether(task, m), blocking.rows, lhsLines, lhsFormat, block);
  });
  Value start = e.mul(block, blocking.depth);
  inStretches(block, [&](Value k, Value count, Value nextCount) {
    e.loop(task.m, task.mEnd, 1, [&](Value m) {
      Value line = e.mul(m, blocking.rows), at = e.add(start, k);
      lhs.prefetch(e, line, blocking.rows, e.add(at, stretchPoints), nextCount, lhsFormat);
      lhs.pack(e, line, blocking.rows, at, count,
               e.address(packedTogether(task, m), lhsFormat.unit, k), lhsLines, lhsFormat);
    });
  });
}

/// Panels of the task that are packed before, a block of k of each.
void ProductEmitter::widenRhs(const Task &task, Value block) {
  int64_t columns = blocking.columns();
  Value first = e.mul(block, blocking.depth * columns);
  e.loop(task.n, task.nEnd, 1, [&](Value n) {
    Value from =
        e.address(rhs.packed(), shape.rhs, e.add(e.mul(n, blocking.packedPoints * columns), first));
    Value to = rhsPanel(task, block, n);
    e.loop(e.index(0), e.mul(points(block), columns), blocking.width, [&](Value i) {
      e.store(widen(e, e.loadVector(from, shape.rhs, i, blocking.width), shape.acc), to, i);
    });
  });
}

void ProductEmitter::packRhs(const Task &task, Value block) {
  if (blocking.widensRhs)
    return widenRhs(task, block);
  int64_t columns = blocking.columns();
  PanelLayout rows = {1, columns};
  Value start = e.mul(block, blocking.depth);
  auto pack = [&](Value n, Value k, Value count) {
    Value panel = e.address(rhsPanel(task, block, n), rhsFormat.unit, e.mul(k, columns));
    rhs.pack(e, e.mul(n, columns), columns, e.add(start, k), count, panel, rows, rhsFormat);
  };
  bool together = packsTogether(blocking, rhs);
  e.loop(task.n, task.nEnd, 1, [&](Value n) {
    clearTail(rhsPanel(task, block, n), columns, rows, rhsFormat, block);
    if (!together)
      pack(n, e.index(0), points(block));
  });
  if (together)
    inStretches(block, [&](Value k, Value count, Value nextCount) {
      Value next = e.add(e.add(start, k), stretchPoints);
      e.loop(task.n, task.nEnd, 1, [&](Value n) {
        rhs.prefetch(e, e.mul(n, columns), columns, next, nextCount, rhsFormat);
        pack(n, k, count);
      });
    });
}

/// Vectors where the blocking says so; matrix tiles, which may lie anywhere, if k is whole steps.
bool ProductEmitter::readsLhsInPlace() const {
  if (!blocking.usesTiles())
    return blocking.lhsLineInPlace != 0;
  if (blocking.packedLhs)
    return true;
  return shape.k % (lhsFormat.depth * blocking.width) == 0 && lhs.bytesBetweenLines(lhsFormat) != 0;
}
ProductEmitter::LhsPanel ProductEmitter::packedLhs() {
  int64_t bytes = lhsLines.lineStride * elementBytes(lhsFormat.unit);
  return {e.offset(scratch, layout.lhs), e.index(bytes), 4};
}
/// Tiles lie one behind the other, the rows of a step first.
ProductEmitter::LhsPanel ProductEmitter::lhsPackedBefore(Value m, Value block) {
  Value start = e.mul(m, blocking.parts() * layout.lhsPanelUnits);
  Value at = e.add(start, e.mul(block, blocking.depth * blocking.rows));
  return {e.address(lhs.packed(), lhsFormat.unit, at), e.index(64), 4 * blocking.rows};
}
/// Of a panel of A. The last one, if it has fewer lines, begins earlier where vectors read in
/// place, among lines of the one before.
Value ProductEmitter::firstRow(Value m) {
  Value row = e.mul(m, blocking.rows);
  if (!blocking.lhsLineInPlace || shape.m % blocking.rows == 0)
    return row;
  return e.min(row, e.index(shape.m - blocking.rows));
}
/// A panel in place; the last one for matrix tiles, if it has fewer lines, as packed before.
ProductEmitter::LhsPanel ProductEmitter::lhsPanel(Value m, Value block) {
  if (blocking.packedLhs)
    return lhsPackedBefore(m, block);
  Value k = e.mul(block, blocking.depth);
  LhsPanel panel = {lhs.addressInPlace(e, firstRow(m), k, lhsFormat),
                    e.index(lhs.bytesBetweenLines(lhsFormat)), 4};
  if (!blocking.usesTiles() || shape.m % blocking.rows == 0)
    return panel;
  LhsPanel edge = packedLhs();
  Value isWhole = e.less(m, e.index(blocking.mPanels - 1));
  auto select = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(e.b, e.loc, isWhole, x, y);
  };
  return {select(panel.pointer, edge.pointer),
          select(panel.bytesBetweenLines, edge.bytesBetweenLines), 4};
}

/// All tiles of the task over one block of k: a panel of A stays in L1 and meets all panels of B.
void ProductEmitter::emitBlock(const Task &task, Value block) {
  if (readsLhsInPlace())
    return emitBlockInPlace(task, block);
  if (!blocking.packedLhs && packsTogether(blocking, lhs))
    return emitBlockTogether(task, block);
  e.loop(task.m, task.mEnd, 1, [&](Value m) {
    if (!blocking.packedLhs)
      packLhs(m, block);
    LhsPanel a = blocking.packedLhs ? lhsPackedBefore(m, block) : packedLhs();
    e.loop(task.n, task.nEnd, 1, [&](Value n) { emitPanels(task, block, m, n, a); });
  });
}

/// Panels of A that are packed together are met by a panel of B, which stays in L1.
void ProductEmitter::emitBlockTogether(const Task &task, Value block) {
  packLhsTogether(task, block);
  e.loop(task.n, task.nEnd, 1, [&](Value n) {
    e.loop(task.m, task.mEnd, 1, [&](Value m) {
      LhsPanel a = packedLhs();
      a.pointer = packedTogether(task, m);
      emitPanels(task, block, m, n, a);
    });
  });
}

/// Rows of results are finished from left to right: what neighbouring tiles write, and their bodies
/// read, are neighbouring cache lines of the same pages.
void ProductEmitter::emitBlockInPlace(const Task &task, Value block) {
  if (blocking.usesTiles() && shape.m % blocking.rows && !blocking.packedLhs)
    e.when(e.less(e.index(blocking.mPanels - 1), task.mEnd),
           [&] { packLhs(e.index(blocking.mPanels - 1), block); });
  e.loop(task.m, task.mEnd, 1, [&](Value m) {
    LhsPanel a = lhsPanel(m, block);
    e.loop(task.n, task.nEnd, 1, [&](Value n) { emitPanels(task, block, m, n, a); });
  });
}

/// One tile. Sums of earlier blocks wait in scratch, tile after tile.
void ProductEmitter::emitPanels(const Task &task, Value block, Value m, Value n,
                                const LhsPanel &a) {
  Value b = rhsPanel(task, block, n);
  if (blocking.depthBlocks == 1) {
    Value tile = e.offset(scratch, layout.tile);
    emitPrefetch(task, m, n);
    emitTile(a, b, points(block), Value(), tile);
    return emitEpilogue(task, m, n, tile);
  }
  Value zeros = e.offset(scratch, layout.zeros), sums = sumsOf(task, m, n);
  Value isFirst = e.less(block, e.index(1));
  Value from = arith::SelectOp::create(e.b, e.loc, isFirst, zeros, sums);
  emitTile(a, b, points(block), from, sums);
  e.when(e.less(e.index(blocking.depthBlocks - 2), block), [&] { emitEpilogue(task, m, n, sums); });
}

void ProductEmitter::emitTile(const LhsPanel &a, Value b, Value points, Value from, Value to) {
  if (!blocking.usesTiles())
    return emitRegisterTile(a.pointer, b, points, from, to);
  MatrixTiles tiles = {
      blocking.multiply, blocking.rows, blocking.vectors, blocking.depth, from, to, Value()};
  TileSide left = {a.pointer, a.bytesBetweenLines, a.bytesPerPoint, lhsFormat.secondPanel},
           right = {b, e.index(4 * blocking.columns()), 4 * blocking.columns(),
                    rhsFormat.secondPanel};
  tiles.spare = e.offset(scratch, layout.spare);
  emitMatrixTiles(e, tiles, left, right, points);
}

void ProductEmitter::emitRegisterTile(Value a, Value b, Value depth, Value from, Value to) {
  int64_t columns = blocking.columns();
  Type right = rhsFormat.unit.isInteger(16) ? shape.rhs : rhsFormat.unit;
  RegisterTile tile = {
      blocking.multiply, blocking.rows, blocking.vectors, blocking.width, shape.acc,
      lhsFormat.unit,    right,         lhsLines};
  tile.fetchesAhead = true;
  SmallVector<Value> sums = from ? tile.load(e, from, columns) : tile.zeros(e);
  if (!lhsLines.runPoints)
    sums = tile.add(e, a, b, depth, sums);
  else
    sums = e.loop(runs.first, runs.second, 1, sums, [&](Value run, ValueRange sum) {
      Value left = e.address(a, lhsFormat.unit, e.mul(run, lhsLines.runStride));
      Value right = e.address(b, rhsFormat.unit, e.mul(run, lhsLines.runPoints * columns));
      return tile.add(e, left, right, e.index(lhsLines.runPoints), sum);
    });
  tile.store(e, sums, to, columns);
}

/// Rows of a tile of sums lie on pages of their own, of which processors fetch nothing ahead: what
/// its epilogue reads comes while its products are formed.
void ProductEmitter::emitPrefetch(const Task &task, Value m, Value n) {
  if (!prefetch)
    return;
  Value row = e.mul(m, blocking.rows), column = e.mul(n, blocking.columns());
  Value count = e.min(e.index(blocking.rows), e.sub(e.index(shape.m), row));
  e.loop(e.index(0), count, 1,
         [&](Value i) { prefetch(task.batch, e.add(row, i), column, blocking.columns()); });
}

void ProductEmitter::emitEpilogue(const Task &task, Value m, Value n, Value tile) {
  int64_t columns = blocking.columns(), width = blocking.width;
  Value row0 = firstRow(m), column0 = e.mul(n, columns);
  Value rowsHere = e.min(e.index(blocking.rows), e.sub(e.index(shape.m), row0));
  Value firstHere = e.sub(e.mul(m, blocking.rows), row0);
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
