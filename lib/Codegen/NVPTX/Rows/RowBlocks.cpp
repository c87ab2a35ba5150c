// Long rows, a block per row: the row is loaded into shared memory once, and all stages read from
// there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Combine.h"
#include "lib/Codegen/NVPTX/Rows/BlockLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;

namespace {
class RowBlockWriter {
public:
  RowBlockWriter(const RowShape &shape, const BlockLayout &layout, DeviceEmitter &e,
                 const KernelPointers &pointers)
      : shape(shape), layout(layout), e(e), pointers(pointers),
        body(e, shape.op, pointers, shape.space), row(shape.rowAt(e, e.block())),
        thread(e.thread()), shared(e.sharedMemory()) {
    if (shape.hasPhase())
      phase = shape.phase(e, row);
  }
  void write();

private:
  /// A chunk of this thread: number; column of the first point (negative before the start of the
  /// row); columns [low, high) of the thread's part; and whether all points of the chunk are within
  /// that part (null: always).
  struct Chunk {
    Value number, start, low, high, isWhole;
  };
  SmallVector<Value> dimsAt(Value column) const {
    SmallVector<Value> dims(row);
    dims.push_back(column);
    return dims;
  }
  Value at(int64_t offset) { return e.advance(shared, offset); }
  Value part(Value round) { return e.add(e.mul(round, layout.groups), e.position(group())); }
  Value group() { return e.div(thread, layout.groupThreads()); }
  Chunk chunkOf(Value round, Value step);
  void forChunks(llvm::function_ref<void(const Chunk &)> body);
  Value isColumn(const Chunk &chunk, Value column);
  /// Calls `whole` for a full chunk, or `single` for each point of the chunk that is a column.
  void visit(const Chunk &chunk, llvm::function_ref<void()> whole,
             llvm::function_ref<void(Value i, Value column)> single);

  Value placeInMemory(unsigned input, Value column);

  void fill();
  void fillChunk(BlockArgument input, const ChunkBuffer &buffer, const Chunk &chunk);
  /// Values known at the points of a chunk, or at a single point.
  SmallVector<Body::Values> readChunk(unsigned stage, const Chunk &chunk);
  Body::Values readPoint(unsigned stage, const Chunk &chunk, Value i);
  void keepChunk(unsigned stage, ArrayRef<Body::Values> known, const Chunk &chunk);
  void keepPoint(unsigned stage, const Body::Values &known, const Chunk &chunk, Value i);
  bool isFirst(unsigned stage, Value value);

  void reduceStage(unsigned stage);
  SmallVector<Value> neutral(unsigned stage);
  SmallVector<Value> addChunk(unsigned stage, const Chunk &chunk, ValueRange sums);
  SmallVector<Value> addPoints(unsigned stage, const Chunk &chunk, ValueRange sums);
  void storeColumns(kernel::RowReduceOp reduce, ValueRange sums);
  void addColumns(kernel::RowReduceOp reduce, Value round);
  Value addParts(kernel::RowReduceOp reduce);
  void storeVarying();
  void storeUniform();

  const RowShape &shape;
  const BlockLayout &layout;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  Body body;
  SmallVector<Value> row;
  Value thread, shared, phase;
  Body::Values uniform;
};
} // namespace

