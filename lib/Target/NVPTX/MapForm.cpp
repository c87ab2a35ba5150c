// kernel.map: a thread per point, or a group of threads per row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/LaneGroup.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::IterationSpace;

/// Whether every point writes elements of its own, so that it may run without the others.
static bool writesOwnElements(const IterationSpace &space) {
  for (unsigned dim = 0; dim < space.rank(); ++dim)
    for (const target::Access &access : space.results)
      if (space.sizes[dim] > 1 && !access.dependsOn(dim))
        return false;
  return true;
}

static void emitPoints(kernel::MapOp op, DeviceCode &code, const IterationSpace &space) {
  ThreadPerPoint(code).forEach(
      space.sizes,
      [&](target::LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> dims) {
        Body body(e, op, pointers, space);
        Body::Values known;
        for (auto [k, value] : llvm::enumerate(body.yields(dims, known)))
          body.store(k, value, dims);
      });
}

namespace {
/// One row by a group: reductions in stages, then results.
class RowWriter {
public:
  RowWriter(kernel::MapOp op, DeviceEmitter &e, Body &body, LaneGroup &group, ArrayRef<Value> row)
      : op(op), e(e), body(body), group(group), row(row), length(body.space().sizes.back()),
        last(body.space().rank() - 1) {}

  void write();

private:
  SmallVector<Value> dimsAt(Value column) const {
    SmallVector<Value> dims(row);
    dims.push_back(column);
    return dims;
  }
  void reduceStage(ArrayRef<kernel::RowReduceOp> reductions);
  void accumulate(ArrayRef<kernel::RowReduceOp> reductions, Value column, Value exists,
                  MutableArrayRef<Value> sums);
  void storeVarying();
  void storeUniform();

  kernel::MapOp op;
  DeviceEmitter &e;
  Body &body;
  LaneGroup &group;
  ArrayRef<Value> row;
  int64_t length;
  unsigned last;
  Body::Values reduced;
};
} // namespace

void RowWriter::accumulate(ArrayRef<kernel::RowReduceOp> reductions, Value column, Value exists,
                           MutableArrayRef<Value> sums) {
  Body::Values known(reduced);
  SmallVector<Value> dims = dimsAt(column);
  for (auto [r, sum] : llvm::zip(reductions, sums)) {
    kernel::RowReduceOp reduce = r;
    Value next = combine(e, reduce.getKind(), sum, body.evaluate(reduce.getX(), dims, known));
    sum = exists ? target::select(e, exists, next, sum) : next;
  }
}

// The order of a CPU with vectors of sixteen: four sums a lane over the start of long rows, the
// rest to the first of them.
void RowWriter::reduceStage(ArrayRef<kernel::RowReduceOp> reductions) {
  int64_t width = group.width, ways = length >= 8 * width ? 4 : 1, count = reductions.size();
  int64_t blocked = length / (ways * width) * (ways * width);
  SmallVector<Value> sums;
  for (int64_t way = 0; way < ways; ++way)
    for (kernel::RowReduceOp r : reductions)
      sums.push_back(target::neutral(e, r.getKind(), r.getType()));
  sums = e.loop(e.index(0), e.index(blocked), ways * width, sums, [&](Value j, ValueRange soFar) {
    SmallVector<Value> next(soFar);
    for (int64_t way = 0; way < ways; ++way)
      accumulate(reductions, e.add(e.add(j, way * width), group.lane()), Value(),
                 MutableArrayRef(next).slice(way * count, count));
    return next;
  });
  for (int64_t j = blocked; j < length; j += width) {
    Value column = e.add(group.lane(), j), exists;
    if (length - j < width) {
      exists = e.less(column, e.index(length));
      column = e.min(column, e.index(length - 1));
    }
    accumulate(reductions, column, exists, MutableArrayRef(sums).take_front(count));
  }
  for (auto [i, r] : llvm::enumerate(reductions)) {
    kernel::RowReduceOp reduce = r;
    for (int64_t way = 1; way < ways; ++way)
      sums[i] = combine(e, reduce.getKind(), sums[i], sums[way * count + i]);
    reduced[reduce.getResult()] = group.combine(reduce.getKind(), sums[i]);
  }
}

void RowWriter::storeVarying() {
  Operation *yield = body.block().getTerminator();
  auto varying =
      llvm::filter_to_vector(llvm::seq<unsigned>(0, op->getNumResults()),
                             [&](unsigned k) { return body.space().results[k].dependsOn(last); });
  if (varying.empty())
    return;
  e.loop(group.lane(), e.index(length), group.width, [&](Value column) {
    Body::Values known(reduced);
    SmallVector<Value> dims = dimsAt(column), values;
    for (unsigned k : varying)
      values.push_back(body.evaluate(yield->getOperand(k), dims, known));
    for (auto [k, value] : llvm::zip(varying, values))
      body.store(k, value, dims);
  });
}

/// One number per row may lie where the row's points read: it comes when all of them have.
void RowWriter::storeUniform() {
  Operation *yield = body.block().getTerminator();
  Body::Values known(reduced);
  SmallVector<Value> dims = dimsAt(e.index(0));
  SmallVector<std::pair<unsigned, Value>> values;
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    if (!body.space().results[k].dependsOn(last))
      values.push_back({k, body.evaluate(yield->getOperand(k), dims, known)});
  if (values.empty())
    return;
  group.sync();
  e.when(target::equal(e, group.lane(), e.index(0)), [&] {
    for (auto [k, value] : values)
      body.store(k, value, dims);
  });
}

void RowWriter::write() {
  SmallVector<kernel::RowReduceOp> all(body.block().getOps<kernel::RowReduceOp>());
  for (unsigned stage = 0;; ++stage) {
    auto now = llvm::filter_to_vector(
        all, [&](kernel::RowReduceOp r) { return target::rowStage(r.getResult()) == stage; });
    if (now.empty())
      break;
    reduceStage(now);
  }
  storeVarying();
  storeUniform();
}

static void emitRows(kernel::MapOp op, DeviceCode &code, const IterationSpace &space) {
  ArrayRef<int64_t> rows = ArrayRef(space.sizes).drop_back();
  launchGroups(
      code, ShapedType::getNumElements(rows), LaneGroup::most,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        Body body(e, op, pointers, space);
        SmallVector<Value> row = e.split(number, rows);
        RowWriter(op, e, body, group, row).write();
      });
}

static void emitMap(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::MapOp>(operation);
  Block &block = op.getBody().front();
  IterationSpace space = IterationSpace::of(op);
  bool reduces = !block.getOps<kernel::RowReduceOp>().empty();
  bool isRows = reduces || !writesOwnElements(space);
  space.collapse(isRows || !block.getOps<kernel::RowIndexOp>().empty());
  if (isRows)
    emitRows(op, code, space);
  else
    emitPoints(op, code, space);
}

void nvptx::addMapForm(Forms &forms) { forms[kernel::MapOp::getOperationName()] = {emitMap}; }
