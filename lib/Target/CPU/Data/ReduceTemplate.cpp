// kernel.reduce over the middle of [outer, reduced, inner], in chunks that a last function combines
// in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/BodyEmitter.h"
#include "lib/Target/CPU/Combine.h"
#include "lib/Target/CPU/Cost.h"
#include "lib/Target/CPU/Data/Totals.h"
#include "lib/Target/Common/PlainLoops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
/// Tasks are (chunk of reduced, block of outer, block of inner), outermost first.
struct ReduceShape : target::ReduceOrder {
  int64_t outerBlock, outerBlocks; // rows of results per task
  int64_t innerBlock, innerBlocks;
  int64_t sumBytes = 0; // of a column

  explicit ReduceShape(kernel::ReduceOp op) : ReduceOrder(op) {
    for (Type type : op->getResultTypes())
      sumBytes += elementBytes(getElementTypeOrSelf(type));
    int64_t points = pointsPerTask(op);
    // Blocks of whole cache lines.
    innerBlock = chunk * inner <= 2 * points
                     ? inner
                     : llvm::alignTo(std::max<int64_t>(points / chunk, 64), 64);
    innerBlock = std::min(innerBlock, inner);
    innerBlocks = llvm::divideCeil(inner, innerBlock);
    outerBlock = innerBlocks > 1 ? 1 : std::max<int64_t>(1, points / (chunk * inner));
    outerBlocks = llvm::divideCeil(outer, outerBlock);
  }
  int64_t tasks() const { return chunks * outerBlocks * innerBlocks; }

  /// Vectors of columns whose sums stay in registers.
  static constexpr int64_t registerVectors = 4;
  /// Columns that are walked together, row after row, as many as the sums of fit the first-level
  /// cache; 0: a few vectors of columns are walked from the first row to the last. That takes lines
  /// far apart, which prefetchers do not follow: of 256 columns half the bandwidth on a Zen 3. Few
  /// rows are as many streams.
  int64_t stripe(const Tier &tier) const {
    constexpr int64_t fewRows = 8, mostBytes = 8 << 10;
    auto liesInRows = [](const Access &access) {
      std::optional<int64_t> stride = access.strideAlong(2);
      return stride && (*stride == 0 || *stride == 1);
    };
    if (innerBlock <= registerVectors * tier.lanes(32) || chunk <= fewRows ||
        !llvm::all_of(space.inputs, liesInRows))
      return 0;
    return std::min(innerBlock, std::max<int64_t>(64, mostBytes / sumBytes / 64 * 64));
  }
  /// Sums of a stripe, result by result.
  int64_t bytesOfSums(const Tier &tier, Type element) const {
    return alignUp(llvm::alignTo(stripe(tier), mostLanes) * elementBytes(element));
  }
  int64_t scratchBytes(kernel::ReduceOp op, const Tier &tier) const {
    int64_t bytes = 0;
    for (Type type : op->getResultTypes())
      bytes += bytesOfSums(tier, getElementTypeOrSelf(type));
    return bytes;
  }
};

class ReduceEmitter {
public:
  ReduceEmitter(KernelEmitter &e, kernel::ReduceOp op, const KernelPointers &pointers)
      : e(e), op(op), shape(op), pointers(pointers), body(e, op, pointers, shape.space),
        lanes(body.lanes()), kind(op.getKind()) {}

  void emitTasks(Value begin, Value end);
  void emitFinish();

private:
  void emitTask(Value task);
  void emitColumns(Value outer, Value from, Value to, Value j, Value end);
  void reduceColumns(Value outer, Value from, Value to, Value j, int64_t vectors, int64_t active);
  void reduceStripe(Value outer, Value from, Value to, Value j, Value end);
  Run columnsAt(Value outer, Value i, Value j);
  void accumulateColumns(Value outer, Value i, Value j, int64_t active,
                         MutableArrayRef<Value> sums);
  void storeColumns(ArrayRef<Value> sums, Value outer, Value j, int64_t active);
  using OnVectors = llvm::function_ref<void(Value at, int64_t vectors, int64_t active)>;
  void forVectorsOf(Value j, Value end, OnVectors body);
  void reduceRow(Value outer, Value from, Value to);
  SmallVector<Value> start(int64_t width, int64_t ways);
  void accumulate(const Run &run, MutableArrayRef<Value> sums);
  void storeSum(unsigned k, Value sum, Value outer, Value inner, int64_t active);
  Value partialBase(unsigned k);
  Type elementOf(unsigned k) { return getElementTypeOrSelf(op->getResult(k)); }
  unsigned count() { return op->getNumResults(); }