RowBlockWriter::Chunk RowBlockWriter::chunkOf(Value round, Value step) {
  Chunk chunk;
  int64_t perPart = target::order::chunkColumns / layout.vector;
  Value lane = e.position(e.rem(thread, layout.groupThreads())), first = part(round);
  Value number = e.add(e.add(e.mul(first, perPart), e.mul(step, layout.groupThreads())), lane);
  chunk.number = e.number(number);
  chunk.start = e.mul(number, layout.vector);
  if (phase)
    chunk.start = e.sub(chunk.start, phase);
  chunk.low = e.mul(first, target::order::chunkColumns);
  chunk.high = e.min(e.add(chunk.low, target::order::chunkColumns), e.index(shape.length));
  int64_t all = layout.rounds() * layout.groups * target::order::chunkColumns;
  if (!phase && (shape.length == all || shape.length == layout.steps * target::order::rowWidth))
    return chunk;
  chunk.isWhole = e.less(e.add(chunk.start, layout.vector - 1), chunk.high);
  if (phase) {
    Value begins =
        e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::sge, chunk.start, chunk.low);
    chunk.isWhole = target::both(e, chunk.isWhole, begins);
  }
  return chunk;
}
void RowBlockWriter::forChunks(llvm::function_ref<void(const Chunk &)> body) {
  e.loop(e.index(0), e.index(layout.rounds()), 1, [&](Value round) {
    e.loop(e.index(0), e.index(layout.steps), 1, [&](Value step) { body(chunkOf(round, step)); });
  });
}

/// A chunk may belong to two groups: each group sums the columns of its own part.
Value RowBlockWriter::isColumn(const Chunk &chunk, Value column) {
  Value begins =
      e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::sge, column, chunk.low);
  return target::both(e, begins, e.less(column, chunk.high));
}

void RowBlockWriter::visit(const Chunk &chunk, llvm::function_ref<void()> whole,
                           llvm::function_ref<void(Value, Value)> single) {
  if (!chunk.isWhole)
    return whole();
  e.when(chunk.isWhole, whole);
  if (shape.isWhole())
    return;
  Value isPartial =
      target::both(e, target::negate(e, chunk.isWhole), e.less(chunk.start, chunk.high));
  e.when(isPartial, [&] {
    e.loop(e.index(0), e.index(layout.vector), 1, [&](Value i) {
      Value column = e.add(chunk.start, i);
      e.when(isColumn(chunk, column), [&] { single(i, column); });
    });
  });
}

Value RowBlockWriter::placeInMemory(unsigned input, Value column) {
  Value position = target::position(e, shape.space.inputs[input], dimsAt(column));
  Type element = body.block().getArgument(input).getType();
  return e.address(pointers.operands[input], element, position);
}

// ---- Loads ----

void RowBlockWriter::fillChunk(BlockArgument input, const ChunkBuffer &buffer, const Chunk &chunk) {
  unsigned number = input.getArgNumber();
  visit(
      chunk,
      [&] {
        Value from = placeInMemory(number, chunk.start),
              to = buffer.place(e, chunk.number, int64_t(0));
        if (e.chip.hasAsyncCopy() && buffer.pieceBytes() >= 4)
          return e.copyAsync(to, from, buffer.pieceBytes(), Value());
        e.storeVector(e.loadVector(from, input.getType(), layout.vector), to);
      },
      [&](Value i, Value column) {
        Value x = e.loadScalar(placeInMemory(number, column), input.getType(), e.index(0));
        e.storeScalar(x, buffer.place(e, chunk.number, i), e.index(0));
      });
}

/// No barrier, since a thread reads only shared memory that the same thread has written.
void RowBlockWriter::fill() {
  SmallVector<std::pair<BlockArgument, ChunkBuffer>> inputs;
  for (auto &[value, buffer] : layout.kept)
    if (auto input = dyn_cast<BlockArgument>(value))
      inputs.push_back({input, buffer});
  if (inputs.empty())
    return;
  forChunks([&](const Chunk &chunk) {
    for (auto &[input, buffer] : inputs)
      fillChunk(input, buffer, chunk);
  });
  if (e.chip.hasAsyncCopy()) {
    e.commitCopies();
    e.waitForCopies(0);
  }
}

/// Whether no earlier stage needs the value.
bool RowBlockWriter::isFirst(unsigned stage, Value value) {
  return shape.cones[stage].contains(value) &&
         llvm::none_of(ArrayRef(shape.cones).take_front(stage),
                       [&](const RowShape::Cone &cone) { return cone.contains(value); });
}

