// Scatter and grouping of rows, index by index in sequence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Reference/ReferenceKernelLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;
using namespace ampc::target;

/// Loop over the columns of [rows, width]; `body` gets the offsets of a column in `row` and in
/// `other`.
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
/// Adds row `from` of the updates to row `to` of the sums, both [rows, width].
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

/// The least index above `last` that is a row of the table; `rows` if there is none.
static Value nextRow(LoopEmitter &e, Value index, int64_t count, int64_t rows, Value last) {
  return e.loop(e.index(0), e.index(count), 1, {e.index(rows)}, [&](Value i, ValueRange least) {
    Value row = loadIndex(e, index, i);
    Value isBetween = both(e, e.less(last, row), e.less(row, least[0]));
    return SmallVector<Value>{select(e, isBetween, row, least[0])};
  })[0];
}

/// Positions of the indices sorted by row, indices without a row last: [3, 9, 3] gives [0, 2, 1]. A
/// small table is searched row by row (rows * indices comparisons), a large table from referenced
/// row to referenced row (2 * indices^2): 4096 indices of 10^6 rows take 3 * 10^7 comparisons in
/// place of 4 * 10^9.
static void emitSortByKey(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::SortByKeyOp>(operation);
  Value index = pointers.operands[0], rows = pointers.results[0], order = pointers.results[1],
        starts = pointers.results[2];
  int64_t count = tensorOf(op.getIndex()).getDimSize(0),
          distinct = tensorOf(op.getRows()).getDimSize(0);
  Value zero = e.index(0), one = e.index(1);
  /// Loop-carried values: number of positions and number of rows found.
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
  int64_t of = op.getOf();
  bool isSmall = of <= 2 * count;
  SmallVector<Value> found =
      e.loop(zero, e.index(isSmall ? of : distinct), 1, {zero, zero, e.index(-1)},
             [&](Value number, ValueRange before) {
               Value row = isSmall ? number : nextRow(e, index, count, of, before[2]);
               Value isRow = e.less(row, e.index(of));
               SmallVector<Value> now = e.loop(
                   zero, e.index(count), 1, before.take_front(2), [&](Value i, ValueRange now) {
                     Value belongs = both(e, isRow, equal(e, loadIndex(e, index, i), row));
                     return visit(i, row, belongs, now, before[0]);
                   });
               now.push_back(row);
               return now;
             });
  found.pop_back();
  e.loop(found[1], e.index(distinct), 1, [&](Value k) {
    storeIndex(e, e.index(-1), rows, k);
    storeIndex(e, found[0], starts, k);
  });
  storeIndex(e, found[0], starts, e.index(distinct));
  e.loop(zero, e.index(count), 1, found, [&](Value i, ValueRange now) {
    Value outside = negate(e, within(e, loadIndex(e, index, i), of));
    return visit(i, Value(), outside, now, Value());
  });
}

void reference::addRowLowering(LoweringTable &table) {
  table[kernel::ScatterAddOp::getOperationName()] = {emitScatterAdd, nullptr};
  table[kernel::SortByKeyOp::getOperationName()] = {emitSortByKey, nullptr};
}
