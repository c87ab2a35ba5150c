// Rows of a table by number, and tensors put together from parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Reference/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;

/// Element `i` of an index, an i32, as a position.
static Value loadIndex(LoopEmitter &e, Value base, Value i) {
  return e.asIndex(e.loadScalar(base, e.b.getI32Type(), i));
}
static void storeIndex(LoopEmitter &e, Value number, Value base, Value i) {
  e.storeScalar(arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), number), base, i);
}
static Value negate(LoopEmitter &e, Value condition) {
  return arith::XOrIOp::create(e.b, e.loc, condition, e.constant(e.b.getI1Type(), 1));
}
/// A loop over the columns of [rows, width], at positions of two rows.
static void forColumns(LoopEmitter &e, int64_t width, Value row, Value other,
                       llvm::function_ref<void(Value, Value)> body) {
  e.loop(e.index(0), e.index(width), 1, [&](Value column) {
    body(e.add(e.mul(row, width), column), e.add(e.mul(other, width), column));
  });
}
static void fill(LoopEmitter &e, RankedTensorType type, Value pointer, double value) {
  Value filling = e.constant(type.getElementType(), value);
  e.loop(e.index(0), e.index(type.getNumElements()), 1,
         [&](Value i) { e.storeScalar(filling, pointer, i); });
}
/// Adds row `from` of the updates to row `to` of the sums.
static void addRow(LoopEmitter &e, const KernelPointers &pointers, RankedTensorType updates,
                   RankedTensorType sums, Value to, Value from) {
  Type acc = sums.getElementType();
  forColumns(e, sums.getDimSize(1), to, from, [&](Value target, Value source) {
    Value x = e.loadScalar(pointers.operands[0], updates.getElementType(), source);
    Value sum = e.loadScalar(pointers.results[0], acc, target);
    e.storeScalar(arith::AddFOp::create(e.b, e.loc, sum, widen(e, x, acc)), pointers.results[0],
                  target);
  });
}

static void emitGather(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::GatherOp>(operation);
  auto table = tensorOf(op.getTable()), rows = tensorOf(op.getResult());
  Type element = rows.getElementType();
  e.loop(e.index(0), e.index(rows.getDimSize(0)), 1, [&](Value i) {
    Value from = loadIndex(e, pointers.operands[1], i);
    Value inside = within(e, from, table.getDimSize(0));
    from = select(e, inside, from, e.index(0));
    forColumns(e, rows.getDimSize(1), i, from, [&](Value to, Value source) {
      Value x = e.loadScalar(pointers.operands[0], element, source);
      e.storeScalar(select(e, inside, x, e.constant(element, 0)), pointers.results[0], to);
    });
  });
}

static void emitScatterAdd(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::ScatterAddOp>(operation);
  auto updates = tensorOf(op.getUpdates()), table = tensorOf(op.getResult());
  fill(e, table, pointers.results[0], 0);
  e.loop(e.index(0), e.index(updates.getDimSize(0)), 1, [&](Value i) {
    Value row = loadIndex(e, pointers.operands[1], i);
    Value counts = within(e, row, table.getDimSize(0));
    if (auto padding = op.getPadding())
      counts = both(e, counts, negate(e, equal(e, row, e.index(*padding))));
    e.when(counts, [&] { addRow(e, pointers, updates, table, row, i); });
  });
}

