// kernel.attention: forward pass of attention, tile by tile of keys, by online softmax.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Attention/AttentionTiles.h"
#include "lib/Codegen/CPU/Combine.h"
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Scratch of a thread. Per query of the tile: a row of scores, of rounded softmax weights (same
/// memory as the scores if no rounding is needed) and of output sums; the running maximum; the
/// factor exp(old maximum - new maximum); and one partial sum of weights per lane.
struct ForwardScratch : AttentionScratch {
  using AttentionScratch::AttentionScratch;
  Type element = shape.operandTypes.front(), weight = shape.roundedType(tier);
  int64_t scores = take(shape.queryTile * stride(shape.keyTile));
  int64_t rounded = weight == shape.acc ? scores : take(shape.queryTile * stride(shape.keyTile));
  int64_t sums = take(shape.queryTile * stride(shape.width));
  int64_t maxima = take(stride(shape.queryTile)), factors = take(stride(shape.queryTile));
  int64_t weights = take(shape.queryTile * lanes);
  TileProduct byKeys = takeProduct(shape.queryTile, shape.keyTile, shape.width, shape.operand(0),
                                   element, shape.keyTiles());
  TileProduct byValues = takeProduct(shape.queryTile, shape.width, shape.keyTile,
                                     array(shape.keyTile, weight), element, shape.keyTiles());
};

class ForwardEmitter : AttentionEmitter {
public:
  using Scratch = ForwardScratch;
  static int64_t tasks(const AttentionShape &shape) { return shape.entries * shape.queryTiles(); }
  ForwardEmitter(KernelEmitter &e, const AttentionShape &shape, const KernelPointers &pointers,
                 const Scratch &layout);
  void emitTasks(Value begin, Value end);

private:
  Value emitTask(Value queryTile, Value packedTiles);
  void meetKeys(const ScoreTile &tile, Value keyTile, Value isNew);
  void updateMaxima();
  void weigh();
  void finish(const ScoreTile &tile);
  Value rowValue(const Matrix &column, Value row) {
    return e.loadScalar(column.pointer, shape.acc, row);
  }

  const Scratch layout;
  Matrix scores, rounded, sums, maxima, factors, weights;
};
} // namespace

ForwardEmitter::ForwardEmitter(KernelEmitter &e, const AttentionShape &shape,
                               const KernelPointers &pointers, const Scratch &layout)
    : AttentionEmitter(e, shape, pointers), layout(layout) {
  scores = scratch(layout.scores, shape.keyTile);
  rounded = scratch(layout.rounded, shape.keyTile, shape.roundedType(e.tier));
  sums = scratch(layout.sums, shape.width);
  maxima = scratch(layout.maxima, shape.queryTile);
  factors = scratch(layout.factors, shape.queryTile);
  weights = scratch(layout.weights, lanes);
  productScratch = layout.product();
}

/// One step of online softmax: scores of the tile, weights exp(score - maximum), sums of values.
void ForwardEmitter::meetKeys(const ScoreTile &tile, Value keyTile, Value isNew) {
  packNew(layout.byKeys, keyTile, isNew, operand(1).from(e, tile.key));
  multiply(operand(0).from(e, tile.query), layout.byKeys, keyTile,
           [&](Value m, Value n, int64_t active, Value product) {
             Value s = score(tile, m, n, active, product);
             store(keepColumns(s, active, -infinity), scores, m, n);
           });
  hide(tile, scores, -infinity);
  updateMaxima();
  weigh();
  packNew(layout.byValues, keyTile, isNew, operand(2).from(e, tile.key).transposed());
  multiply(rounded, layout.byValues, keyTile, [&](Value m, Value n, int64_t, Value product) {
    Value factor = e.broadcast(rowValue(factors, m), lanes);
    Value kept = arith::MulFOp::create(e.b, e.loc, load(sums, m, n), factor);
    store(arith::AddFOp::create(e.b, e.loc, kept, product), sums, m, n);
  });
}

// A row without visible keys keeps the maximum -inf; its factor and weights are exp(-inf - 0) = 0.
void ForwardEmitter::updateMaxima() {
  Value none = e.constant(shape.acc, -infinity), zero = e.index(0);
  e.loop(zero, e.index(shape.queryTile), 1, [&](Value row) {
    Value most =
        e.loop(zero, e.index(shape.keyTile), lanes, splat(-infinity),
               [&](Value column, ValueRange soFar) -> SmallVector<Value> {
                 return {combine(e, kernel::Combine::max, soFar[0], load(scores, row, column))};
               })[0];
    Value scalar = combineLanes(e, kernel::Combine::max, most);
    e.store(combine(e, kernel::Combine::max, scalar, rowValue(maxima, row)), factors.pointer, row);
  });
  e.loop(zero, e.index(shape.queryTile), lanes, [&](Value row) {
    Value before = load(maxima, zero, row), now = load(factors, zero, row);
    Value isNone =
        arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OEQ, now, e.broadcast(none, lanes));
    Value base = arith::SelectOp::create(e.b, e.loc, isNone, splat(0), now);
    Value change = arith::SubFOp::create(e.b, e.loc, before, base);
    store(now, maxima, zero, row);
    store(math::ExpOp::create(e.b, e.loc, change), factors, zero, row);
  });
}

