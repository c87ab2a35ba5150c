// Long rows, each by a block: read once into shared memory, then stage by stage from there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Common/Combine.h"
#include "lib/Target/NVPTX/Rows/BlockLayout.h"
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
      : shape(shape), layout(layout), order(shape.length), e(e), pointers(pointers),
        body(e, shape.op, pointers, shape.space), row(shape.rowAt(e, e.block())),
        thread(e.thread()), shared(e.sharedMemory()) {
    if (shape.hasPhase())
      phase = shape.phase(e, row);
  }
  void write();

private:
  /// A chunk of the thread: its number, the column of its first point (less than 0 if that is
  /// before the row), and whether all its points are columns below a limit (null: always).
  struct Chunk {
    Value number, start, isWhole;
  };
  SmallVector<Value> dimsAt(Value column) const {
    SmallVector<Value> dims(row);
    dims.push_back(column);
    return dims;
  }
  Value at(int64_t offset) { return e.advance(shared, offset); }
  Value isColumn(Value column) { return target::within(e, column, shape.length); }
  Chunk chunkOf(Value tile, int64_t limit);
  /// `whole` for a chunk, or `single` for each of its points that is a column.
  void visit(const Chunk &chunk, llvm::function_ref<void()> whole,
             llvm::function_ref<void(Value i, Value column)> single);

  Value placeInMemory(unsigned input, Value column);

  void fill();
  void fillChunk(BlockArgument input, const ChunkBuffer &buffer, const Chunk &chunk);
  /// What is known at the points of a chunk, or at one.
  SmallVector<Body::Values> readChunk(unsigned stage, const Chunk &chunk);
  Body::Values readPoint(unsigned stage, const Chunk &chunk, Value i);
  void keepChunk(unsigned stage, ArrayRef<Body::Values> known, const Chunk &chunk);
  void keepPoint(unsigned stage, const Body::Values &known, const Chunk &chunk, Value i);
  bool isFirst(unsigned stage, Value value);

  void reduceStage(unsigned stage);
  SmallVector<Value> neutral(unsigned stage);
  void storeTerms(kernel::RowReduceOp reduce, ArrayRef<Value> terms, Value parity);
  SmallVector<Value> leaveOut(unsigned stage, Value parity, ValueRange sums);
  SmallVector<Value> findTerms(unsigned stage, const Chunk &chunk, Value parity, ValueRange sums);
  SmallVector<Value> findSingleTerms(unsigned stage, const Chunk &chunk, Value parity,
                                     ValueRange sums);
  Value addTerms(kernel::RowReduceOp reduce, Value parity, Value sum);
  Value isAdder(kernel::RowReduceOp reduce);
  Value chain() { return e.and32(thread, BlockLayout::chains - 1); }
  void storeChain(kernel::RowReduceOp reduce, Value sum);
  void finishSum(kernel::RowReduceOp reduce);
  void storeOfWarp(kernel::RowReduceOp reduce, Value value);
  Value finish(kernel::RowReduceOp reduce);
  Value combineLanes(kernel::Combine kind, Value x, int64_t width);
  void storeVarying();
  void storeUniform();

  const RowShape &shape;
  const BlockLayout &layout;
  SumOrder order;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  Body body;
  SmallVector<Value> row;
  Value thread, shared, phase;
  Body::Values uniform;
};
} // namespace

RowBlockWriter::Chunk RowBlockWriter::chunkOf(Value tile, int64_t limit) {
  Chunk chunk;
  Value first = e.mul(tile, layout.threads);
  chunk.number = e.add32(e.number(first), thread);
  chunk.start = e.mul(e.position(chunk.number), layout.vector);
  if (phase)
    chunk.start = e.sub(chunk.start, phase);
  if (!phase && limit == layout.tiles * layout.tileColumns())
    return chunk;
  chunk.isWhole = e.less(chunk.start, e.index(limit - layout.vector + 1));
  if (phase) {
    Value begins =
        e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::sge, chunk.start, e.index(0));
    chunk.isWhole = target::both(e, chunk.isWhole, begins);
  }
  return chunk;
}

void RowBlockWriter::visit(const Chunk &chunk, llvm::function_ref<void()> whole,
                           llvm::function_ref<void(Value, Value)> single) {
  if (!chunk.isWhole)
    return whole();
  e.when(chunk.isWhole, whole);
  if (shape.isWhole())
    return;
  e.when(target::negate(e, chunk.isWhole), [&] {
    e.loop(e.index(0), e.index(layout.vector), 1, [&](Value i) {
      Value column = e.add(chunk.start, i);
      e.when(isColumn(column), [&] { single(i, column); });
    });
  });
}

