// kernel.attention_grad on matrix units: first deltas, rowsum(g o) of every query; then cotangents
// of keys and values by blocks of keys, streaming queries; then cotangents of queries by blocks of
// queries, streaming keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/AttentionPlan.h"
#include "lib/Codegen/NVPTX/Attention/FlashKernels.h"
#include "lib/Codegen/NVPTX/Attention/RowProducts.h"
#include "lib/Codegen/NVPTX/Attention/TilePipeline.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
class Backward {
public:
  Backward(DeviceEmitter &e, const FlashShape &shape, const GradLaunch &part, const FlashTile &tile,
           const KernelPointers &pointers)
      : e(e), shape(shape), part(part), f(e, shape, tile, pointers, part.ownsQueries),
        own(f.ownTile()), streamed(f.streamedTile()), unit(shape.scale * llvm::numbers::log2e),
        products(RowProducts::of(f)) {}
  void emit();

private:
  /// Operand indices (first, second).
  using Sides = std::pair<unsigned, unsigned>;
  unsigned forwardResult() const { return shape.biased ? 4 : 3; }
  unsigned lse() const { return forwardResult() + 1; }
  Sides querySides() const { return {0, forwardResult() + 2}; }
  Sides keySides() const { return {1, 2}; }
  bool wantsScores() const { return part.ownsQueries && shape.results.size() > 3; }
  int64_t countSums() const { return 4 * f.warpBlocks() * shape.channelTiles(); }
  /// Address of the statistics of a tile's queries, stored after the tile's rows. Kinds: 0 maxima,
  /// 1 logarithms of sums, 2 deltas.
  Value numbersOf(Value stage, int64_t kind) {
    return e.advance(stage, 2 * streamed.bytes() + kind * 4 * f.tile.columns);
  }

  void issueNumbers(Value stage, Value tile);
  void loadRowNumbers();
  /// Terms subtracted from the product of a query and a key, giving the exponent of 2 of the
  /// weight.
  struct Shift {
    Value maximum, exponent; ///< `maximum` is used only with a bias
  };
  Shift shiftOf(Value maximum, Value logSum);
  Value weightOf(Value x, const Shift &shift);
  SmallVector<Value> columnNumbers(Value place, int64_t columnTile);
  Accumulators weights(Value stage, Value tile);
  Accumulators scoreCotangents(const Accumulators &weights, Value stage);
  SmallVector<Value> meet(Value stage, Value tile, ValueRange carried);
  void clearScores(Value from);
  void finish(ValueRange sums);

  DeviceEmitter &e;
  const FlashShape &shape;
  const GradLaunch &part;
  FlashBlock f;
  RowTile own, streamed;
  double unit; // factor from products to exponents of 2
  std::unique_ptr<RowProducts> products;
  SmallVector<Shift> rowShifts; // statistics of the thread's rows, if rows are queries
  SmallVector<Value> rowDeltas;
};
} // namespace

/// Copies the statistics of a tile's queries to shared memory, a float of each kind per thread.
void Backward::issueNumbers(Value stage, Value tile) {
  constexpr int64_t bytes = 4;
  const RowLayout &sums = shape.operands[lse()], &deltas = shape.results[0];
  auto copy = [&] {
    Value query = e.add(e.mul(tile, f.tile.columns), e.position(e.thread())), present;
    if (shape.queries % f.tile.columns)
      present = target::select(e, e.less(query, e.index(shape.queries)), e.i32(bytes), e.i32(0));
    Value to = e.mul(e.thread(), bytes);
    for (int64_t part : {0, 1}) {
      Value place = e.add(e.mul(query, sums.columnStride()), part * sums.rowStride());
      e.copyAsync(e.advance(numbersOf(stage, part), to),
                  e.address(f.rowStart(sums, f.pointers.operands[lse()]), sums.element, place),
                  bytes, present);
    }
    e.copyAsync(e.advance(numbersOf(stage, 2), to),
                deltaPlace(e, shape, f.rowStart(deltas, f.pointers.results[0]), query), bytes,
                present);
  };
  e.when(e.isBelow(e.thread(), f.tile.columns), copy);
}

