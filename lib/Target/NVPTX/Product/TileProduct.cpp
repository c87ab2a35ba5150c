// Tiles on matrix units.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/TileProduct.h"
#include "lib/Target/NVPTX/Product/Epilogue.h"
#include "lib/Target/NVPTX/Product/Fragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
using Sums = SmallVector<std::array<Value, 4>>;

/// Both sides in shared memory, in a ring of stages: while one is multiplied, others arrive.
class Ring {
public:
  /// Of the part's steps.
  Ring(DeviceEmitter &e, const TileGemm &gemm, StepCopy &lhs, StepCopy &rhs, Value part);

  /// Calls `multiply` for every step with the places of its tiles; returns what it carries.
  using Multiply = llvm::function_ref<SmallVector<Value>(Value left, Value right, ValueRange)>;
  SmallVector<Value> run(ValueRange carried, Multiply multiply);

private:
  /// Where a step is read from and goes to.
  struct Step {
    Value stage, k; // i32: in bytes, and its first point
    Value sources[2];
  };
  Step after(const Step &step);
  Value placeOf(const Step &step, unsigned side);
  void start();
  using Moved = std::array<StepCopy::Values, 2>;
  Moved begin(const Step &step, bool areAsync);
  void end(const Step &step, const Moved &moved);
  bool anyAsync() const { return sides[0]->isAsync() || sides[1]->isAsync(); }
  int64_t ahead() const { return gemm.tile.stages - 1; }

  DeviceEmitter &e;
  const TileGemm &gemm;
  StepCopy *sides[2];
  Value memory, count; // count: of the part's steps
  Step next;           // that is filled
};
} // namespace

Ring::Ring(DeviceEmitter &e, const TileGemm &gemm, StepCopy &lhs, StepCopy &rhs, Value part)
    : e(e), gemm(gemm), sides{&lhs, &rhs}, memory(e.sharedMemory()) {
  count = e.index(gemm.steps());
  Value first = e.i32(0);
  if (gemm.parts > 1) {
    Value before = e.mul(e.position(part), gemm.partSteps());
    count = e.min(e.sub(count, before), e.index(gemm.partSteps()));
    first = e.mul32(part, gemm.partSteps() * gemm.stepDepth());
  }
  next = {e.i32(0), first, {lhs.firstSource(first), rhs.firstSource(first)}};
}

Value Ring::placeOf(const Step &step, unsigned side) {
  Value place = e.advance(memory, step.stage);
  return side == 0 ? place : e.advance(place, sides[0]->tile().bytes());
}

Ring::Step Ring::after(const Step &step) {
  Value isLast = target::equal(e, step.stage, e.i32((gemm.tile.stages - 1) * gemm.stageBytes()));
  Value stage = target::select(e, isLast, e.i32(0), e.add32(step.stage, e.i32(gemm.stageBytes())));
  return {stage,
          e.add32(step.k, e.i32(gemm.stepDepth())),
          {sides[0]->nextSource(step.sources[0]), sides[1]->nextSource(step.sources[1])}};
}

/// Those sides that copy asynchronously, or the others, whose numbers are on their way afterwards.
Ring::Moved Ring::begin(const Step &step, bool areAsync) {
  Moved moved;
  for (unsigned side : {0, 1})
    if (sides[side]->isAsync() == areAsync)
      moved[side] = sides[side]->begin(placeOf(step, side), step.sources[side], step.k);
  return moved;
}
void Ring::end(const Step &step, const Moved &moved) {
  for (unsigned side : {0, 1})
    if (!sides[side]->isAsync())
      sides[side]->end(placeOf(step, side), moved[side]);
}

/// All stages but one are on their way, as far as there are steps.
void Ring::start() {
  for (int64_t stage = 0; stage < ahead(); ++stage) {
    e.when(e.less(e.index(stage), count), [&] {
      begin(next, true);
      end(next, begin(next, false));
    });
    next = after(next);
    if (anyAsync())
      e.commitCopies();
  }
}

SmallVector<Value> Ring::run(ValueRange carried, Multiply multiply) {
  start();
  SmallVector<Value> state{e.i32(0), next.stage, next.k, next.sources[0], next.sources[1]};
  size_t own = state.size();
  llvm::append_range(state, carried);
  Value last = e.sub(count, e.index(ahead()));
  state = e.loop(e.index(0), count, 1, state, [&](Value step, ValueRange now) {
    // The step's copies have arrived for all, and all have left the stage that is filled next.
    if (anyAsync())
      e.waitForCopies(gemm.tile.stages - 2);
    e.syncBlock();
    Step filled{now[1], now[2], {now[3], now[4]}}, read{now[0], now[2], {now[3], now[4]}};
    if (anyAsync()) {
      e.when(e.less(step, last), [&] { begin(filled, true); });
      e.commitCopies();
    }
    Moved moved = begin(filled, false);
    SmallVector<Value> sums = multiply(placeOf(read, 0), placeOf(read, 1), now.drop_front(own));
    end(filled, moved);
    Step later = after(filled);
    SmallVector<Value> next{after(read).stage, later.stage, later.k, later.sources[0],
                            later.sources[1]};
    llvm::append_range(next, sums);
    return next;
  });
  return llvm::to_vector(ArrayRef(state).drop_front(own));
}