Value RowBlockWriter::placeInMemory(unsigned input, Value column) {
  Value position = target::position(e, shape.space.inputs[input], dimsAt(column));
  Type element = body.block().getArgument(input).getType();
  return e.address(pointers.operands[input], element, position);
}

// ---- Reading ----

void RowBlockWriter::fillChunk(BlockArgument input, const ChunkBuffer &buffer, const Chunk &chunk) {
  unsigned number = input.getArgNumber();
  visit(
      chunk,
      [&] {
        Value from = placeInMemory(number, chunk.start),
              to = buffer.place(e, chunk.number, int64_t(0));
        if (e.chip.hasAsyncCopy() && buffer.pieceBytes() >= 4)
          return e.copyAsync(to, from, buffer.pieceBytes(), Value());
        e.storeRun(e.loadRun(from, input.getType(), layout.vector), to);
      },
      [&](Value i, Value column) {
        Value x = e.loadScalar(placeInMemory(number, column), input.getType(), e.index(0));
        e.storeScalar(x, buffer.place(e, chunk.number, i), e.index(0));
      });
}

/// A thread reads nothing but what it has written, so there is no barrier.
void RowBlockWriter::fill() {
  SmallVector<std::pair<BlockArgument, ChunkBuffer>> inputs;
  for (auto &[value, buffer] : layout.kept)
    if (auto input = dyn_cast<BlockArgument>(value))
      inputs.push_back({input, buffer});
  if (inputs.empty())
    return;
  e.loop(e.index(0), e.index(layout.tiles), 1, [&](Value tile) {
    Chunk chunk = chunkOf(tile, shape.length);
    for (auto &[input, buffer] : inputs)
      fillChunk(input, buffer, chunk);
  });
  if (e.chip.hasAsyncCopy()) {
    e.commitCopies();
    e.waitForCopies(0);
  }
}

