// Epilogue: from accumulators in registers to results in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::Body;

/// Rows of a warp tile in shared memory at a time.
static int64_t stagedLines(const TileGemm &gemm) {
  return std::min<int64_t>(32, gemm.tile.warpM());
}
/// Floats between rows: with 8 floats of padding, a store of eight rows of a fragment is free of
/// bank conflicts.
static int64_t pitchOf(const TileGemm &gemm) { return gemm.tile.warpN() + 8; }
static int64_t warpBytes(const TileGemm &gemm) { return stagedLines(gemm) * pitchOf(gemm) * 4; }
int64_t Epilogue::sharedBytes(const TileGemm &gemm) {
  if (!gemm.onMatrixUnits())
    return 4 * 64 * gemm.tile.n;
  return gemm.tile.warpsM * gemm.tile.warpsN * warpBytes(gemm);
}

Epilogue::Epilogue(DeviceEmitter &e, FusedKernelOpInterface op, const TileGemm &gemm,
                   const ProductResults &results, const KernelPointers &pointers, Value number,
                   Value part)
    : e(e), gemm(gemm), writer(e, op, results, pointers), workspace(pointers.workspace),
      number(number), part(part), batch(e.split(number, gemm.batch)), columns(writer.columns) {
  if (gemm.parts > 1)
    for (columns = 4; gemm.n % columns;)
      columns /= 2;
}

// Stores accumulators to shared memory: a thread has columns 2 (t % 4) and 2 (t % 4) + 1 of row t /
// 4, then of row t / 4 + 8.
void Epilogue::stageWarp(ArrayRef<std::array<Value, 4>> sums, Value memory) {
  Value lane = e.rem(e.thread(), 32);
  int64_t pitch = pitchOf(gemm), tiles = gemm.tile.warpN() / 8;
  Value own = e.add(e.mul(e.div(lane, 4), pitch), e.mul(e.rem(lane, 4), 2));
  Value base = e.advance(memory, e.mul(own, 4));
  for (auto [number, four] : llvm::enumerate(sums)) {
    int64_t line = int64_t(number) / tiles * 16, column = int64_t(number) % tiles * 8;
    for (int64_t half : {0, 1})
      e.storeVector(ArrayRef<Value>(four).slice(2 * half, 2),
                    e.advance(base, 4 * ((line + 8 * half) * pitch + column)));
  }
}

/// Stores final results through the body, or the partial sums of a split-K slice to the workspace
/// [parts, batch, m, n].
void Epilogue::write(ArrayRef<Value> sums, Value line, Value column,
                     const ResultWriter::Runs &inputs) {
  if (gemm.parts == 1)
    return writer.write(sums, batch, line, column, inputs);
  Value entry = e.add(e.mul(e.position(part), gemm.batches()), e.position(number));
  Value place = e.add(e.mul(entry, gemm.m), e.position(line));
  place = e.add(e.mul(place, gemm.n), e.position(column));
  e.storeVector(sums, e.address(workspace, e.b.getF32Type(), place));
}

/// Columns of a thread in a pass. `line`, `column`: start of the staged subtile in the result.
Epilogue::Columns Epilogue::columnsOf(const Staged &staged, Value pass, Value line, Value column) {
  int64_t runs = staged.width / columns;
  Value number = e.add(e.mul(pass, staged.threads), staged.thread);
  Value ownLine = e.div(number, runs), ownColumn = e.mul(e.rem(number, runs), columns);
  Value place = e.add(e.mul(ownLine, staged.pitch), ownColumn);
  return {e.advance(staged.memory, e.mul(place, 4)), e.add(line, ownLine),
          e.add(column, ownColumn)};
}

/// Loads epilogue sources. Past the result, the last columns and rows are loaded again and not
/// used.
ResultWriter::Runs Epilogue::load(const Columns &at) {
  Value line = at.line, column = at.column;
  if (gemm.m % gemm.tile.m)
    line = e.min(line, e.i32(gemm.m - 1));
  if (gemm.n % gemm.tile.n)
    column = e.min(column, e.i32(gemm.n - columns));
  return writer.load(batch, line, column);
}

void Epilogue::finishPass(const Columns &at, const ResultWriter::Runs &inputs) {
  Value exists;
  auto require = [&](Value holds) { exists = exists ? target::both(e, exists, holds) : holds; };
  if (gemm.m % gemm.tile.m)
    require(e.isBelow(at.line, gemm.m));
  if (gemm.n % gemm.tile.n)
    require(e.isBelow(at.column, gemm.n));
  auto run = [&] {
    write(e.loadVector(at.place, e.b.getF32Type(), columns), at.line, at.column, inputs);
  };
  if (exists)
    e.when(exists, run);
  else
    run();
}

Epilogue::Staged Epilogue::stagedBy(Value warpMemory) {
  return {warpMemory,        e.rem(e.thread(), 32), stagedLines(gemm),
          gemm.tile.warpN(), pitchOf(gemm),         32};
}