/// Without a bias, maximum and logarithm are added to a single term: the sum rounds no more than
/// the products do. A bias may be -1e9, next to which the sum would lose the logarithm.
Backward::Shift Backward::shiftOf(Value maximum, Value logSum) {
  Value all = shape.biased ? logSum : f.add(maximum, logSum);
  return {maximum, f.mul(all, f.number(-llvm::numbers::log2e))};
}

/// Softmax weight from a score (with a bias) or from a product (without).
Value Backward::weightOf(Value x, const Shift &shift) {
  if (shape.biased)
    return f.exp2(f.fma(f.sub(x, shift.maximum), f.number(llvm::numbers::log2e), shift.exponent));
  return f.exp2(f.fma(x, f.number(unit), shift.exponent));
}

void Backward::loadRowNumbers() {
  const RowLayout &deltas = shape.results[0];
  Value start = f.rowStart(deltas, f.pointers.results[0]);
  for (int64_t i = 0; i < 2 * f.warpBlocks(); ++i) {
    rowShifts.push_back(
        shiftOf(f.rowNumber(lse(), 0, i / 2, i % 2), f.rowNumber(lse(), 1, i / 2, i % 2)));
    Value place = deltaPlace(e, shape, start, f.existingRow(i / 2, i % 2));
    rowDeltas.push_back(e.loadScalar(place, e.b.getF32Type(), e.index(0)));
  }
}

/// Statistics of the thread's two columns in a column tile.
SmallVector<Value> Backward::columnNumbers(Value place, int64_t columnTile) {
  place = e.advance(place, e.mul(f.pairColumn(), 4));
  return e.loadVector(e.advance(place, 4 * 8 * columnTile), e.b.getF32Type(), 2);
}

/// Softmax weights exp((score - maximum) - logSum); 0 for masked pairs.
Accumulators Backward::weights(Value stage, Value tile) {
  Accumulators weights = products->multiply(f.memory(), stage);
  if (shape.biased)
    f.scaleAndBias(weights, tile);
  for (int64_t j = 0; j < f.columnTiles(); ++j) {
    SmallVector<Shift> shifts;
    if (!part.ownsQueries)
      for (auto [maximum, logSum] :
           llvm::zip(columnNumbers(numbersOf(stage, 0), j), columnNumbers(numbersOf(stage, 1), j)))
        shifts.push_back(shiftOf(maximum, logSum));
    for (int64_t block = 0; block < f.warpBlocks(); ++block)
      for (auto [i, x] : llvm::enumerate(weights[block * f.columnTiles() + j]))
        x = weightOf(x, part.ownsQueries ? rowShifts[2 * block + i / 2] : shifts[i % 2]);
  }
  f.hide(weights, tile, 0);
  return weights;
}

/// Cotangents of scores: weight * (change - rowsum(g o)).
Accumulators Backward::scoreCotangents(const Accumulators &weights, Value stage) {
  Accumulators changes =
      products->multiply(e.advance(f.memory(), own.bytes()), e.advance(stage, streamed.bytes()));
  for (int64_t j = 0; j < f.columnTiles(); ++j) {
    SmallVector<Value> deltas;
    if (!part.ownsQueries)
      deltas = columnNumbers(numbersOf(stage, 2), j);
    for (int64_t block = 0; block < f.warpBlocks(); ++block) {
      int64_t n = block * f.columnTiles() + j;
      for (auto [i, x] : llvm::enumerate(changes[n])) {
        Value delta = part.ownsQueries ? rowDeltas[2 * block + i / 2] : deltas[i % 2];
        x = f.mul(weights[n][i], f.sub(x, delta));
      }
    }
  }
  return changes;
}

