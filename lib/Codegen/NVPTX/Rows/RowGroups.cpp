// Short rows, a group of sixteen threads per row: loaded values stay in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/SumOrder.h"
#include "lib/Codegen/NVPTX/LaneGroup.h"
#include "lib/Codegen/NVPTX/Rows/RowShape.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;

namespace {
/// Columns of a thread: column j of the thread is at `step` * (j / run) + j % run from the thread's
/// first column. Example: run 4: thread 0 has columns 0-3, 64-67, ...
struct ThreadColumns {
  static constexpr int64_t width = LaneGroup::most;

  explicit ThreadColumns(const RowShape &shape)
      : run(shape.isWhole() && shape.length % 4 == 0 && shape.length >= 128 && shape.vector % 4 == 0
                ? 4
                : 1),
        step(run * width), whole(shape.length / step), rest(shape.length % step) {}
  int64_t count() const { return run * (whole + (rest > 0)); }

  int64_t run;   // neighbouring columns
  int64_t step;  // columns of all threads
  int64_t whole; // steps in which all threads take part
  int64_t rest;  // remaining columns
};

class RowGroupWriter {
public:
  RowGroupWriter(const RowShape &shape, DeviceEmitter &e, const KernelPointers &pointers,
                 LaneGroup &group, ArrayRef<Value> row)
      : shape(shape), columns(shape), e(e), pointers(pointers),
        body(e, shape.op, pointers, shape.space), group(group), row(row), known(columns.count()) {}
  void write();

private:
  SmallVector<Value> dimsAt(Value column) const {
    SmallVector<Value> dims(row);
    dims.push_back(column);
    return dims;
  }
  Value firstOf(int64_t step);
  Value columnOf(int64_t j) { return e.add(firstOf(j / columns.run), j % columns.run); }
  Value exists(int64_t step);
  void defineUniform(unsigned stage);
  void loadRuns(unsigned stage, int64_t step);
  void reduceStage(unsigned stage);
  Value reduce(kernel::RowReduceOp reduce);
  void storeStep(int64_t step);
  void storeVarying();
  void storeUniform();

  const RowShape &shape;
  ThreadColumns columns;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  Body body;
  LaneGroup &group;
  SmallVector<Value> row;
  Body::Values uniform;
  SmallVector<Body::Values> known; // by column of the thread
};
} // namespace

/// First column of the thread in a step; in the last step, clamped to the last column for threads
/// without a column.
Value RowGroupWriter::firstOf(int64_t step) {
  Value first = e.add(e.mul(group.lane(), columns.run), step * columns.step);
  return step < columns.whole ? first : e.min(first, e.index(shape.length - columns.run));
}
/// Whether the thread has a column in a step; null: all threads have.
Value RowGroupWriter::exists(int64_t step) {
  if (step < columns.whole)
    return Value();
  return e.less(e.mul(group.lane(), columns.run), e.index(columns.rest));
}

void RowGroupWriter::defineUniform(unsigned stage) {
  shape.defineUniform(e, body, row, stage, uniform);
  for (Body::Values &values : known)
    values.insert(uniform.begin(), uniform.end());
}

void RowGroupWriter::loadRuns(unsigned stage, int64_t step) {
  for (Value value : shape.cones[stage]) {
    auto argument = dyn_cast<BlockArgument>(value);
    int64_t j = step * columns.run;
    if (!argument || columns.run == 1 || known[j].contains(value) || !shape.isContiguous(argument))
      continue;
    unsigned i = argument.getArgNumber();
    Value place = target::position(e, shape.space.inputs[i], dimsAt(firstOf(step)));
    SmallVector<Value> run =
        e.loadVector(e.address(pointers.operands[i], argument.getType(), place), argument.getType(),
                     columns.run);
    for (auto [k, element] : llvm::enumerate(run))
      known[j + k][value] = element;
  }
}

void RowGroupWriter::reduceStage(unsigned stage) {
  defineUniform(stage);
  for (int64_t j = 0; j < columns.count(); ++j) {
    if (j % columns.run == 0)
      loadRuns(stage, j / columns.run);
    for (kernel::RowReduceOp reduce : shape.reductions[stage])
      body.evaluate(reduce.getX(), dimsAt(columnOf(j)), known[j]);
  }
  for (kernel::RowReduceOp op : shape.reductions[stage])
    uniform[op.getResult()] = reduce(op);
}

