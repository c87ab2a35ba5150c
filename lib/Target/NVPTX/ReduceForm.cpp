// kernel.reduce: a thread per column, or a group of threads per row; then the sums of the chunks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/LaneGroup.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::LoopEmitter;

namespace {
/// Sums of result k over a chunk lie in the workspace as [chunks, outer, inner], k by k.
class ReduceWriter {
public:
  explicit ReduceWriter(kernel::ReduceOp op) : op(op), order(op) {}
  void emit(DeviceCode &code);
  int64_t workspaceBytes() const;

private:
  using Sums = SmallVector<Value>;
  Type elementOf(unsigned k) { return getElementTypeOrSelf(op->getResult(k)); }
  Sums start(LoopEmitter &e);
  Sums accumulate(LoopEmitter &e, Body &body, ArrayRef<Value> dims, ValueRange sums);
  std::pair<Value, Value> rangeOf(LoopEmitter &e, Value chunk);
  Sums reduceRow(DeviceEmitter &e, Body &body, LaneGroup &group, Value outer, Value from, Value to);
  void store(LoopEmitter &e, const KernelPointers &pointers, Body &body, ArrayRef<Value> place,
             ValueRange sums);
  Value partialBase(LoopEmitter &e, const KernelPointers &pointers, unsigned k);
  void emitColumns(DeviceCode &code);
  void emitRows(DeviceCode &code);
  void emitLast(DeviceCode &code);

  kernel::ReduceOp op;
  target::ReduceOrder order;
};
} // namespace

static int64_t alignUp(int64_t bytes) { return llvm::alignTo(bytes, 64); }

int64_t ReduceWriter::workspaceBytes() const {
  int64_t bytes = 0, sums = order.chunks * order.outer * order.inner;
  for (Type type : op->getResultTypes())
    bytes += alignUp(sums * target::elementBytes(getElementTypeOrSelf(type)));
  return order.chunks == 1 ? 0 : bytes;
}
Value ReduceWriter::partialBase(LoopEmitter &e, const KernelPointers &pointers, unsigned k) {
  int64_t bytes = 0, sums = order.chunks * order.outer * order.inner;
  for (unsigned i = 0; i < k; ++i)
    bytes += alignUp(sums * target::elementBytes(elementOf(i)));
  return e.offset(pointers.workspace, bytes);
}

ReduceWriter::Sums ReduceWriter::start(LoopEmitter &e) {
  Sums sums;
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    sums.push_back(target::neutral(e, op.getKind(), elementOf(k)));
  return sums;
}
ReduceWriter::Sums ReduceWriter::accumulate(LoopEmitter &e, Body &body, ArrayRef<Value> dims,
                                            ValueRange sums) {
  Body::Values known;
  Sums next;
  for (auto [sum, term] : llvm::zip(sums, body.yields(dims, known)))
    next.push_back(combine(e, op.getKind(), sum, term));
  return next;
}
/// The last chunks may be empty.
std::pair<Value, Value> ReduceWriter::rangeOf(LoopEmitter &e, Value chunk) {
  if (order.chunks == 1)
    return {e.index(0), e.index(order.reduced)};
  Value from = e.min(e.mul(chunk, order.chunk), e.index(order.reduced));
  return {from, e.min(e.add(from, order.chunk), e.index(order.reduced))};
}

/// `place`: chunk, outer, inner.
void ReduceWriter::store(LoopEmitter &e, const KernelPointers &pointers, Body &body,
                         ArrayRef<Value> place, ValueRange sums) {
  for (auto [k, sum] : llvm::enumerate(sums)) {
    if (order.chunks == 1)
      body.store(k, sum, {place[1], e.index(0), place[2]});
    else
      e.storeScalar(sum, partialBase(e, pointers, k),
                    target::at(e, {order.chunks, order.outer, order.inner}, place));
  }
}

void ReduceWriter::emitColumns(DeviceCode &code) {
  ThreadPerPoint(code).forEach(
      {order.chunks, order.outer, order.inner},
      [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> place) {
        Body body(e, op, pointers, order.space);
        auto [from, to] = rangeOf(e, place[0]);
        Sums sums = e.loop(from, to, 1, start(e), [&](Value i, ValueRange soFar) {
          return accumulate(e, body, {place[1], i, place[2]}, soFar);
        });
        store(e, pointers, body, place, sums);
      });
}

