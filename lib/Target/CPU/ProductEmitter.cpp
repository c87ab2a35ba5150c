// Tasks, cache blocks and register tiles of a product of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/ProductEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

ProductEmitter::ProductEmitter(KernelEmitter &e, const ProductShape &shape,
                               const Blocking &blocking, PanelSource &lhs, PanelSource &rhs,
                               Epilogue epilogue)
    : e(e), shape(shape), blocking(blocking), lhs(lhs), rhs(rhs), epilogue(epilogue),
      lhsLayout(lhs.layout(blocking.rows, blocking.depth)),
      layout(ScratchLayout::of(shape, blocking, lhs)) {}

ScratchLayout ScratchLayout::of(const ProductShape &shape, const Blocking &blocking,
                                const PanelSource &lhs) {
  int64_t at = 0;
  auto take = [&](int64_t elements) {
    int64_t start = at;
    at += kernel::alignUp(elements * elementBytes(shape.acc));
    return start;
  };
  int64_t lhsLine = std::max(lhs.layout(blocking.rows, blocking.depth).lineStride, blocking.depth);
  int64_t tile = blocking.rows * blocking.columns(), split = blocking.depthBlocks > 1;
  int64_t rhsBlocks = blocking.keepRhs ? blocking.depthBlocks : 1;
  ScratchLayout layout;
  layout.lhsPanelElements = blocking.rows * lhsLine;
  layout.zeros = take(split * tile);
  layout.tile = take(tile);
  layout.lhs = take(layout.lhsPanelElements);
  layout.rhs = take(rhsBlocks * blocking.nStep * blocking.depth * blocking.columns());
  layout.sums = take(split * blocking.mStep * blocking.nStep * tile);
  layout.total = at;
  return layout;
}

void ProductEmitter::emit(Value begin, Value end, Value memory) {
  scratch = memory;
  if (blocking.depthBlocks > 1) {
    Type vector = e.vectorOf(shape.acc, blocking.width);
    for (int64_t i = 0; i < blocking.rows * blocking.vectors; ++i)
      e.store(e.constant(vector, 0), e.offset(scratch, layout.zeros), e.index(i * blocking.width));
  }
  e.loop(begin, end, 1, e.index(-1), [&](Value number, ValueRange packed) {
    Value key;
    Task task = locate(number, key);
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
      if (!blocking.keepRhs)
        packRhs(task, block);
      emitBlock(task, block);
    });
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
  return e.min(e.index(blocking.depth), e.sub(e.index(shape.k), e.mul(block, blocking.depth)));
}
Value ProductEmitter::rhsPanel(const Task &task, Value block, Value panel) {
  Value number = e.sub(panel, task.n);
  if (blocking.keepRhs)
    number = e.add(number, e.mul(block, blocking.nStep));
  return e.address(e.offset(scratch, layout.rhs), shape.acc,
                   e.mul(number, blocking.depth * blocking.columns()));
}
Value ProductEmitter::sumsOf(const Task &task, Value m, Value n) {
  Value number = e.add(e.mul(e.sub(n, task.n), blocking.mStep), e.sub(m, task.m));
  return e.address(e.offset(scratch, layout.sums), shape.acc,
                   e.mul(number, blocking.rows * blocking.columns()));
}

void ProductEmitter::packRhs(const Task &task, Value block) {
  e.loop(task.n, task.nEnd, 1, [&](Value panel) {
    rhs.pack(e, e.mul(panel, blocking.columns()), blocking.columns(), e.mul(block, blocking.depth),
             points(block), rhsPanel(task, block, panel), {1, blocking.columns()}, shape.acc);
  });
}

/// All tiles of the task over one block of k: a panel of A stays in L1 and meets all panels of B.
/// Sums of earlier blocks wait in scratch, tile after tile.
void ProductEmitter::emitBlock(const Task &task, Value block) {
  Value zeros = e.offset(scratch, layout.zeros), tile = e.offset(scratch, layout.tile),
        depth = points(block);
  Value a = e.offset(scratch, layout.lhs);
  e.loop(task.m, task.mEnd, 1, [&](Value m) {
    lhs.pack(e, e.mul(m, blocking.rows), blocking.rows, e.mul(block, blocking.depth), depth, a,
             lhsLayout, shape.acc);
    e.loop(task.n, task.nEnd, 1, [&](Value n) {
      Value b = rhsPanel(task, block, n);
      if (blocking.depthBlocks == 1) {
        emitTile(a, b, depth, Value(), tile);
        return emitEpilogue(task, m, n, tile);
      }
      Value sums = sumsOf(task, m, n), isFirst = e.less(block, e.index(1));
      Value from = arith::SelectOp::create(e.b, e.loc, isFirst, zeros, sums);
      emitTile(a, b, depth, from, sums);
      e.when(e.less(e.index(blocking.depthBlocks - 2), block),
             [&] { emitEpilogue(task, m, n, sums); });
    });
  });
}

static Value multiplyAdd(KernelEmitter &e, Value x, Value y, Value sum) {
  if (e.tier.hasFMA())
    return math::FmaOp::create(e.b, e.loc, x, y, sum);
  return arith::AddFOp::create(e.b, e.loc, sum, arith::MulFOp::create(e.b, e.loc, x, y));
}

void ProductEmitter::emitTile(Value a, Value b, Value depth, Value from, Value to) {
  int64_t rows = blocking.rows, vectors = blocking.vectors, width = blocking.width;
  Type type = e.vectorOf(shape.acc, width);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < rows * vectors; ++i)
    sums.push_back(from ? e.loadVector(from, shape.acc, e.index(i * width), width)
                        : e.constant(type, 0));
  sums = e.loop(e.index(0), depth, 1, sums, [&](Value k, ValueRange sum) {
    SmallVector<Value> right, next;
    for (int64_t v = 0; v < vectors; ++v)
      right.push_back(
          e.loadVector(b, shape.acc, e.add(e.mul(k, blocking.columns()), v * width), width));
    for (int64_t i = 0; i < rows; ++i) {
      Value x = e.loadScalar(a, shape.acc,
                             e.add(e.mul(k, lhsLayout.depthStride), i * lhsLayout.lineStride));
      x = e.broadcast(x, width);
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(multiplyAdd(e, x, right[v], sum[i * vectors + v]));
    }
    return next;
  });
  for (int64_t i = 0; i < rows * vectors; ++i)
    e.store(sums[i], to, e.index(i * width));
}

void ProductEmitter::emitEpilogue(const Task &task, Value m, Value n, Value tile) {
  int64_t columns = blocking.columns(), width = blocking.width;
  Value row0 = e.mul(m, blocking.rows), column0 = e.mul(n, columns);
  Value rowsHere = e.min(e.index(blocking.rows), e.sub(e.index(shape.m), row0));
  auto emitRows = [&](int64_t columnsHere) {
    e.loop(e.index(0), rowsHere, 1, [&](Value row) {
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