/// Looks for every row of the table among the indices, and for what names none last.
static void emitGroupRows(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::GroupRowsOp>(operation);
  Value index = pointers.operands[0], rows = pointers.results[0], order = pointers.results[1],
        starts = pointers.results[2];
  int64_t count = tensorOf(op.getIndex()).getDimSize(0),
          distinct = tensorOf(op.getRows()).getDimSize(0);
  Value zero = e.index(0), one = e.index(1);
  /// Carries how many indices and how many rows were found.
  auto visit = [&](Value i, Value row, Value belongs, ValueRange found, Value firstOfRow) {
    Value isFirst = row ? both(e, belongs, equal(e, found[0], firstOfRow)) : Value();
    e.when(belongs, [&] { storeIndex(e, i, order, found[0]); });
    if (row)
      e.when(isFirst, [&] {
        storeIndex(e, row, rows, found[1]);
        storeIndex(e, found[0], starts, found[1]);
      });
    Value groups = row ? e.add(found[1], select(e, isFirst, one, zero)) : found[1];
    return SmallVector<Value>{e.add(found[0], select(e, belongs, one, zero)), groups};
  };
  SmallVector<Value> found =
      e.loop(zero, e.index(op.getOf()), 1, {zero, zero}, [&](Value row, ValueRange before) {
        Value first = before[0];
        return e.loop(zero, e.index(count), 1, before, [&](Value i, ValueRange now) {
          return visit(i, row, equal(e, loadIndex(e, index, i), row), now, first);
        });
      });
  e.loop(found[1], e.index(distinct), 1, [&](Value k) {
    storeIndex(e, e.index(-1), rows, k);
    storeIndex(e, found[0], starts, k);
  });
  storeIndex(e, found[0], starts, e.index(distinct));
  e.loop(zero, e.index(count), 1, found, [&](Value i, ValueRange now) {
    Value outside = negate(e, within(e, loadIndex(e, index, i), op.getOf()));
    return visit(i, Value(), outside, now, Value());
  });
}

static void emitSumRows(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::SumRowsOp>(operation);
  auto updates = tensorOf(op.getUpdates()), sums = tensorOf(op.getResult());
  fill(e, sums, pointers.results[0], 0);
  e.loop(e.index(0), e.index(sums.getDimSize(0)), 1, [&](Value row) {
    Value first = loadIndex(e, pointers.operands[2], row),
          last = loadIndex(e, pointers.operands[2], e.add(row, 1));
    e.loop(first, last, 1, [&](Value i) {
      addRow(e, pointers, updates, sums, row, loadIndex(e, pointers.operands[1], i));
    });
  });
}

/// Works on the table in place: the result's memory is the table's.
static void emitPutRows(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::PutRowsOp>(operation);
  auto rows = tensorOf(op.getRows());
  e.loop(e.index(0), e.index(rows.getDimSize(0)), 1, [&](Value i) {
    Value row = loadIndex(e, pointers.operands[1], i);
    e.when(within(e, row, tensorOf(op.getTable()).getDimSize(0)), [&] {
      forColumns(e, rows.getDimSize(1), row, i, [&](Value to, Value from) {
        e.storeScalar(e.loadScalar(pointers.operands[0], rows.getElementType(), from),
                      pointers.results[0], to);
      });
    });
  });
}

static void emitAssemble(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::AssembleOp>(operation);
  auto whole = tensorOf(op.getResult());
  unsigned rank = whole.getRank();
  fill(e, whole, pointers.results[0], op.getFill().convertToDouble());
  for (auto [i, value] : llvm::enumerate(op.getParts())) {
    auto part = tensorOf(value);
    auto offsets = op.getOffsets().slice(i * rank, rank),
         strides = op.getStrides().slice(i * rank, rank);
    Value pointer = pointers.operands[i];
    forPoints(e, part.getShape(), [&](ArrayRef<Value> dims) {
      SmallVector<Value> to;
      for (auto [dim, offset, stride] : llvm::zip(dims, offsets, strides))
        to.push_back(e.add(e.mul(dim, stride), offset));
      Value x = e.loadScalar(pointer, part.getElementType(), at(e, part.getShape(), dims));
      e.storeScalar(x, pointers.results[0], at(e, whole.getShape(), to));
    });
  }
}

void reference::addRowWriters(Writers &writers) {
  writers[kernel::GatherOp::getOperationName()] = {emitGather, nullptr};
  writers[kernel::ScatterAddOp::getOperationName()] = {emitScatterAdd, nullptr};
  writers[kernel::GroupRowsOp::getOperationName()] = {emitGroupRows, nullptr};
  writers[kernel::SumRowsOp::getOperationName()] = {emitSumRows, nullptr};
  writers[kernel::PutRowsOp::getOperationName()] = {emitPutRows, nullptr};
  writers[kernel::AssembleOp::getOperationName()] = {emitAssemble, nullptr};
}
