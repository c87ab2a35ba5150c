// From sums in registers to results in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::Body;
using target::IterationSpace;

/// Lines of a warp that are in shared memory at a time.
static int64_t stagedLines(const TileGemm &gemm) {
  return std::min<int64_t>(32, gemm.tile.warpM());
}
/// Floats from line to line: a store of the eight lines of a fragment meets every bank once.
static int64_t pitchOf(const TileGemm &gemm) { return gemm.tile.warpN() + 8; }
static int64_t warpBytes(const TileGemm &gemm) { return stagedLines(gemm) * pitchOf(gemm) * 4; }
int64_t Epilogue::sharedBytes(const TileGemm &gemm) {
  return gemm.tile.warpsM * gemm.tile.warpsN * warpBytes(gemm);
}

/// Neighbouring columns that a thread can load and store as vectors of at most 16 bytes, whatever
/// line and entry of the batch they are in.
static int64_t columnsOf(FusedKernelOpInterface op, const IterationSpace &space) {
  int64_t columns = 4;
  SmallVector<const Access *> runs;
  OperandRange inputs = op.getInputsMutable();
  unsigned last = space.rank() - 1;
  auto visit = [&](Type type, const Access &access) {
    if (access.strideAlong(last) != 1)
      return;
    runs.push_back(&access);
    if (target::elementBytes(getElementTypeOrSelf(type)) <= 2)
      columns = 8;
  };
  for (auto [input, access] : llvm::zip(inputs, space.inputs))
    visit(input.getType(), access);
  for (auto [type, access] : llvm::zip(op->getResultTypes(), space.results))
    visit(type, access);
  auto fits = [&](const Access *access) {
    if (access->residue || access->constant % columns)
      return false;
    for (unsigned dim = 0; dim < last; ++dim)
      if (space.sizes[dim] > 1 && access->strides[dim] % columns)
        return false;
    return true;
  };
  while (columns > 1 && (space.sizes[last] % columns || !llvm::all_of(runs, fits)))
    columns /= 2;
  return columns;
}

Epilogue::Epilogue(DeviceEmitter &e, FusedKernelOpInterface op, const TileGemm &gemm,
                   const KernelPointers &pointers, ArrayRef<Value> batch)
    : e(e), op(op), gemm(gemm), pointers(pointers), batch(batch), space(IterationSpace::of(op)),
      columns(columnsOf(op, space)) {}

// A thread has columns 2 (t % 4) and the next of line t / 4, then of line t / 4 + 8.
void Epilogue::stage(ArrayRef<std::array<Value, 4>> sums, Value shared) {
  Value lane = e.rem32(e.thread(), 32);
  int64_t pitch = pitchOf(gemm), tiles = gemm.tile.warpN() / 8;
  Value own = e.add32(e.mul32(e.div32(lane, 4), pitch), e.mul32(e.rem32(lane, 4), 2));
  Value base = e.advance(shared, e.mul32(own, 4));
  for (auto [number, four] : llvm::enumerate(sums)) {
    int64_t line = int64_t(number) / tiles * 16, column = int64_t(number) % tiles * 8;
    for (int64_t half : {0, 1})
      e.storeRun(ArrayRef<Value>(four).slice(2 * half, 2),
                 e.advance(base, 4 * ((line + 8 * half) * pitch + column)));
  }
}

/// The body at neighbouring columns of a line, an i32, whose sums are at `place`.
void Epilogue::evaluate(Value place, Value line, Value column) {
  unsigned last = space.rank() - 1;
  Block &block = op.getBody().front();
  Body body(e, op, pointers, space);
  SmallVector<Value> dims(batch);
  llvm::append_range(dims, e.split(line, gemm.lines));
  dims.push_back(column);
  auto runOf = [&](const Access &access) { return access.strideAlong(last) == 1 ? columns : 1; };
  auto placeOf = [&](Value pointer, Type element, const Access &access) {
    return e.address(pointer, element, target::position(e, access, dims));
  };
  SmallVector<Body::Values> known(columns);
  for (auto [values, sum] : llvm::zip(known, e.loadRun(place, e.b.getF32Type(), columns)))
    values[block.getArgument(0)] = sum;
  ArrayRef<Value> inputs = ArrayRef(pointers.operands).drop_front(2);
  for (auto [i, access] : llvm::enumerate(space.inputs)) {
    BlockArgument argument = block.getArgument(1 + i);
    if (argument.use_empty() || (access.dependsOn(last) && runOf(access) == 1 && columns > 1))
      continue; // the latter by element
    SmallVector<Value> run = e.loadRun(placeOf(inputs[i], argument.getType(), access),
                                       argument.getType(), runOf(access));
    for (auto [c, values] : llvm::enumerate(known))
      values[argument] = run[run.size() == 1 ? 0 : c];
  }
  SmallVector<SmallVector<Value>> yields(op->getNumResults());
  for (auto [c, values] : llvm::enumerate(known)) {
    SmallVector<Value> at(dims);
    at.back() = e.add(column, c);
    for (auto [k, value] : llvm::enumerate(body.yields(at, values)))
      yields[k].push_back(value);
  }
  for (auto [k, access] : llvm::enumerate(space.results)) {
    if (runOf(access) == columns) {
      e.storeRun(yields[k], placeOf(pointers.results[k], yields[k].front().getType(), access));
      continue;
    }
    for (auto [c, value] : llvm::enumerate(yields[k])) {
      SmallVector<Value> at(dims);
      at.back() = e.add(column, c);
      body.store(k, value, at);
    }
  }
}

/// `line`, `column`: of the staged part.
void Epilogue::finish(Value shared, Value line, Value column) {
  int64_t runs = gemm.tile.warpN() / columns, lines = stagedLines(gemm);
  Value lane = e.rem32(e.thread(), 32);
  e.loop(e.index(0), e.index(lines * runs / 32), 1, [&](Value pass) {
    Value number = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), pass);
    number = e.add32(e.mul32(number, 32), lane);
    Value ownLine = e.div32(number, runs), ownColumn = e.mul32(e.rem32(number, runs), columns);
    Value place = e.add32(e.mul32(ownLine, pitchOf(gemm)), ownColumn);
    place = e.advance(shared, e.mul32(place, 4));
    ownLine = e.add32(line, ownLine);
    ownColumn = e.add32(column, ownColumn);
    Value exists;
    auto require = [&](Value holds) { exists = exists ? target::both(e, exists, holds) : holds; };
    if (gemm.m % gemm.tile.m)
      require(e.less32(ownLine, gemm.m));
    if (gemm.n % gemm.tile.n)
      require(e.less32(ownColumn, gemm.n));
    auto run = [&] { evaluate(place, ownLine, e.position(ownColumn)); };
    if (exists)
      e.when(exists, run);
    else
      run();
  });
}

void Epilogue::store(ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared) {
  Value warp = e.div32(e.thread(), 32), all = e.i32(-1);
  Value own = e.advance(shared, e.mul32(warp, warpBytes(gemm)));
  int64_t lines = stagedLines(gemm), perStage = lines / 16 * (gemm.tile.warpN() / 8);
  for (int64_t at = 0; at < gemm.tile.warpM(); at += lines) {
    if (at > 0)
      e.syncWarp(all);
    stage(sums.slice(at / lines * perStage, perStage), own);
    e.syncWarp(all);
    finish(own, e.add32(line, e.i32(at)), column);
  }
}