BlockPlace::BlockPlace(DeviceEmitter &e, const TileGemm &gemm) {
  int64_t tilesM = gemm.tilesM(), tilesN = gemm.tilesN();
  int64_t group = tilesM % 8 == 0 ? 8 : 1;
  Value number = e.rem32(e.block(), tilesM * tilesN), rest = e.div32(e.block(), tilesM * tilesN);
  entry = gemm.parts == 1 ? rest : e.rem32(rest, gemm.batches());
  part = gemm.parts == 1 ? e.i32(0) : e.div32(rest, gemm.batches());
  batch = e.split(entry, gemm.batch);
  Value within = e.rem32(number, group * tilesN);
  Value tileM = e.add32(e.mul32(e.div32(number, group * tilesN), group), e.rem32(within, group));
  line = e.mul32(tileM, gemm.tile.m);
  column = e.mul32(e.div32(within, group), gemm.tile.n);
}

/// Adds a step's products to the sums of a warp.
static Sums multiplyStep(DeviceEmitter &e, const TileGemm &gemm, FragmentLoader &left,
                         FragmentLoader &right, Value leftTile, Value rightTile, Sums sums) {
  for (int64_t k = 0; k < gemm.tile.lineBytes / 32; ++k) {
    SmallVector<Fragment> lines, columns;
    for (int64_t i = 0; i < left.count(); ++i)
      lines.push_back(left.load(leftTile, i, k));
    for (int64_t j = 0; j < right.count(); ++j)
      columns.push_back(right.load(rightTile, j, k));
    for (int64_t i = 0; i < left.count(); ++i)
      for (int64_t j = 0; j < 2 * right.count(); ++j) {
        auto &sum = sums[i * 2 * right.count() + j];
        sum = multiply(e, lines[i], columns[j / 2], j % 2, sum, gemm.element);
      }
  }
  return sums;
}

static Sums unflatten(ValueRange values) {
  Sums sums(values.size() / 4);
  for (auto [i, value] : llvm::enumerate(values))
    sums[i / 4][i % 4] = value;
  return sums;
}
static SmallVector<Value> flatten(const Sums &sums) {
  SmallVector<Value> values;
  for (const auto &four : sums)
    llvm::append_range(values, four);
  return values;
}

void nvptx::emitTiles(FusedKernelOpInterface op, DeviceCode &code, const TileProduct &product) {
  const TileGemm &gemm = product.gemm;
  const TileShape &tile = gemm.tile;
  LaunchShape shape;
  shape.grid[0] = gemm.blocks() * gemm.parts;
  shape.threads = tile.threads();
  shape.sharedBytes = std::max(gemm.ringBytes(), Epilogue::sharedBytes(gemm));
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    BlockPlace place(e, gemm);
    std::unique_ptr<StepCopy> lhs = product.lhs(e, pointers, place),
                              rhs = product.rhs(e, pointers, place);
    Value warp = e.div32(e.thread(), 32);
    Value line = e.mul32(e.div32(warp, tile.warpsN), tile.warpM()),
          column = e.mul32(e.rem32(warp, tile.warpsN), tile.warpN());
    FragmentLoader left(e, lhs->tile(), true, gemm, line);
    FragmentLoader right(e, rhs->tile(), false, gemm, column);
    SmallVector<Value> zeros(tile.warpM() * tile.warpN() / 32, e.constant(e.b.getF32Type(), 0));
    SmallVector<Value> sums =
        Ring(e, gemm, *lhs, *rhs, place.part).run(zeros, [&](Value a, Value b, ValueRange now) {
          return flatten(multiplyStep(e, gemm, left, right, a, b, unflatten(now)));
        });
    // The ring's memory gets another use.
    if (lhs->isAsync() || rhs->isAsync())
      e.waitForCopies(0);
    e.syncBlock();
    Epilogue(e, op, gemm, product.results, pointers, place.entry, place.part)
        .store(unflatten(sums), e.add32(place.line, line), e.add32(place.column, column),
               e.sharedMemory());
  });
  if (gemm.parts > 1)
    launchFinish(op, code, product.results, gemm.batch, gemm.m, gemm.n, gemm.parts);
}
