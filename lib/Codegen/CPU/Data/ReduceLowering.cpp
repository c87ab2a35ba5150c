// kernel.reduce over the middle of [outer, reduced, inner], in chunks; the finish function adds the
// chunks' partial sums in a tree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Cost.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/Data/RowSums.h"
#include "lib/Codegen/CPU/Loops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static SmallVector<Type> typesOf(kernel::ReduceOp op) {
  return llvm::map_to_vector(op->getResultTypes(),
                             [](Type type) { return getElementTypeOrSelf(type); });
}

namespace {
/// Task grid [blocks of chunks, blocks of outer, blocks of inner], outermost first.
struct ReduceShape : target::ReduceOrder {
  int64_t chunkBlock = 1, chunkBlocks; // chunks per task
  int64_t outerBlock = 1, outerBlocks; // rows of results per task
  int64_t innerBlock, innerBlocks;
  int64_t sumBytes = 0; // bytes per column, over all results

  explicit ReduceShape(kernel::ReduceOp op) : ReduceOrder(op) {
    for (Type type : typesOf(op))
      sumBytes += elementBytes(type);
    int64_t points = pointsPerTask(op);
    // Blocks of whole cache lines.
    innerBlock = chunk * inner <= 2 * points
                     ? inner
                     : llvm::alignTo(std::max<int64_t>(points / chunk, 64), 64);
    innerBlock = std::min(innerBlock, inner);
    innerBlocks = llvm::divideCeil(inner, innerBlock);
    int64_t together = innerBlocks > 1 ? 1 : std::max<int64_t>(1, points / (chunk * inner));
    (chunks > 1 ? chunkBlock : outerBlock) = together;
    chunkBlocks = llvm::divideCeil(chunks, chunkBlock);
    outerBlocks = llvm::divideCeil(outer, outerBlock);
  }
  int64_t tasks() const { return chunkBlocks * outerBlocks * innerBlocks; }