// The order of a CPU with vectors of sixteen: four sums a lane, which become one, then what is left
// of whole vectors, then the last terms one by one.
ReduceWriter::Sums ReduceWriter::reduceRow(DeviceEmitter &e, Body &body, LaneGroup &group,
                                           Value outer, Value from, Value to) {
  constexpr int64_t ways = 4;
  int64_t width = group.width;
  unsigned count = op->getNumResults();
  auto at = [&](Value i) { return SmallVector<Value>{outer, i, e.index(0)}; };
  Sums sums;
  for (int64_t way = 0; way < ways; ++way)
    llvm::append_range(sums, start(e));
  Value whole = e.mul(e.div(e.sub(to, from), ways * width), ways * width);
  Value blocked = e.add(from, whole);
  sums = e.loop(from, blocked, ways * width, sums, [&](Value i, ValueRange soFar) {
    Sums next;
    for (int64_t way = 0; way < ways; ++way)
      llvm::append_range(next, accumulate(e, body, at(e.add(e.add(i, way * width), group.lane())),
                                          soFar.slice(way * count, count)));
    return next;
  });
  Sums first;
  for (unsigned k = 0; k < count; ++k) {
    Value sum = sums[k];
    for (int64_t way = 1; way < ways; ++way)
      sum = combine(e, op.getKind(), sum, sums[way * count + k]);
    first.push_back(sum);
  }
  Value vectors = e.add(blocked, e.mul(e.div(e.sub(to, blocked), width), width));
  first = e.loop(blocked, vectors, width, first, [&](Value i, ValueRange soFar) {
    return accumulate(e, body, at(e.add(i, group.lane())), soFar);
  });
  for (Value &sum : first)
    sum = group.combine(op.getKind(), sum);
  return e.loop(vectors, to, 1, first,
                [&](Value i, ValueRange soFar) { return accumulate(e, body, at(i), soFar); });
}

void ReduceWriter::emitRows(DeviceCode &code) {
  launchGroups(
      code, order.chunks * order.outer, LaneGroup::most,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        SmallVector<Value> place = e.split(number, {order.chunks, order.outer});
        place.push_back(e.index(0));
        Body body(e, op, pointers, order.space);
        auto [from, to] = rangeOf(e, place[0]);
        Sums sums = reduceRow(e, body, group, place[1], from, to);
        e.when(target::equal(e, group.lane(), e.index(0)),
               [&] { store(e, pointers, body, place, sums); });
      });
}

/// Chunk by chunk, in order.
void ReduceWriter::emitLast(DeviceCode &code) {
  ThreadPerPoint(code).forEach(
      {order.outer, order.inner},
      [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> place) {
        Body body(e, op, pointers, order.space);
        for (unsigned k = 0; k < op->getNumResults(); ++k) {
          Value base = partialBase(e, pointers, k);
          auto part = [&](Value chunk) {
            return e.loadScalar(base, elementOf(k),
                                target::at(e, {order.chunks, order.outer, order.inner},
                                           {chunk, place[0], place[1]}));
          };
          Value sum = e.loop(e.index(1), e.index(order.chunks), 1, part(e.index(0)),
                             [&](Value chunk, ValueRange soFar) -> Sums {
                               return {combine(e, op.getKind(), soFar[0], part(chunk))};
                             })[0];
          body.store(k, sum, {place[0], e.index(0), place[1]});
        }
      });
}

void ReduceWriter::emit(DeviceCode &code) {
  if (order.inner == 1)
    emitRows(code);
  else
    emitColumns(code);
  if (order.chunks > 1)
    emitLast(code);
}

static void configureReduce(Operation *operation, const Chip &) {
  auto op = cast<kernel::ReduceOp>(operation);
  op.setParts(target::ReduceOrder::chooseParts(op));
  op.setWorkspaceBytes(ReduceWriter(op).workspaceBytes());
}

void nvptx::addReduceForm(Forms &forms) {
  forms[kernel::ReduceOp::getOperationName()] = {
      [](Operation *op, DeviceCode &code) { ReduceWriter(cast<kernel::ReduceOp>(op)).emit(code); },
      configureReduce,
      [](Operation *op, const Chip &) {
        return ReduceWriter(cast<kernel::ReduceOp>(op)).workspaceBytes();
      }};
}