/// Whether no stage before needs it.
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
    else if (input && shape.isRun(input))
      define(value, e.loadRun(placeInMemory(input.getArgNumber(), chunk.start), value.getType(),
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

void RowBlockWriter::storeTerms(kernel::RowReduceOp reduce, ArrayRef<Value> terms, Value parity) {
  const BlockLayout::Sum &in = layout.sums.find(reduce.getResult())->second;
  const ChunkBuffer &buffer = in.terms;
  for (int64_t piece = 0; piece < buffer.pieces(); ++piece)
    e.storeRun(terms.slice(piece * buffer.pieceElements, buffer.pieceElements),
               e.advance(buffer.place(e, thread, piece), e.mul32(parity, in.nextTile)));
}

/// A chunk behind the row adds nothing.
SmallVector<Value> RowBlockWriter::leaveOut(unsigned stage, Value parity, ValueRange sums) {
  for (auto [reduce, none] : llvm::zip(shape.reductions[stage], neutral(stage)))
    if (shape.isOrdered(reduce))
      storeTerms(reduce, SmallVector<Value>(layout.vector, none), parity);
  return sums;
}

/// Maxima of the thread's terms; terms of sums go to shared memory.
SmallVector<Value> RowBlockWriter::findTerms(unsigned stage, const Chunk &chunk, Value parity,
                                             ValueRange sums) {
  SmallVector<Body::Values> known = readChunk(stage, chunk);
  SmallVector<Value> next(sums);
  for (auto [r, op] : llvm::enumerate(shape.reductions[stage])) {
    kernel::RowReduceOp reduce = op;
    SmallVector<Value> terms;
    for (auto [i, values] : llvm::enumerate(known))
      terms.push_back(body.evaluate(reduce.getX(), dimsAt(e.add(chunk.start, i)), values));
    if (shape.isOrdered(reduce)) {
      storeTerms(reduce, terms, parity);
      continue;
    }
    for (Value term : terms)
      next[r] = combine(e, reduce.getKind(), next[r], term);
  }
  keepChunk(stage, known, chunk);
  return next;
}

/// Point by point: what is no column adds nothing, and columns behind the last block of 64 have a
/// place of their own.
SmallVector<Value> RowBlockWriter::findSingleTerms(unsigned stage, const Chunk &chunk, Value parity,
                                                   ValueRange sums) {
  ArrayRef<kernel::RowReduceOp> reductions = shape.reductions[stage];
  return e.loop(e.index(0), e.index(layout.vector), 1, sums, [&](Value i, ValueRange soFar) {
    Value column = e.add(chunk.start, i);
    SmallVector<Value> none = neutral(stage);
    SmallVector<Value> terms = e.either(
        isColumn(column),
        [&] {
          Body::Values known = readPoint(stage, chunk, i);
          SmallVector<Value> found;
          for (kernel::RowReduceOp reduce : reductions)
            found.push_back(body.evaluate(reduce.getX(), dimsAt(column), known));
          keepPoint(stage, known, chunk, i);
          return found;
        },
        [&] { return none; });
    Value behind = e.sub(column, e.index(order.blocked));
    Value isRest = target::within(e, behind, order.rest);
    SmallVector<Value> next(soFar);
    for (size_t r = 0; r < reductions.size(); ++r) {
      kernel::RowReduceOp reduce = reductions[r];
      if (!shape.isOrdered(reduce)) {
        next[r] = combine(e, reduce.getKind(), next[r], terms[r]);
        continue;
      }
      const BlockLayout::Sum &in = layout.sums.find(reduce.getResult())->second;
      Value to = e.advance(in.terms.place(e, thread, i), e.mul32(parity, in.nextTile));
      e.storeScalar(target::select(e, isRest, none[r], terms[r]), to, e.index(0));
      e.when(isRest, [&] { e.storeScalar(terms[r], at(in.rest), behind); });
    }
    return next;
  });
}

/// 64 threads each; which ones, differs among the sums of a stage.
Value RowBlockWriter::isAdder(kernel::RowReduceOp reduce) {
  int64_t number = 0;
  for (const auto &stage : shape.reductions)
    for (kernel::RowReduceOp other : stage) {
      if (other == reduce)
        return target::equal(e, e.div32(thread, BlockLayout::chains),
                             e.i32(number % (layout.threads / BlockLayout::chains)));
      number += shape.isOrdered(other);
    }
  llvm_unreachable("a reduction is in a stage");
}

Value RowBlockWriter::addTerms(kernel::RowReduceOp reduce, Value parity, Value sum) {
  const BlockLayout::Sum &in = layout.sums.find(reduce.getResult())->second;
  const ChunkBuffer &buffer = in.terms;
  int64_t step = BlockLayout::chains / buffer.pieces();
  auto add = [&]() -> SmallVector<Value> {
    // Column c of the tile: point c % vector of chunk c / vector.
    Value number = e.div32(chain(), layout.vector), i = e.rem32(chain(), layout.vector);
    Value from = e.advance(buffer.place(e, number, e.position(i)), e.mul32(parity, in.nextTile));
    // Loads first: only the sums wait for each other.
    SmallVector<Value> terms;
    for (int64_t block = 0; block < layout.tileColumns() / BlockLayout::chains; ++block)
      terms.push_back(e.loadScalar(from, reduce.getType(), e.index(block * step)));
    Value all = sum;
    for (Value term : terms)
      all = combine(e, reduce.getKind(), all, term);
    return {all};
  };
  return e.either(isAdder(reduce), add, [&]() -> SmallVector<Value> { return {sum}; })[0];
}

/// Columns of a row do not start where its chunks do.
void RowBlockWriter::storeChain(kernel::RowReduceOp reduce, Value sum) {
  e.when(isAdder(reduce), [&] {
    Value column = chain();
    if (phase)
      column = e.and32(e.sub32(column, e.number(phase)), BlockLayout::chains - 1);
    e.storeScalar(sum, at(layout.sums.find(reduce.getResult())->second.columns),
                  e.position(column));
  });
}

Value RowBlockWriter::combineLanes(kernel::Combine kind, Value x, int64_t width) {
  for (int64_t half = width / 2; half >= 1; half /= 2)
    x = combine(e, kind, x, e.shuffleDown(x, e.i32(-1), half, width));
  return x;
}

/// By one warp, in the order of a CPU with vectors of sixteen.
void RowBlockWriter::finishSum(kernel::RowReduceOp reduce) {
  constexpr int64_t lanes = 16;
  const BlockLayout::Sum &in = layout.sums.find(reduce.getResult())->second;
  Value lane = e.position(e.and32(thread, lanes - 1));
  auto load = [&](int64_t offset, int64_t first) {
    return e.loadScalar(at(offset), reduce.getType(), e.add(lane, first));
  };
  kernel::Combine kind = reduce.getKind();
  Value sum = load(in.columns, 0);
  for (int64_t first = 0; first < order.rest; first += lanes) {
    auto add = [&]() -> SmallVector<Value> {
      return {combine(e, kind, sum, load(in.rest, first))};
    };
    Value exists = e.less(lane, e.index(order.rest - first));
    sum = e.either(exists, add, [&]() -> SmallVector<Value> { return {sum}; })[0];
  }
  for (int64_t way = 1; way < order.ways; ++way)
    sum = combine(e, kind, sum, load(in.columns, way * lanes));
  sum = combineLanes(kind, sum, lanes);
  e.when(target::equal(e, e.and32(thread, 31), e.i32(0)),
         [&] { e.storeScalar(sum, at(in.result), e.index(0)); });
}

void RowBlockWriter::storeOfWarp(kernel::RowReduceOp reduce, Value value) {
  value = combineLanes(reduce.getKind(), value, 32);
  e.when(target::equal(e, e.and32(thread, 31), e.i32(0)), [&] {
    e.storeScalar(value, at(layout.perWarp.find(reduce.getResult())->second),
                  e.position(e.div32(thread, 32)));
  });
}
Value RowBlockWriter::finish(kernel::RowReduceOp reduce) {
  if (shape.isOrdered(reduce))
    return e.loadScalar(at(layout.sums.find(reduce.getResult())->second.result), reduce.getType(),
                        e.index(0));
  Value from = at(layout.perWarp.find(reduce.getResult())->second), all;
  for (int64_t warp = 0; warp < layout.warps(); ++warp) {
    Value next = e.loadScalar(from, reduce.getType(), e.index(warp));
    all = all ? combine(e, reduce.getKind(), all, next) : next;
  }
  return all;
}

void RowBlockWriter::reduceStage(unsigned stage) {
  ArrayRef<kernel::RowReduceOp> reductions = shape.reductions[stage];
  bool hasSums = llvm::any_of(reductions, [&](auto reduce) { return shape.isOrdered(reduce); });
  shape.defineUniform(e, body, row, stage, uniform);
  SmallVector<Value> sums = neutral(stage);
  sums = e.loop(e.index(0), e.index(layout.tiles), 1, sums, [&](Value tile, ValueRange soFar) {
    Chunk chunk = chunkOf(tile, hasSums ? order.blocked : shape.length);
    Value parity = e.number(e.rem(tile, 2));
    auto whole = [&] { return findTerms(stage, chunk, parity, soFar); };
    auto rest = [&] {
      Value isBehind = e.less(e.index(shape.length - 1), chunk.start);
      return e.either(
          isBehind, [&] { return leaveOut(stage, parity, soFar); },
          [&] { return findSingleTerms(stage, chunk, parity, soFar); });
    };
    SmallVector<Value> next = chunk.isWhole ? e.either(chunk.isWhole, whole, rest) : whole();
    if (!hasSums)
      return next;
    e.syncBlock();
    for (auto [r, reduce] : llvm::enumerate(reductions))
      if (shape.isOrdered(reduce))
        next[r] = addTerms(reduce, parity, next[r]);
    return next;
  });
  for (auto [reduce, sum] : llvm::zip(reductions, sums))
    shape.isOrdered(reduce) ? storeChain(reduce, sum) : storeOfWarp(reduce, sum);
  e.syncBlock();
  if (hasSums) {
    int64_t warp = 0;
    for (kernel::RowReduceOp reduce : reductions)
      if (shape.isOrdered(reduce))
        e.when(target::equal(e, e.div32(thread, 32), e.i32(warp++ % layout.warps())),
               [&] { finishSum(reduce); });
    e.syncBlock();
  }
  for (kernel::RowReduceOp reduce : reductions)
    uniform[reduce.getResult()] = finish(reduce);
}

// ---- Results ----

void RowBlockWriter::storeVarying() {
  Operation *yield = body.block().getTerminator();
  unsigned stage = shape.stages();
  shape.defineUniform(e, body, row, stage, uniform);
  e.loop(e.index(0), e.index(layout.tiles), 1, [&](Value tile) {
    Chunk chunk = chunkOf(tile, shape.length);
    auto whole = [&] {
      SmallVector<Body::Values> known = readChunk(stage, chunk);
      SmallVector<SmallVector<Value>> values(shape.varying.size());
      for (auto [i, at] : llvm::enumerate(known))
        for (auto [k, list] : llvm::zip(shape.varying, values))
          list.push_back(body.evaluate(yield->getOperand(k), dimsAt(e.add(chunk.start, i)), at));
      for (auto [k, list] : llvm::zip(shape.varying, values)) {
        const target::Access &access = shape.space.results[k];
        if (shape.isRun(access)) {
          Value to = target::position(e, access, dimsAt(chunk.start));
          e.storeRun(list, e.address(pointers.results[k], list.front().getType(), to));
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

/// One number per row may lie where the row's points read: it comes when all of them have.
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
  code.describe("rows of " + llvm::Twine(layout.threads) + " threads, in shared memory");
  LaunchShape launch;
  launch.grid[0] = shape.rows();
  launch.threads = layout.threads;
  launch.sharedBytes = layout.bytes;
  code.launch(launch, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    RowBlockWriter(shape, layout, e, pointers).write();
  });
}