SmallVector<Body::Values> RowBlockWriter::readChunk(unsigned stage, const Chunk &chunk) {
  SmallVector<Body::Values> known(layout.vector, uniform);
  auto define = [&](Value value, ArrayRef<Value> run) {
    for (auto [values, element] : llvm::zip(known, run))
      values[value] = element;
  };
  for (Value value : shape.cones[stage]) {
    auto input = dyn_cast<BlockArgument>(value);
    auto found = layout.kept.find(value);
    if (found != layout.kept.end() && (input || !isFirst(stage, value)))
      define(value, found->second.load(e, value.getType(), chunk.number));
    else if (input && shape.isContiguous(input))
      define(value, e.loadVector(placeInMemory(input.getArgNumber(), chunk.start), value.getType(),
                                 layout.vector));
  }
  return known;
}
Body::Values RowBlockWriter::readPoint(unsigned stage, const Chunk &chunk, Value i) {
  Body::Values known(uniform);
  for (Value value : shape.cones[stage]) {
    auto found = layout.kept.find(value);
    if (found != layout.kept.end() && (isa<BlockArgument>(value) || !isFirst(stage, value)))
      known[value] =
          e.loadScalar(found->second.place(e, chunk.number, i), value.getType(), e.index(0));
  }
  return known;
}
void RowBlockWriter::keepChunk(unsigned stage, ArrayRef<Body::Values> known, const Chunk &chunk) {
  for (auto &[value, buffer] : layout.kept) {
    if (isa<BlockArgument>(value) || !isFirst(stage, value))
      continue;
    SmallVector<Value> values;
    for (const Body::Values &at : known)
      values.push_back(at.lookup(value));
    buffer.store(e, values, chunk.number);
  }
}
void RowBlockWriter::keepPoint(unsigned stage, const Body::Values &known, const Chunk &chunk,
                               Value i) {
  for (auto &[value, buffer] : layout.kept)
    if (!isa<BlockArgument>(value) && isFirst(stage, value))
      e.storeScalar(known.lookup(value), buffer.place(e, chunk.number, i), e.index(0));
}

// ---- Sums ----

SmallVector<Value> RowBlockWriter::neutral(unsigned stage) {
  SmallVector<Value> values;
  for (kernel::RowReduceOp reduce : shape.reductions[stage])
    values.push_back(target::neutral(e, reduce.getKind(), reduce.getType()));
  return values;
}

/// Adds a chunk to the sums of the thread's columns, reduction after reduction.
SmallVector<Value> RowBlockWriter::addChunk(unsigned stage, const Chunk &chunk, ValueRange sums) {
  SmallVector<Body::Values> known = readChunk(stage, chunk);
  SmallVector<Value> next;
  for (kernel::RowReduceOp reduce : shape.reductions[stage])
    for (auto [i, values] : llvm::enumerate(known)) {
      Value term = body.evaluate(reduce.getX(), dimsAt(e.add(chunk.start, i)), values);
      next.push_back(combine(e, reduce.getKind(), sums[next.size()], term));
    }
  keepChunk(stage, known, chunk);
  return next;
}

/// Adds a partial chunk point by point: points outside of the thread's part add nothing.
SmallVector<Value> RowBlockWriter::addPoints(unsigned stage, const Chunk &chunk, ValueRange sums) {
  ArrayRef<kernel::RowReduceOp> reductions = shape.reductions[stage];
  return e.loop(e.index(0), e.index(layout.vector), 1, sums, [&](Value i, ValueRange soFar) {
    Value column = e.add(chunk.start, i);
    SmallVector<Value> none = neutral(stage), next;
    SmallVector<Value> terms = e.either(
        isColumn(chunk, column),
        [&] {
          Body::Values known = readPoint(stage, chunk, i);
          SmallVector<Value> found;
          for (kernel::RowReduceOp reduce : reductions)
            found.push_back(body.evaluate(reduce.getX(), dimsAt(column), known));
          keepPoint(stage, known, chunk, i);
          return found;
        },
        [&] { return none; });
    for (auto [r, op] : llvm::enumerate(reductions)) {
      kernel::RowReduceOp reduce = op;
      for (int64_t point = 0; point < layout.vector; ++point) {
        Value sum = soFar[next.size()], all = combine(e, reduce.getKind(), sum, terms[r]);
        next.push_back(target::select(e, target::equal(e, i, e.index(point)), all, sum));
      }
    }
    return next;
  });
}