  KernelEmitter &e;
  kernel::ReduceOp op;
  ReduceShape shape;
  const KernelPointers &pointers;
  BodyEmitter body;
  int64_t lanes;
  kernel::Combine kind;
  Value chunkNumber;
};
} // namespace

/// Partial sums of result k lie in the workspace as [chunks, outer, inner].
Value ReduceEmitter::partialBase(unsigned k) {
  int64_t bytes = 0;
  for (unsigned i = 0; i < k; ++i)
    bytes += alignUp(shape.chunks * shape.outer * shape.inner * elementBytes(elementOf(i)));
  return e.offset(pointers.workspace, bytes);
}

void ReduceEmitter::storeSum(unsigned k, Value sum, Value outer, Value inner, int64_t active) {
  if (shape.chunks > 1) {
    Value row = e.add(e.mul(chunkNumber, shape.outer), outer);
    return e.store(sum, partialBase(k), e.add(e.mul(row, shape.inner), inner), active);
  }
  Run run;
  run.dims = {outer, e.index(0), inner};
  run.along = 2;
  run.active = active;
  if (auto vector = dyn_cast<VectorType>(sum.getType()))
    run.lanes = vector.getDimSize(0);
  body.storeResult(k, sum, run);
}

SmallVector<Value> ReduceEmitter::start(int64_t width, int64_t ways) {
  SmallVector<Value> sums;
  for (int64_t way = 0; way < ways; ++way)
    for (unsigned k = 0; k < count(); ++k)
      sums.push_back(neutral(e, kind, KernelEmitter::vectorOf(elementOf(k), width)));
  return sums;
}
/// Adds the yielded values of one run.
void ReduceEmitter::accumulate(const Run &run, MutableArrayRef<Value> sums) {
  BodyEmitter::Values done;
  Operation *yield = body.body().getTerminator();
  for (auto [k, sum] : llvm::enumerate(sums)) {
    Value next = combine(e, kind, sum, body.evaluateVector(yield->getOperand(k), run, done));
    sum = keepActive(e, next, sum, run.active);
  }
}

Run ReduceEmitter::columnsAt(Value outer, Value i, Value j) {
  Run run;
  run.dims = {outer, i, j};
  run.along = 2;
  run.lanes = run.active = lanes;
  return run;
}
/// A row's terms, to the sums of neighbouring vectors of columns.
void ReduceEmitter::accumulateColumns(Value outer, Value i, Value j, int64_t active,
                                      MutableArrayRef<Value> sums) {
  for (int64_t n = 0, vectors = sums.size() / count(); n < vectors; ++n) {
    Run run = columnsAt(outer, i, e.add(j, n * lanes));
    run.active = active;
    accumulate(run, sums.slice(n * count(), count()));
  }
}
void ReduceEmitter::storeColumns(ArrayRef<Value> sums, Value outer, Value j, int64_t active) {
  for (auto [i, sum] : llvm::enumerate(sums))
    storeSum(i % count(), sum, outer, e.add(j, int64_t(i / count()) * lanes), active);
}

/// Sums `vectors` neighbouring vectors of columns from column j on; all of them are full unless
/// vectors is 1.
void ReduceEmitter::reduceColumns(Value outer, Value from, Value to, Value j, int64_t vectors,
                                  int64_t active) {
  SmallVector<Value> sums = start(lanes, vectors);
  sums = e.loop(from, to, 1, sums, [&](Value i, ValueRange v) {
    SmallVector<Value> next(v);
    size_t mark = body.mark();
    body.pin(columnsAt(outer, i, j), 4);
    accumulateColumns(outer, i, j, active, next);
    body.release(mark);
    return next;
  });
  storeColumns(sums, outer, j, active);
}

/// Vectors of the columns [j, end): some together, then one at a time, then what is left at the end
/// of the row.
void ReduceEmitter::forVectorsOf(Value j, Value end, OnVectors body) {
  constexpr int64_t together = ReduceShape::registerVectors;
  int64_t tail = shape.inner % lanes;
  Value whole = e.index(shape.inner - tail), full = e.min(end, whole);
  Value width = e.mul(e.div(e.sub(full, j), together * lanes), together * lanes);
  Value blocked = e.add(j, width);
  e.loop(j, blocked, together * lanes, [&](Value at) { body(at, together, lanes); });
  e.loop(blocked, full, lanes, [&](Value at) { body(at, 1, lanes); });
  if (tail)
    e.when(e.less(whole, end), [&] { body(whole, 1, tail); });
}