/// Column j of the matrix of target::order is in step j / columns.step, modulo the steps of a
/// matrix row, in thread j / run % 16.
Value RowGroupWriter::reduce(kernel::RowReduceOp op) {
  kernel::Combine kind = op.getKind();
  int64_t width = llvm::PowerOf2Ceil(std::min(shape.length, target::order::rowWidth));
  int64_t run = columns.run, steps = std::max<int64_t>(1, width / columns.step);
  SmallVector<Value> sums(steps * run, target::neutral(e, kind, op.getType()));
  for (int64_t j = 0; j < columns.count(); ++j) {
    Value &sum = sums[j % (steps * run)];
    Value next = combine(e, kind, sum, known[j].lookup(op.getX())), is = exists(j / run);
    sum = is ? target::select(e, is, next, sum) : next;
  }
  auto add = [&](Value x, Value y) { return combine(e, kind, x, y); };
  auto ofRun = [&](int64_t i) {
    return group.combine(kind, target::sumTree<Value>(
                                   steps, [&](int64_t step) { return sums[step * run + i]; }, add));
  };
  return target::sumTree<Value>(run, ofRun, add);
}

void RowGroupWriter::storeStep(int64_t step) {
  Operation *yield = body.block().getTerminator();
  SmallVector<SmallVector<Value>> values(shape.varying.size());
  for (int64_t j = step * columns.run; j < (step + 1) * columns.run; ++j)
    for (auto [k, list] : llvm::zip(shape.varying, values))
      list.push_back(body.evaluate(yield->getOperand(k), dimsAt(columnOf(j)), known[j]));
  for (auto [k, list] : llvm::zip(shape.varying, values)) {
    const target::Access &access = shape.space.results[k];
    if (columns.run > 1 && shape.isContiguous(access)) {
      Value place = target::position(e, access, dimsAt(firstOf(step)));
      e.storeVector(list, e.address(pointers.results[k], list.front().getType(), place));
      continue;
    }
    for (auto [i, value] : llvm::enumerate(list))
      body.store(k, value, dimsAt(columnOf(step * columns.run + i)));
  }
}

/// Loads of several steps come before the first store, because no load could move past a store.
/// Results may overwrite inputs: a thread reads nothing that another thread writes.
void RowGroupWriter::storeVarying() {
  constexpr int64_t together = 4;
  defineUniform(shape.stages());
  for (int64_t from = 0; from < columns.whole; from += together) {
    int64_t to = std::min(from + together, columns.whole);
    for (int64_t step = from; step < to; ++step)
      loadRuns(shape.stages(), step);
    for (int64_t step = from; step < to; ++step)
      storeStep(step);
  }
  if (columns.rest > 0)
    e.when(exists(columns.whole), [&] {
      loadRuns(shape.stages(), columns.whole);
      storeStep(columns.whole);
    });
}

/// A result per row may overwrite inputs of the row's points, so the store waits until all threads
/// have read.
void RowGroupWriter::storeUniform() {
  auto values = shape.uniformResults(e, body, row, uniform);
  if (values.empty())
    return;
  group.sync();
  e.when(target::equal(e, group.lane(), e.index(0)), [&] {
    for (auto [k, value] : values)
      body.store(k, value, dimsAt(e.index(0)));
  });
}

void RowGroupWriter::write() {
  for (unsigned stage = 0; stage < shape.stages(); ++stage)
    reduceStage(stage);
  if (!shape.varying.empty())
    storeVarying();
  storeUniform();
}

// Whether registers suffice for all values loaded or computed once, besides the temporaries of a
// point.
bool nvptx::fitsRowGroup(const RowShape &shape) {
  constexpr int64_t mostColumns = 64, mostRegisters = 160, mostOdd = 256;
  ThreadColumns columns(shape);
  if (shape.length < 128)
    return true;
  int64_t registers = 0;
  for (Value value : shape.kept())
    registers += llvm::divideCeil(target::elementBytes(value.getType()), 4);
  return columns.count() <= mostColumns && columns.count() * registers <= mostRegisters &&
         (columns.run > 1 || shape.length <= mostOdd);
}

// All registers of a thread: for some chips ptxas would otherwise spill to fit more warps.
static constexpr int64_t mostPerThread = 255;

void nvptx::emitRowGroups(const RowShape &shape, DeviceCode &code) {
  code.describe("rows of sixteen threads, in registers");
  launchGroups(
      code, shape.rows(), LaneGroup::most,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        RowGroupWriter(shape, e, pointers, group, shape.rowAt(e, number)).write();
      },
      mostPerThread);
}
