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

/// Neighbouring points of a thread: as many as fill 16 bytes of the widest tensor that is read or
/// written along them, if vectors of all of them are aligned wherever the last dimension is cut.
static int64_t pointsPerThread(kernel::MapOp op, const IterationSpace &space) {
  unsigned last = space.rank() - 1;
  int64_t widest = 0;
  SmallVector<const target::Access *> runs;
  auto visit = [&](Type type, const target::Access &access) {
    std::optional<int64_t> stride = access.strideAlong(last);
    if (stride != 1)
      return;
    runs.push_back(&access);
    widest = std::max(widest, target::elementBytes(getElementTypeOrSelf(type)));
  };
  for (auto [type, access] : llvm::zip(op->getOperandTypes(), space.inputs))
    visit(type, access);
  for (auto [type, access] : llvm::zip(op->getResultTypes(), space.results))
    visit(type, access);
  if (runs.empty())
    return 1;
  int64_t points = 16 / widest;
  auto fits = [&](const target::Access *access) {
    if (access->residue || access->constant % points)
      return false;
    for (unsigned dim = 0; dim < last; ++dim)
      if (access->strides[dim] % points)
        return false;
    return true;
  };
  while (points > 1 && (space.sizes[last] % points || !llvm::all_of(runs, fits)))
    points /= 2;
  return points;
}

namespace {
/// Some neighbouring points by a thread: vectors are read, then all results found, then stored.
struct RunWriter {
  kernel::MapOp op;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  const IterationSpace &space;
  int64_t points;
  ArrayRef<Value> dims; // of the first

  Value placeOf(Value pointer, Type element, const target::Access &access) {
    return e.address(pointer, element, target::position(e, access, dims));
  }
  SmallVector<Value> dimsAt(int64_t i) {
    SmallVector<Value> at(dims);
    at.back() = e.add(at.back(), i);
    return at;
  }
  void readInputs(MutableArrayRef<Body::Values> known);
  void write();
};
} // namespace

/// What lies apart is read by the point that needs it.
void RunWriter::readInputs(MutableArrayRef<Body::Values> known) {
  unsigned last = space.rank() - 1;
  for (auto [i, access] : llvm::enumerate(space.inputs)) {
    BlockArgument argument = op.getBody().getArgument(i);
    bool isRun = access.strideAlong(last) == 1;
    if (argument.use_empty() || (access.dependsOn(last) && !isRun))
      continue;
    SmallVector<Value> run = e.loadRun(placeOf(pointers.operands[i], argument.getType(), access),
                                       argument.getType(), isRun ? points : 1);
    for (auto [point, values] : llvm::enumerate(known))
      values[argument] = run[isRun ? point : 0];
  }
}

void RunWriter::write() {
  Body body(e, op, pointers, space);
  SmallVector<Body::Values> known(points);
  readInputs(known);
  SmallVector<SmallVector<Value>> yields(op->getNumResults());
  for (auto [i, values] : llvm::enumerate(known))
    for (auto [k, value] : llvm::enumerate(body.yields(dimsAt(i), values)))
      yields[k].push_back(value);
  for (auto [k, access] : llvm::enumerate(space.results)) {
    if (access.strideAlong(space.rank() - 1) == 1) {
      e.storeRun(yields[k], placeOf(pointers.results[k], yields[k].front().getType(), access));
      continue;
    }
    for (int64_t i = 0; i < points; ++i)
      body.store(k, yields[k][i], dimsAt(i));
  }
}

static void emitPoints(kernel::MapOp op, DeviceCode &code, const IterationSpace &space) {
  int64_t points = pointsPerThread(op, space);
  SmallVector<int64_t> runs(space.sizes);
  runs.back() /= points;
  ThreadPerPoint(code).forEachOnDevice(
      runs, [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> place) {
        SmallVector<Value> dims(place);
        dims.back() = e.mul(dims.back(), points);
        RunWriter{op, e, pointers, space, points, dims}.write();
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