/// Row after row as they lie in memory; each column is summed from row to row all the same.
void ReduceEmitter::reduceStripe(Value outer, Value from, Value to, Value j, Value end) {
  SmallVector<Value> bases;
  int64_t bytes = 0;
  for (unsigned k = 0; k < count(); ++k) {
    bases.push_back(e.offset(pointers.scratch, bytes));
    bytes += shape.bytesOfSums(e.tier, elementOf(k));
  }
  auto storeSums = [&](Value at, ArrayRef<Value> sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      e.store(sum, bases[i % count()], e.add(e.sub(at, j), int64_t(i / count()) * lanes));
  };
  auto loadSums = [&](Value at, int64_t vectors) {
    SmallVector<Value> sums;
    for (int64_t n = 0; n < vectors; ++n)
      for (unsigned k = 0; k < count(); ++k)
        sums.push_back(e.loadVector(bases[k], elementOf(k), e.add(e.sub(at, j), n * lanes), lanes));
    return sums;
  };
  forVectorsOf(j, end,
               [&](Value at, int64_t vectors, int64_t) { storeSums(at, start(lanes, vectors)); });
  e.loop(from, to, 1, [&](Value i) {
    size_t mark = body.mark();
    Run run = columnsAt(outer, i, j);
    body.pin(run, 4);
    forVectorsOf(j, end, [&](Value at, int64_t vectors, int64_t active) {
      SmallVector<Value> sums = loadSums(at, vectors);
      accumulateColumns(outer, i, at, active, sums);
      storeSums(at, sums);
    });
    body.release(mark);
  });
  forVectorsOf(j, end, [&](Value at, int64_t vectors, int64_t active) {
    storeColumns(loadSums(at, vectors), outer, at, active);
  });
}

/// Sums along the reduced dimension itself; four sums hide the latency of an addition.
void ReduceEmitter::reduceRow(Value outer, Value from, Value to) {
  constexpr int64_t ways = 4;
  Run run;
  run.along = 1;
  run.lanes = run.active = lanes;
  auto runAt = [&](Value i) -> Run & {
    run.dims = {outer, i, e.index(0)};
    return run;
  };
  SmallVector<Value> sums = start(lanes, ways);
  Value blocks = e.mul(e.div(e.sub(to, from), ways * lanes), ways * lanes);
  Value blocked = e.add(from, blocks);
  sums = e.loop(from, blocked, ways * lanes, sums, [&](Value i, ValueRange v) {
    SmallVector<Value> next(v);
    for (int64_t way = 0; way < ways; ++way)
      accumulate(runAt(e.add(i, way * lanes)), MutableArrayRef(next).slice(way * count(), count()));
    return next;
  });
  SmallVector<Value> first;
  for (unsigned k = 0; k < count(); ++k) {
    Value sum = sums[k];
    for (int64_t way = 1; way < ways; ++way)
      sum = combine(e, kind, sum, sums[way * count() + k]);
    first.push_back(sum);
  }
  // Only the end of a chunk is not a multiple of a vector.
  Value whole = e.add(blocked, e.mul(e.div(e.sub(to, blocked), lanes), lanes));
  first = e.loop(blocked, whole, lanes, first, [&](Value i, ValueRange v) {
    SmallVector<Value> next(v);
    accumulate(runAt(i), next);
    return next;
  });
  for (unsigned k = 0; k < count(); ++k)
    first[k] = combineLanes(e, kind, first[k]);
  run.lanes = run.active = 1;
  first = e.loop(whole, to, 1, first, [&](Value i, ValueRange v) {
    SmallVector<Value> next(v);
    accumulate(runAt(i), next);
    return next;
  });
  for (unsigned k = 0; k < count(); ++k)
    storeSum(k, first[k], outer, e.index(0), 1);
}

void ReduceEmitter::emitColumns(Value outer, Value from, Value to, Value j, Value end) {
  if (int64_t stripe = shape.stripe(e.tier))
    return e.loop(j, end, stripe, [&](Value at) {
      reduceStripe(outer, from, to, at, e.min(e.add(at, stripe), end));
    });
  forVectorsOf(j, end, [&](Value at, int64_t vectors, int64_t active) {
    reduceColumns(outer, from, to, at, vectors, active);
  });
}