void ForwardEmitter::weigh() {
  Value none = e.constant(shape.acc, -infinity), zero = e.index(0);
  e.loop(zero, e.index(shape.queryTile), 1, [&](Value row) {
    Value most = rowValue(maxima, row);
    Value isNone = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OEQ, most, none);
    most = arith::SelectOp::create(e.b, e.loc, isNone, e.constant(shape.acc, 0), most);
    Value base = e.broadcast(most, lanes), factor = e.broadcast(rowValue(factors, row), lanes);
    Value sum = arith::MulFOp::create(e.b, e.loc, load(weights, row, zero), factor);
    sum = e.loop(zero, e.index(shape.keyTile), lanes, sum,
                 [&](Value column, ValueRange soFar) -> SmallVector<Value> {
                   Value s = arith::SubFOp::create(e.b, e.loc, load(scores, row, column), base);
                   Value weight = math::ExpOp::create(e.b, e.loc, s);
                   storeRounded(weight, rounded, row, column, lanes);
                   return {arith::AddFOp::create(e.b, e.loc, soFar[0], weight)};
                 })[0];
    store(sum, weights, row, zero);
  });
}

/// Stores the output (mean of the values), the maximum and the logarithm of the sum. A query
/// without keys gets zeros.
void ForwardEmitter::finish(const ScoreTile &tile) {
  Matrix out = result(0).from(e, tile.query);
  Value zero = e.constant(shape.acc, 0), one = e.constant(shape.acc, 1);
  e.loop(e.sub(tile.firstQuery, tile.query), e.index(shape.queryTile), 1, [&](Value row) {
    Value sum = combineLanes(e, kernel::Combine::sum, load(weights, row, e.index(0)));
    Value isNone = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OEQ, sum, zero);
    Value share = arith::DivFOp::create(e.b, e.loc, one, sum);
    share = arith::SelectOp::create(e.b, e.loc, isNone, zero, share);
    share = e.broadcast(share, lanes);
    forVectors(e, shape.width, lanes, [&](Value column, int64_t active) {
      Value mean = arith::MulFOp::create(e.b, e.loc, load(sums, row, column), share);
      storeRounded(mean, out, row, column, active);
    });
    if (shape.results.size() == 1)
      return;
    Matrix lse = result(1); // (2, query)
    Value at = e.mul(e.add(tile.query, row), lse.columnStride);
    e.store(arith::SelectOp::create(e.b, e.loc, isNone, zero, rowValue(maxima, row)), lse.pointer,
            at);
    Value present = arith::SelectOp::create(e.b, e.loc, isNone, one, sum);
    e.store(math::LogOp::create(e.b, e.loc, present), lse.pointer, e.add(at, lse.rowStride));
  });
}

/// Keys and values of the first `packedTiles` tiles are packed already; returns the number of tiles
/// packed afterwards.
Value ForwardEmitter::emitTask(Value queryTile, Value packedTiles) {
  fill(sums, e.index(shape.queryTile), shape.width, 0);
  fill(weights, e.index(shape.queryTile), lanes, 0);
  fill(maxima, e.index(1), shape.queryTile, -infinity);
  Value tiles = e.index(shape.keyTiles());
  if (shape.causal) {
    Value last = e.add(tileAt(queryTile, e.index(0)).query, shape.queryTile + shape.offset());
    tiles = e.min(tiles, e.div(e.add(last, shape.keyTile - 1), shape.keyTile));
  }
  e.loop(e.index(0), tiles, 1, [&](Value keyTile) {
    Value isNew = e.less(packedTiles, e.add(keyTile, 1));
    meetKeys(tileAt(queryTile, keyTile), keyTile, isNew);
  });
  finish(tileAt(queryTile, e.index(0)));
  return e.max(packedTiles, tiles);
}

/// Balances causal tasks: early tiles of queries see few keys, late tiles many, so the order takes
/// tiles from both ends. Example: 6 tiles run as 0, 5, 1, 4, 2, 3.
void ForwardEmitter::emitTasks(Value begin, Value end) {
  SmallVector<Value> nothing{e.index(-1), e.index(0)};
  e.loop(begin, end, 1, nothing, [&](Value task, ValueRange before) -> SmallVector<Value> {
    Value entry = e.div(task, shape.queryTiles()), queryTile = e.rem(task, shape.queryTiles());
    if (shape.causal) {
      Value half = e.div(queryTile, 2), isEven = e.less(e.rem(queryTile, 2), e.index(1));
      Value last = e.sub(e.index(shape.queryTiles() - 1), half);
      queryTile = arith::SelectOp::create(e.b, e.loc, isEven, half, last);
    }
    enter(entry);
    Value isSame =
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, entry, before.front());
    Value packed = arith::SelectOp::create(e.b, e.loc, isSame, before.back(), e.index(0));
    return {entry, emitTask(queryTile, packed)};
  });
}

void cpu::addAttentionLowering(target::KernelRegistry &registry) {
  registry.add<kernel::AttentionOp, AttentionLoweringOf<kernel::AttentionOp, ForwardEmitter>>();
}
