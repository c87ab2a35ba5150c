// kernel.scatter_add and kernel.group_rows: what other targets do index by index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/LaneGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::loadIndex;
using target::LoopEmitter;
using target::storeIndex;
using target::tensorOf;

namespace {
/// A row of the table by a warp, which looks for it among 32 indices at a time. A thread adds to
/// columns of its own, in the order of the updates.
struct ScatterWriter {
  kernel::ScatterAddOp op;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  LaneGroup &group;
  Value row;

  void write();
  void forColumns(llvm::function_ref<void(Value)> body) {
    e.loop(group.lane(), e.index(tensorOf(op.getResult()).getDimSize(1)), group.width, body);
  }
  Value place(Value column) {
    return target::at(e, tensorOf(op.getResult()).getShape(), {row, column});
  }
  void addRow(Value update);
  void search();
};
} // namespace

void ScatterWriter::addRow(Value update) {
  auto updates = tensorOf(op.getUpdates());
  Type acc = tensorOf(op.getResult()).getElementType();
  forColumns([&](Value column) {
    Value x = e.loadScalar(pointers.operands[0], updates.getElementType(),
                           target::at(e, updates.getShape(), {update, column}));
    Value sum = e.loadScalar(pointers.results[0], acc, place(column));
    sum = combine(e, kernel::Combine::sum, sum, target::widen(e, x, acc));
    e.storeScalar(sum, pointers.results[0], place(column));
  });
}

void ScatterWriter::search() {
  int64_t count = tensorOf(op.getUpdates()).getDimSize(0);
  Value last = e.index(count - 1), wanted = e.index(0);
  e.loop(e.index(0), e.index(count), 32, [&](Value first) {
    Value i = e.add(first, group.lane());
    Value exists = target::within(e, i, count);
    Value found = target::equal(e, loadIndex(e, pointers.operands[1], e.min(i, last)), row);
    Value bits = e.position(e.ballot(target::both(e, exists, found)));
    e.when(target::negate(e, target::equal(e, bits, wanted)), [&] {
      e.loop(e.index(0), e.index(32), 1, [&](Value lane) {
        Value bit = arith::ShRUIOp::create(e.b, e.loc, bits, lane);
        bit = arith::AndIOp::create(e.b, e.loc, bit, e.index(1));
        e.when(target::equal(e, bit, e.index(1)), [&] { addRow(e.add(first, lane)); });
      });
    });
  });
}

void ScatterWriter::write() {
  Value zero = e.constant(tensorOf(op.getResult()).getElementType(), 0);
  forColumns([&](Value column) { e.storeScalar(zero, pointers.results[0], place(column)); });
  if (tensorOf(op.getUpdates()).getDimSize(0) == 0)
    return;
  if (auto padding = op.getPadding())
    e.when(target::negate(e, target::equal(e, row, e.index(*padding))), [&] { search(); });
  else
    search();
}

static void emitScatterAdd(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ScatterAddOp>(operation);
  launchGroups(
      code, tensorOf(op.getResult()).getDimSize(0), 32,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        ScatterWriter{op, e, pointers, group, e.position(number)}.write();
      });
}

/// The row that index `i` names; `of` for none of them.
static Value rowOf(kernel::GroupRowsOp op, LoopEmitter &e, const KernelPointers &pointers,
                   Value i) {
  Value row = loadIndex(e, pointers.operands[0], i);
  return target::select(e, target::within(e, row, op.getOf()), row, e.index(op.getOf()));
}

/// The place of every index among all, sorted by the rows that they name.
static void emitOrder(kernel::GroupRowsOp op, DeviceCode &code) {
  int64_t count = tensorOf(op.getIndex()).getDimSize(0);
  ThreadPerPoint(code).forEach(
      {count}, [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
        Value own = rowOf(op, e, pointers, p[0]);
        auto next = [&](Value j, ValueRange before) -> SmallVector<Value> {
          Value other = rowOf(op, e, pointers, j);
          Value tie = target::both(e, target::equal(e, other, own), e.less(j, p[0]));
          Value isBefore = e.b.createOrFold<arith::OrIOp>(e.loc, e.less(other, own), tie);
          return {e.add(before[0], target::select(e, isBefore, e.index(1), e.index(0)))};
        };
        Value place = e.loop(e.index(0), e.index(count), 1, e.index(0), next)[0];
        storeIndex(e, p[0], pointers.results[1], place);
      });
}

/// Row k and where it starts; past the last of them -1 and the number of indices that name a row.
static void emitStarts(kernel::GroupRowsOp op, DeviceCode &code) {
  int64_t count = tensorOf(op.getIndex()).getDimSize(0),
          distinct = tensorOf(op.getRows()).getDimSize(0);
  ThreadPerPoint(code).forEach({distinct + 1}, [&](LoopEmitter &e, const KernelPointers &pointers,
                                                   ArrayRef<Value> p) {
    Value none = e.index(-1), one = e.index(1), zero = e.index(0);
    // Rows so far, indices that name one, the row before; row k and its start.
    SmallVector<Value> start{zero, zero, none, none, none};
    auto next = [&](Value place, ValueRange now) -> SmallVector<Value> {
      Value row = rowOf(op, e, pointers, loadIndex(e, pointers.results[1], place));
      Value named = target::within(e, row, op.getOf());
      Value isFirst = target::both(e, named, target::negate(e, target::equal(e, row, now[2])));
      Value isWanted = target::both(e, isFirst, target::equal(e, now[0], p[0]));
      return {e.add(now[0], target::select(e, isFirst, one, zero)),
              e.add(now[1], target::select(e, named, one, zero)), row,
              target::select(e, isWanted, row, now[3]), target::select(e, isWanted, place, now[4])};
    };
    SmallVector<Value> found = e.loop(zero, e.index(count), 1, start, next);
    Value isThere = target::negate(e, target::equal(e, found[4], none));
    storeIndex(e, target::select(e, isThere, found[4], found[1]), pointers.results[2], p[0]);
    e.when(target::within(e, p[0], distinct),
           [&] { storeIndex(e, found[3], pointers.results[0], p[0]); });
  });
}

static void emitGroupRows(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::GroupRowsOp>(operation);
  emitOrder(op, code);
  emitStarts(op, code);
}

void nvptx::addRowForms(Forms &forms) {
  forms[kernel::ScatterAddOp::getOperationName()] = {emitScatterAdd};
  forms[kernel::GroupRowsOp::getOperationName()] = {emitGroupRows};
}