/// Columns count from the start of the row, chunks from an aligned address: the phase is the
/// difference.
void RowBlockWriter::storeColumns(kernel::RowReduceOp reduce, ValueRange sums) {
  constexpr int64_t width = target::order::rowWidth;
  int64_t size = target::elementBytes(reduce.getType());
  Value own = e.advance(at(layout.sums.find(reduce.getResult())->second.columns),
                        e.mul(group(), width * size));
  Value first = e.mul(e.rem(thread, layout.groupThreads()), layout.vector);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value column = e.add(first, e.i32(i));
    if (phase)
      column = e.bitAnd(e.sub(column, e.number(phase)), width - 1);
    e.storeScalar(sum, own, e.position(column));
  }
}

/// Tree over the columns of a part, by the first warp of the part's group; lane l has columns l, l
/// + 32, ...
void RowBlockWriter::addColumns(kernel::RowReduceOp reduce, Value round) {
  constexpr int64_t width = target::order::rowWidth, lanes = 32;
  const BlockLayout::Sum &in = layout.sums.find(reduce.getResult())->second;
  Type type = reduce.getType();
  Value own = e.advance(at(in.columns), e.mul(group(), width * target::elementBytes(type)));
  Value lane = e.position(e.bitAnd(thread, lanes - 1));
  auto load = [&](int64_t i) { return e.loadScalar(own, type, e.add(lane, i * lanes)); };
  Value sum = target::sumTree<Value>(
      width / lanes, load, [&](Value x, Value y) { return combine(e, reduce.getKind(), x, y); });
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    sum = combine(e, reduce.getKind(), sum, e.shuffleDown(sum, e.i32(-1), half, lanes));
  Value isFirst = target::equal(e, e.rem(thread, layout.groupThreads()), e.i32(0));
  Value isPart = e.less(part(round), e.index(layout.parts));
  e.when(target::both(e, isFirst, isPart), [&] { e.storeScalar(sum, at(in.parts), part(round)); });
}

/// Tree over parts: each thread adds up to 16 parts redundantly; more parts are added level by
/// level.
Value RowBlockWriter::addParts(kernel::RowReduceOp reduce) {
  constexpr int64_t few = 16;
  Type type = reduce.getType();
  Value from = at(layout.sums.find(reduce.getResult())->second.parts);
  auto load = [&](Value i) { return e.loadScalar(from, type, i); };
  auto add = [&](Value x, Value y) { return combine(e, reduce.getKind(), x, y); };
  if (layout.parts <= few)
    return target::sumTree<Value>(layout.parts, [&](int64_t i) { return load(e.index(i)); }, add);
  target::forLevels(layout.parts, [&](int64_t half, int64_t pairs) {
    e.loop(e.position(thread), e.index(pairs), layout.threads(),
           [&](Value i) { e.storeScalar(add(load(i), load(e.add(i, half))), from, i); });
    e.syncBlock();
  });
  return load(e.index(0));
}