void ReduceEmitter::emitTask(Value task) {
  Value innerNumber = e.rem(task, shape.innerBlocks), rest = e.div(task, shape.innerBlocks);
  Value outerNumber = e.rem(rest, shape.outerBlocks);
  chunkNumber = e.div(rest, shape.outerBlocks);
  // The last chunks may be empty.
  Value from = e.min(e.mul(chunkNumber, shape.chunk), e.index(shape.reduced));
  Value to = e.min(e.add(from, shape.chunk), e.index(shape.reduced));
  if (shape.chunks == 1) {
    from = e.index(0);
    to = e.index(shape.reduced);
  }
  Value row = e.mul(outerNumber, shape.outerBlock);
  Value rowEnd = e.min(e.add(row, shape.outerBlock), e.index(shape.outer));
  e.loop(row, rowEnd, 1, [&](Value outer) {
    size_t mark = body.mark();
    Run run;
    run.dims = {outer, from, e.index(0)};
    body.pin(run, 6);
    if (shape.inner == 1) {
      reduceRow(outer, from, to);
    } else {
      Value j = e.mul(innerNumber, shape.innerBlock);
      Value columnEnd = e.min(e.add(j, shape.innerBlock), e.index(shape.inner));
      if (shape.innerBlocks == 1)
        columnEnd = e.index(shape.inner);
      emitColumns(outer, from, to, j, columnEnd);
    }
    body.release(mark);
  });
}

void ReduceEmitter::emitTasks(Value begin, Value end) {
  Run nowhere;
  nowhere.dims.assign(3, e.index(0));
  body.pin(nowhere, ~uint64_t(0));
  forTasks(e, pointers.totals, begin, end,
           [&](Value from, Value to) { e.loop(from, to, 1, [&](Value task) { emitTask(task); }); });
}

/// Chunk by chunk in order, so that threads do not show in the sums.
void ReduceEmitter::emitFinish() {
  int64_t width = shape.inner == 1 ? 1 : lanes, tail = shape.inner % width;
  auto combineAt = [&](Value outer, Value j, int64_t active) {
    Run run;
    run.dims = {outer, e.index(0), j};
    run.along = 2;
    run.lanes = width;
    run.active = active;
    Value at = e.add(e.mul(outer, shape.inner), j);
    for (unsigned k = 0; k < count(); ++k) {
      Value base = partialBase(k);
      SmallVector<Value> sum{e.loadVector(base, elementOf(k), at, width, active)};
      sum = e.loop(e.index(1), e.index(shape.chunks), 1, sum, [&](Value c, ValueRange v) {
        Value part = e.add(e.mul(c, shape.outer * shape.inner), at);
        Value next = e.loadVector(base, elementOf(k), part, width, active);
        return SmallVector<Value>{combine(e, kind, v[0], next)};
      });
      body.storeResult(k, sum[0], run);
    }
  };
  e.loop(e.index(0), e.index(shape.outer), 1, [&](Value outer) {
    e.loop(e.index(0), e.index(shape.inner - tail), width,
           [&](Value j) { combineAt(outer, j, width); });
    if (tail)
      combineAt(outer, e.index(shape.inner - tail), tail);
  });
}

namespace {
class ReduceTemplate : public KernelTemplate {
  void configure(Operation *operation) const override {
    auto op = cast<kernel::ReduceOp>(operation);
    op.setParts(target::ReduceOrder::chooseParts(op));
    op.setWorkspaceBytes(workspaceBytes(op));
  }
  int64_t workspaceBytes(Operation *operation) const override {
    auto op = cast<kernel::ReduceOp>(operation);
    int64_t bytes = 0, sums = op.getParts() * op.getSpace()[0] * op.getSpace()[2];
    for (Type type : op->getResultTypes())
      bytes += alignUp(sums * getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
    return op.getParts() == 1 ? 0 : bytes;
  }
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override {
    auto reduce = cast<kernel::ReduceOp>(op);
    ReduceShape shape(reduce);
    KernelEmission emission;
    emission.tasks = shape.tasks();
    emission.scratchBytes = shape.scratchBytes(reduce, tier);
    emission.finishTasks = shape.chunks > 1;
    return emission;
  }
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    ReduceEmitter(e, cast<kernel::ReduceOp>(op), pointers).emitTasks(begin, end);
  }
  void emitFinish(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value,
                  Value) const override {
    ReduceEmitter(e, cast<kernel::ReduceOp>(op), pointers).emitFinish();
  }
};
} // namespace

void cpu::addReduceTemplates(TemplateRegistry &registry) {
  registry.add<kernel::ReduceOp, ReduceTemplate>();
}