SmallVector<Value> Backward::meet(Value stage, Value tile, ValueRange carried) {
  Accumulators found = weights(stage, tile);
  SmallVector<Value> first, second;
  if (part.sumsSecond) {
    Accumulators sums = unflatten(carried.take_back(countSums()));
    products->addTo(sums, found, e.advance(stage, streamed.bytes()));
    append(second, sums);
  }
  if (part.sumsFirst) {
    Accumulators sums = unflatten(carried.take_front(countSums()));
    Accumulators cotangents = scoreCotangents(found, stage);
    if (wantsScores())
      f.storeScores(cotangents, tile, 3);
    products->addTo(sums, cotangents, stage);
    append(first, sums);
  }
  llvm::append_range(first, second);
  return first;
}

/// Stores zero cotangents for key tiles that no query of the block sees.
void Backward::clearScores(Value from) {
  Accumulator zeros;
  zeros.fill(f.number(0));
  Accumulators none(f.warpBlocks() * f.columnTiles(), zeros);
  Value to = e.index(llvm::divideCeil(shape.keys, f.tile.columns));
  e.loop(from, to, 1, [&](Value tile) { f.storeScores(none, tile, 3); });
}

void Backward::finish(ValueRange sums) {
  SmallVector<Value> scales(2 * f.warpBlocks(), f.number(shape.scale)),
      ones(2 * f.warpBlocks(), f.number(1));
  if (part.sumsFirst)
    f.storeRows(unflatten(sums.take_front(countSums())), scales, part.ownsQueries ? 0 : 1);
  if (part.sumsSecond)
    f.storeRows(unflatten(sums.take_back(countSums())), ones, 2);
}

void Backward::emit() {
  Sides owned = part.ownsQueries ? querySides() : keySides(),
        others = part.ownsQueries ? keySides() : querySides();
  RowCopy firsts = f.copyOf(others.first, streamed, f.columnCount()),
          seconds = f.copyOf(others.second, streamed, f.columnCount());
  auto issue = [&](Value stage, Value tile) {
    Value row = e.mul(tile, f.tile.columns);
    firsts.issue(stage, row);
    seconds.issue(e.advance(stage, streamed.bytes()), row);
    if (!part.ownsQueries)
      issueNumbers(stage, tile);
  };
  auto [from, to] = f.tileRange();
  TilePipeline ring(e, e.advance(f.memory(), part.ownSides() * own.bytes()), f.tile.stages,
                    part.stageBytes(shape, f.tile), from, to, shape.warpgroups, f.mayMeetNothing());
  Value start = e.position(f.firstRow());
  f.copyOf(owned.first, own, f.rowCount()).issue(f.memory(), start);
  if (part.sumsFirst)
    f.copyOf(owned.second, own, f.rowCount()).issue(e.advance(f.memory(), own.bytes()), start);
  ring.start(issue);
  if (part.ownsQueries)
    loadRowNumbers(); // loaded before the barrier of the first tile, since stores after the barrier
                      // overwrite the deltas
  SmallVector<Value> zeros((part.sumsFirst + part.sumsSecond) * countSums(), f.number(0));
  SmallVector<Value> sums =
      ring.run(zeros, issue, [&](Value stage, Value tile, ValueRange carried) {
        return meet(stage, tile, carried);
      });
  if (wantsScores())
    clearScores(to);
  finish(sums);
}

void nvptx::emitFlashAttentionGrad(kernel::AttentionGradOp op, DeviceCode &code) {
  kernel::AttentionPlanAttr plan = *op.getPlan();
  FlashShape shape = FlashShape::of(op, plan.getKind() == kernel::PlanKind::wgmma);
  emitFlashDeltas(op, shape, code);
  std::string form = shape.formName();
  ArrayRef<kernel::ScoreTileAttr> tiles = plan.getTiles();
  for (auto [attr, part] : llvm::zip_equal(tiles, gradLaunches(tiles.size()))) {
    FlashTile tile(attr);
    form += (form.back() == ':' ? " " : ", ") + tile.describe();
    LaunchShape launch;
    launch.grid[0] = FlashBlock::count(shape, tile, part.ownsQueries);
    launch.threads = tile.threads();
    launch.sharedBytes = part.sharedBytes(shape, tile);
    code.launch(launch, [&, &part = part](DeviceEmitter &e, const KernelPointers &pointers) {
      Backward(e, shape, part, tile, pointers).emit();
    });
  }
  code.describe(form);
}