void RowBlockWriter::reduceStage(unsigned stage) {
  ArrayRef<kernel::RowReduceOp> reductions = shape.reductions[stage];
  shape.defineUniform(e, body, row, stage, uniform);
  SmallVector<Value> none;
  for (Value value : neutral(stage))
    none.append(layout.vector, value);
  e.loop(e.index(0), e.index(layout.rounds()), 1, [&](Value round) {
    SmallVector<Value> sums =
        e.loop(e.index(0), e.index(layout.steps), 1, none, [&](Value step, ValueRange soFar) {
          Chunk chunk = chunkOf(round, step);
          auto whole = [&] { return addChunk(stage, chunk, soFar); };
          auto none = [&] { return SmallVector<Value>(soFar); };
          auto points = [&] {
            return e.either(
                e.less(chunk.start, chunk.high), [&] { return addPoints(stage, chunk, soFar); },
                none);
          };
          return chunk.isWhole ? e.either(chunk.isWhole, whole, points) : whole();
        });
    for (auto [r, reduce] : llvm::enumerate(reductions))
      storeColumns(reduce, ArrayRef(sums).slice(r * layout.vector, layout.vector));
    e.syncBlock();
    Value isFirstWarp = e.isBelow(e.rem(thread, layout.groupThreads()), 32);
    e.when(isFirstWarp, [&] {
      for (kernel::RowReduceOp reduce : reductions)
        addColumns(reduce, round);
    });
    e.syncBlock();
  });
  for (kernel::RowReduceOp reduce : reductions)
    uniform[reduce.getResult()] = addParts(reduce);
}

// ---- Results ----

void RowBlockWriter::storeVarying() {
  Operation *yield = body.block().getTerminator();
  unsigned stage = shape.stages();
  shape.defineUniform(e, body, row, stage, uniform);
  forChunks([&](const Chunk &chunk) {
    auto whole = [&] {
      SmallVector<Body::Values> known = readChunk(stage, chunk);
      SmallVector<SmallVector<Value>> values(shape.varying.size());
      for (auto [i, at] : llvm::enumerate(known))
        for (auto [k, list] : llvm::zip(shape.varying, values))
          list.push_back(body.evaluate(yield->getOperand(k), dimsAt(e.add(chunk.start, i)), at));
      for (auto [k, list] : llvm::zip(shape.varying, values)) {
        const target::Access &access = shape.space.results[k];
        if (shape.isContiguous(access)) {
          Value to = target::position(e, access, dimsAt(chunk.start));
          e.storeVector(list, e.address(pointers.results[k], list.front().getType(), to));
          continue;
        }
        for (auto [i, value] : llvm::enumerate(list))
          body.store(k, value, dimsAt(e.add(chunk.start, i)));
      }
    };
    visit(chunk, whole, [&](Value i, Value column) {
      Body::Values known = readPoint(stage, chunk, i);
      SmallVector<Value> values;
      for (unsigned k : shape.varying)
        values.push_back(body.evaluate(yield->getOperand(k), dimsAt(column), known));
      for (auto [k, value] : llvm::zip(shape.varying, values))
        body.store(k, value, dimsAt(column));
    });
  });
}

/// A result per row may overwrite inputs of the row's points, so the store waits until all threads
/// have read.
void RowBlockWriter::storeUniform() {
  auto values = shape.uniformResults(e, body, row, uniform);
  if (values.empty())
    return;
  e.syncBlock();
  e.when(target::equal(e, thread, e.i32(0)), [&] {
    for (auto [k, value] : values)
      body.store(k, value, dimsAt(e.index(0)));
  });
}

void RowBlockWriter::write() {
  fill();
  for (unsigned stage = 0; stage < shape.stages(); ++stage)
    reduceStage(stage);
  if (!shape.varying.empty())
    storeVarying();
  storeUniform();
}

void nvptx::emitRowBlocks(const RowShape &shape, DeviceCode &code) {
  if (shape.rows() == 0)
    return;
  BlockLayout layout(shape, code.chip);
  code.describe("rows of " + llvm::Twine(layout.threads()) + " threads, in shared memory");
  LaunchShape launch;
  launch.grid[0] = shape.rows();
  launch.threads = layout.threads();
  launch.sharedBytes = layout.bytes;
  code.launch(launch, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    RowBlockWriter(shape, layout, e, pointers).write();
  });
}