/// Most operations of all passes together for which the passes are unrolled.
static constexpr int64_t mostUnrolled = 256;
bool Epilogue::isLong() {
  return gemm.parts == 1 &&
         passes(stagedBy(Value())) * columns * writer.operations() > mostUnrolled;
}

SmallVector<Value> Epilogue::valuesOf(const Prefetched &ahead) {
  SmallVector<Value> values;
  for (const auto &runs : ahead)
    for (const auto &run : runs)
      llvm::append_range(values, run);
  return values;
}
Epilogue::Prefetched Epilogue::with(const Prefetched &ahead, ValueRange values) {
  Prefetched other = ahead;
  for (auto &runs : other)
    for (auto &run : runs) {
      llvm::copy(values.take_front(run.size()), run.begin());
      values = values.drop_front(run.size());
    }
  return other;
}

// Prefetch for all passes, or for the first pass of a long body, whose passes are a loop that
// prefetches for the next pass.
Epilogue::Prefetched Epilogue::prefetch(Value line, Value column) {
  Prefetched ahead;
  if (gemm.parts > 1 || !writer.hasInputs())
    return ahead;
  Staged staged = stagedBy(Value());
  staged.memory = e.sharedMemory();
  for (int64_t pass = 0; pass < (isLong() ? 1 : passes(staged)); ++pass)
    ahead.push_back(load(columnsOf(staged, e.i32(pass), line, column)));
  return ahead;
}

void Epilogue::finish(const Staged &staged, Value line, Value column, const Prefetched &ahead) {
  auto at = [&](Value pass) { return columnsOf(staged, pass, line, column); };
  int64_t count = passes(staged);
  if (!ahead.empty() && int64_t(ahead.size()) == count) {
    for (int64_t pass = 0; pass < count; ++pass)
      finishPass(at(e.i32(pass)), ahead[pass]);
    return;
  }
  e.loop(e.index(0), e.index(count), 1, valuesOf(ahead), [&](Value index, ValueRange now) {
    Value pass = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), index);
    if (ahead.empty()) {
      Columns own = at(pass);
      finishPass(own, gemm.parts > 1 ? ResultWriter::Runs() : load(own));
      return SmallVector<Value>();
    }
    Prefetched next{load(at(e.min(e.add(pass, e.i32(1)), e.i32(count - 1))))};
    finishPass(at(pass), with(ahead, now).front());
    return valuesOf(next);
  });
}

Value Epilogue::warpMemory(Value shared) {
  return e.advance(shared, e.mul(e.div(e.thread(), 32), warpBytes(gemm)));
}
void Epilogue::stage(ArrayRef<std::array<Value, 4>> sums, Value shared) {
  stageWarp(sums, warpMemory(shared));
}
void Epilogue::finish(Value line, Value column, Value shared, const Prefetched &ahead) {
  finish(stagedBy(warpMemory(shared)), line, column, ahead);
}

void Epilogue::store(ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared,
                     Prefetched ahead) {
  Value all = e.i32(-1), own = warpMemory(shared);
  Staged staged = stagedBy(own);
  int64_t lines = staged.lines, perStage = lines / 16 * (gemm.tile.warpN() / 8);
  for (int64_t at = 0; at < gemm.tile.warpM(); at += lines) {
    Value first = e.add(line, e.i32(at));
    if (at > 0) {
      e.syncWarp(all);
      ahead.clear();
    }
    stageWarp(sums.slice(at / lines * perStage, perStage), own);
    e.syncWarp(all);
    finish(staged, first, column, ahead);
  }
}

void Epilogue::storeSIMT(ArrayRef<std::array<Value, 4>> sums, Value line, Value column,
                         Value shared) {
  int64_t width = gemm.tile.n, runs = width / 64;
  Staged staged{shared, e.thread(), 64, width, width, gemm.tile.threads()};
  Value own = e.add(e.mul(e.div(e.thread(), 16), 4 * width), e.mul(e.rem(e.thread(), 16), 4));
  Value base = e.advance(shared, e.mul(own, 4));
  for (int64_t at = 0; at < gemm.tile.m; at += 64) {
    e.syncBlock(); // all threads have read the former contents
    for (int64_t r = 0; r < 4; ++r)
      for (int64_t j = 0; j < runs; ++j)
        e.storeVector(sums[(at / 16 + r) * runs + j], e.advance(base, 4 * (r * width + 64 * j)));
    e.syncBlock();
    finish(staged, e.add(line, e.i32(at)), column, {});
  }
}

/// Whether the body has inputs along the columns, which are worth a prefetch.
bool ResultWriter::hasInputs() const {
  unsigned last = results.space.rank() - 1;
  return llvm::any_of(results.space.inputs, [&](const Access &access) {
    return access.dependsOn(last) && access.strideAlong(last) == 1;
  });
}
int64_t ResultWriter::operations() {
  return llvm::range_size(op.getBody().front().without_terminator());
}