  /// Columns that are reduced together, sixteen rows at a time: as many as have their sums in L1.
  /// Sixteen rows, since hardware prefetchers follow about sixteen streams.
  int64_t stripe() const {
    constexpr int64_t mostBytes = 8 << 10;
    return std::min(innerBlock, std::max<int64_t>(64, mostBytes / sumBytes / 64 * 64));
  }
  /// Bytes of the sums of a stripe for one result.
  int64_t bytesOfSums(Type element) const {
    return alignUp(llvm::alignTo(stripe(), mostLanes) * elementBytes(element));
  }
  int64_t scratchBytes(kernel::ReduceOp op) const {
    if (isOfRows())
      return RowSums::scratchBytes(op->getNumResults(), chunk);
    int64_t bytes = 0;
    for (Type type : typesOf(op))
      bytes += bytesOfSums(type);
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
  using Values = SmallVector<Value>;
  void emitTask(Value task);
  void reduceChunk(Value outer, Value inner);
  void reduceStripe(Value outer, Value from, Value j, Value end);
  void reduceBlock(Value outer, Value i, int64_t rows, Value j, Value end,
                   llvm::function_ref<void(Value at, Values block, int64_t active)> use);
  void forVectorsOf(Value j, Value end, llvm::function_ref<void(Value at, int64_t active)> body);
  Values start();
  Values add(ValueRange x, ValueRange y);
  PointVector columnsAt(Value outer, Value i, Value j, int64_t active);
  void storeColumns(ArrayRef<Value> sums, Value outer, Value j, int64_t active);
  void reduceRow(Value outer, Value from, int64_t length);
  Values terms(const PointVector &run, BodyEmitter::Values known);
  void storeSum(unsigned k, Value sum, Value outer, Value inner, int64_t active);
  void finishAt(Value outer, Value j, int64_t width, int64_t active);
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

/// Workspace of result k: partial sums [chunks, outer, inner].
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
  PointVector run;
  run.dims = {outer, e.index(0), inner};
  run.along = 2;
  run.active = active;
  if (auto vector = dyn_cast<VectorType>(sum.getType()))
    run.lanes = vector.getDimSize(0);
  body.storeResult(k, sum, run);
}

ReduceEmitter::Values ReduceEmitter::start() {
  Values sums;
  for (unsigned k = 0; k < count(); ++k)
    sums.push_back(neutral(e, kind, KernelEmitter::vectorOf(elementOf(k), lanes)));
  return sums;
}
ReduceEmitter::Values ReduceEmitter::add(ValueRange x, ValueRange y) {
  Values sums;
  for (auto [low, high] : llvm::zip(x, y))
    sums.push_back(combine(e, kind, low, high));
  return sums;
}
/// Terms of a run: the body's yielded values, starting from the values in `known`.
ReduceEmitter::Values ReduceEmitter::terms(const PointVector &run, BodyEmitter::Values known) {
  return llvm::map_to_vector(body.body().getTerminator()->getOperands(),
                             [&](Value value) { return body.evaluateVector(value, run, known); });
}

// ---- Columns ----

PointVector ReduceEmitter::columnsAt(Value outer, Value i, Value j, int64_t active) {
  PointVector run;
  run.dims = {outer, i, j};
  run.along = 2;
  run.lanes = lanes;
  run.active = active;
  return run;
}
void ReduceEmitter::storeColumns(ArrayRef<Value> sums, Value outer, Value j, int64_t active) {
  for (auto [k, sum] : llvm::enumerate(sums))
    storeSum(k, sum, outer, j, active);
}

/// Loops over vectors of the columns [j, end), then the partial vector at the end of the row.
void ReduceEmitter::forVectorsOf(Value j, Value end,
                                 llvm::function_ref<void(Value, int64_t)> body) {
  int64_t tail = shape.inner % lanes;
  Value whole = e.index(shape.inner - tail);
  e.loop(j, e.min(end, whole), lanes, [&](Value at) { body(at, lanes); });
  if (tail)
    e.when(e.less(whole, end), [&] { body(whole, tail); });
}

/// Tree sum of `rows` rows from row i on, for each vector of the columns [j, end). Body values that
/// depend on the row alone are evaluated before the loop: LLVM cannot hoist their loads past the
/// stores of sums.
void ReduceEmitter::reduceBlock(Value outer, Value i, int64_t rows, Value j, Value end,
                                llvm::function_ref<void(Value, Values, int64_t)> use) {
  SmallVector<BodyEmitter::Values> known;
  for (int64_t row = 0; row < rows; ++row) {
    size_t mark = body.mark();
    body.pin(columnsAt(outer, e.add(i, row), j, lanes), 4);
    known.push_back(body.take(mark));
  }
  forVectorsOf(j, end, [&](Value at, int64_t active) {
    Values block = target::sumTree<Values>(
        rows,
        [&](int64_t row) { return terms(columnsAt(outer, e.add(i, row), at, active), known[row]); },
        [&](Values x, Values y) { return add(x, y); });
    use(at, block, active);
  });
}

/// Reduces the columns [j, end) of the chunk that starts at row `from`: blocks of sixteen rows in
/// ascending order, with the sums in scratch.
void ReduceEmitter::reduceStripe(Value outer, Value from, Value j, Value end) {
  constexpr int64_t rows = target::order::blockRows;
  int64_t rest = shape.reduced % rows;
  if (shape.reduced <= rows)
    return reduceBlock(outer, from, shape.reduced, j, end,
                       [&](Value at, Values block, int64_t active) {
                         storeColumns(add(start(), block), outer, at, active);
                       });
  Values bases;
  int64_t bytes = 0;
  for (unsigned k = 0; k < count(); ++k) {
    bases.push_back(e.offset(pointers.scratch, bytes));
    bytes += shape.bytesOfSums(elementOf(k));
  }
  auto storeSums = [&](Value at, ValueRange sums) {
    for (auto [sum, base] : llvm::zip(sums, bases))
      e.store(sum, base, e.sub(at, j));
  };
  auto loadSums = [&](Value at) {
    Values sums;
    for (auto [k, base] : llvm::enumerate(bases))
      sums.push_back(e.loadVector(base, elementOf(k), e.sub(at, j), lanes));
    return sums;
  };
  auto addBlock = [&](Value at, Values block, int64_t) { storeSums(at, add(loadSums(at), block)); };
  forVectorsOf(j, end, [&](Value at, int64_t) { storeSums(at, start()); });
  Value whole = e.min(e.add(from, shape.chunk), e.index(shape.reduced - rest));
  e.loop(from, whole, rows, [&](Value i) { reduceBlock(outer, i, rows, j, end, addBlock); });
  if (rest)
    e.when(e.less(e.index(shape.reduced), e.add(from, shape.chunk + 1)),
           [&] { reduceBlock(outer, e.index(shape.reduced - rest), rest, j, end, addBlock); });
  forVectorsOf(j, end,
               [&](Value at, int64_t active) { storeColumns(loadSums(at), outer, at, active); });
}

// ---- Rows ----

void ReduceEmitter::reduceRow(Value outer, Value from, int64_t length) {
  SmallVector<RowSums::Sum> sums;
  for (unsigned k = 0; k < count(); ++k)
    sums.push_back({kind, elementOf(k)});
  auto termsAt = [&](Value column, int64_t active) {
    PointVector run;
    run.dims = {outer, e.add(from, column), e.index(0)};
    run.along = 1;
    run.lanes = lanes;
    run.active = active;
    return terms(run, BodyEmitter::Values());
  };
  int64_t instructions = instructionsOf(op.getBody().front().getTerminator()->getOperands());
  RowSums rows(e, sums, lanes, instructions, pointers.scratch);
  Values found = rows.emit(length, termsAt);
  storeColumns(found, outer, e.index(0), 1);
}

// ---- Tasks ----

void ReduceEmitter::reduceChunk(Value outer, Value innerNumber) {
  Value from = e.mul(chunkNumber, shape.chunk);
  PointVector run;
  run.dims = {outer, from, e.index(0)};
  size_t mark = body.mark();
  body.pin(run, 6);
  if (!shape.isOfRows()) {
    Value j = e.mul(innerNumber, shape.innerBlock);
    Value end = e.min(e.add(j, shape.innerBlock), e.index(shape.inner));
    if (shape.innerBlocks == 1)
      end = e.index(shape.inner);
    e.loop(j, end, shape.stripe(),
           [&](Value at) { reduceStripe(outer, from, at, e.min(e.add(at, shape.stripe()), end)); });
  } else if (shape.lastChunk() == shape.chunk) {
    reduceRow(outer, from, shape.chunk);
  } else {
    Value isWhole = e.less(chunkNumber, e.index(shape.chunks - 1));
    e.when(isWhole, [&] { reduceRow(outer, from, shape.chunk); });
    e.when(e.less(e.index(shape.chunks - 2), chunkNumber),
           [&] { reduceRow(outer, from, shape.lastChunk()); });
  }
  body.release(mark);
}

void ReduceEmitter::emitTask(Value task) {
  Value innerNumber = e.rem(task, shape.innerBlocks), rest = e.div(task, shape.innerBlocks);
  Value outerNumber = e.rem(rest, shape.outerBlocks);
  Value chunk = e.mul(e.div(rest, shape.outerBlocks), shape.chunkBlock);
  Value chunkEnd = e.min(e.add(chunk, shape.chunkBlock), e.index(shape.chunks));
  Value row = e.mul(outerNumber, shape.outerBlock);
  Value rowEnd = e.min(e.add(row, shape.outerBlock), e.index(shape.outer));
  if (shape.chunks == 1)
    chunk = e.index(0), chunkEnd = e.index(1);
  e.loop(chunk, chunkEnd, 1, [&](Value number) {
    chunkNumber = number;
    e.loop(row, rowEnd, 1, [&](Value outer) { reduceChunk(outer, innerNumber); });
  });
}

void ReduceEmitter::emitTasks(Value begin, Value end) {
  PointVector nowhere;
  nowhere.dims.assign(3, e.index(0));
  body.pin(nowhere, ~uint64_t(0));
  forTasks(e, pointers.reductions, begin, end,
           [&](Value from, Value to) { e.loop(from, to, 1, [&](Value task) { emitTask(task); }); });
}

/// Last level of the tree over chunks: adds the two halves and stores the results.
void ReduceEmitter::finishAt(Value outer, Value j, int64_t width, int64_t active) {
  PointVector run;
  run.dims = {outer, e.index(0), j};
  run.along = 2;
  run.lanes = width;
  run.active = active;
  Value at = e.add(e.mul(outer, shape.inner), j);
  for (unsigned k = 0; k < count(); ++k) {
    auto chunk = [&](int64_t i) {
      return e.loadVector(partialBase(k), elementOf(k), e.add(at, i * shape.outer * shape.inner),
                          width, active);
    };
    Value low = chunk(0);
    body.storeResult(k, combine(e, kind, low, chunk(1)), run);
  }
}

/// Tree sum over chunks, in place in the workspace: the rounding error grows with log(chunks).
void ReduceEmitter::emitFinish() {
  int64_t plane = shape.outer * shape.inner;
  target::forLevels(shape.chunks, [&](int64_t half, int64_t pairs) {
    int64_t width = pairs * plane < lanes ? 1 : lanes;
    for (unsigned k = 0; k < count() && half > 1; ++k) {
      Value base = partialBase(k);
      forVectors(e, pairs * plane, width, [&](Value i, int64_t active) {
        Value low = e.loadVector(base, elementOf(k), i, width, active);
        Value high = e.loadVector(base, elementOf(k), e.add(i, half * plane), width, active);
        e.store(combine(e, kind, low, high), base, i, active);
      });
    }
  });
  int64_t width = shape.inner == 1 ? 1 : lanes;
  e.loop(e.index(0), e.index(shape.outer), 1, [&](Value outer) {
    forVectors(e, shape.inner, width,
               [&](Value j, int64_t active) { finishAt(outer, j, width, active); });
  });
}

namespace {
class ReduceLowering : public CPUKernelLowering {
  LogicalResult configure(Operation *operation) const override {
    auto op = cast<kernel::ReduceOp>(operation);
    op.setParts(target::ReduceOrder(op).chunks);
    op.setWorkspaceBytes(workspaceBytes(op));
    return success();
  }
  int64_t workspaceBytes(Operation *operation) const override {
    auto op = cast<kernel::ReduceOp>(operation);
    target::ReduceOrder order(op);
    int64_t bytes = 0;
    for (Type type : typesOf(op))
      bytes += alignUp(order.chunks * order.outer * order.inner * elementBytes(type));
    return order.chunks == 1 ? 0 : bytes;
  }
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    auto reduce = cast<kernel::ReduceOp>(op);
    ReduceShape shape(reduce);
    KernelEmission emission;
    emission.tasks = shape.tasks();
    emission.scratchBytes = shape.scratchBytes(reduce);
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

void cpu::addReduceLowering(target::KernelRegistry &registry) {
  registry.add<kernel::ReduceOp, ReduceLowering>();
}