ResultWriter::Runs ResultWriter::load(ArrayRef<Value> batch, Value line, Value column) {
  const target::IterationSpace &space = results.space;
  unsigned last = space.rank() - 1;
  SmallVector<Value> dims = results.pointOf(e, batch, line, column);
  ArrayRef<Value> inputs = ArrayRef(pointers.operands).drop_front(2);
  Runs runs(space.inputs.size());
  for (auto [i, access] : llvm::enumerate(space.inputs)) {
    BlockArgument argument = op.getBody().front().getArgument(1 + i);
    int64_t length = access.strideAlong(last) == 1 ? columns : 1;
    if (argument.use_empty() || (access.dependsOn(last) && length == 1 && columns > 1))
      continue; // the latter is loaded by element
    Value place = target::position(e, access, dims);
    runs[i] =
        e.loadVector(e.address(inputs[i], argument.getType(), place), argument.getType(), length);
  }
  return runs;
}

void ResultWriter::write(ArrayRef<Value> sums, ArrayRef<Value> batch, Value line, Value column,
                         const Runs &inputs) {
  const target::IterationSpace &space = results.space;
  unsigned last = space.rank() - 1;
  Block &block = op.getBody().front();
  Body body(e, op, pointers, space);
  SmallVector<Value> dims = results.pointOf(e, batch, line, column);
  auto runOf = [&](const Access &access) { return access.strideAlong(last) == 1 ? columns : 1; };
  auto placeOf = [&](Value pointer, Type element, const Access &access) {
    return e.address(pointer, element, target::position(e, access, dims));
  };
  SmallVector<Body::Values> known(columns);
  for (auto [values, sum] : llvm::zip(known, sums))
    values[block.getArgument(0)] = sum;
  for (auto [i, run] : llvm::enumerate(inputs))
    if (!run.empty())
      for (auto [c, values] : llvm::enumerate(known))
        values[block.getArgument(1 + i)] = run[run.size() == 1 ? 0 : c];
  SmallVector<SmallVector<Value>> yields(op->getNumResults());
  auto pointAt = [&](int64_t c) {
    SmallVector<Value> at(dims);
    at.back() = e.add(at.back(), c);
    return at;
  };
  for (auto [c, values] : llvm::enumerate(known))
    for (auto [k, value] : llvm::enumerate(body.yields(pointAt(c), values)))
      yields[k].push_back(value);
  for (auto [k, access] : llvm::enumerate(space.results)) {
    for (Value value : yields[k])
      e.stored(k, value);
    if (runOf(access) == columns) {
      e.storeVector(yields[k], placeOf(pointers.results[k], yields[k].front().getType(), access));
      continue;
    }
    for (auto [c, value] : llvm::enumerate(yields[k]))
      body.store(k, value, pointAt(c));
  }
}

static int64_t finishPoints(FusedKernelOpInterface op, const ProductResults &results,
                            int64_t entries, int64_t m, int64_t n) {
  return entries * m * n / results.vectorColumns(op);
}
int64_t nvptx::splitKReductionWarps(FusedKernelOpInterface op, const ProductResults &results,
                                    const TileGemm &gemm) {
  return LaunchShape::perPoint(finishPoints(op, results, gemm.batches(), gemm.m, gemm.n)).warps();
}

void nvptx::launchSplitKReduction(FusedKernelOpInterface op, DeviceCode &code,
                                  const ProductResults &results, ArrayRef<int64_t> batch, int64_t m,
                                  int64_t n, int64_t parts) {
  int64_t columns = results.vectorColumns(op), entries = ShapedType::getNumElements(batch);
  int64_t points = finishPoints(op, results, entries, m, n);
  LaunchShape shape = LaunchShape::perPoint(points);
  shape.writesFinalResults = true;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Type f32 = e.b.getF32Type();
    Value number = e.globalThread(shape.threads);
    auto run = [&] {
      Value place = e.mul(e.position(number), columns);
      auto partAt = [&](Value part) {
        Value at = e.add(e.mul(part, entries * m * n), place);
        return e.loadVector(e.address(pointers.workspace, f32, at), f32, columns);
      };
      SmallVector<Value> sums(columns, e.constant(f32, 0));
      if (parts > 0)
        sums = e.loop(e.index(1), e.index(parts), 1, partAt(e.index(0)),
                      [&](Value part, ValueRange soFar) {
                        SmallVector<Value> next;
                        for (auto [sum, x] : llvm::zip(soFar, partAt(part)))
                          next.push_back(arith::AddFOp::create(e.b, e.loc, sum, x));
                        return next;
                      });
      int64_t runs = n / columns;
      Value line = e.div(number, runs), column = e.mul(e.rem(number, runs), columns);
      ResultWriter(e, op, results, pointers)
          .write(sums, e.split(e.div(line, m), batch), e.rem(line, m), column);
    };
    if (points % shape.threads == 0)
      return run();
    e.when(e.isBelow(number, points), run);
  });
}
