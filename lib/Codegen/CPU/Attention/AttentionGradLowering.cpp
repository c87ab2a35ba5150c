// kernel.attention_grad: backward pass of attention, tile by tile of keys. The softmax weights are
// recomputed from the maximum and the logarithm of the sum that the forward pass saved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Attention/AttentionTiles.h"
#include "lib/Codegen/CPU/Combine.h"
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
/// Scratch of a thread. Per tile of scores: recomputed softmax weights (and a copy rounded for the
/// products), cotangents of the scores, of the tile's keys and of its values. Per query of the
/// entry: cotangent, maximum, logarithm of the sum and delta = rowsum(g o).
struct BackwardScratch : AttentionScratch {
  using AttentionScratch::AttentionScratch;
  int64_t m = shape.queryTile, n = shape.keyTile, width = shape.width;
  Type element = shape.operandTypes.front(), g = shape.operandTypes.back(),
       factor = shape.roundedType(tier);
  int64_t weights = take(m * stride(n));
  int64_t rounded = factor == shape.acc ? weights : take(m * stride(n));
  int64_t scores = take(m * stride(n));
  int64_t keys = take(n * stride(width)), values = take(n * stride(width));
  int64_t queries = take(shape.parts > 1 ? 0 : shape.queries * stride(width));
  int64_t maxima = take(shape.queries), logSums = take(shape.queries), delta = take(shape.queries);
  /// Products with tiles of keys and values, then with tiles of queries and of output cotangents.
  TileProduct byKeys = takeProduct(m, n, width, shape.operand(0), element, 1);
  TileProduct byValues = takeProduct(m, n, width, shape.operand(lastOperand()), g, 1);
  TileProduct byKeyRows = takeProduct(m, width, n, array(n, factor), element, 1);
  TileProduct byQueries =
      takeProduct(n, width, m, array(n, factor).transposed(), element, shape.queryTiles());
  TileProduct byCotangents =
      takeProduct(n, width, m, array(n, factor).transposed(), g, shape.queryTiles());

private:
  unsigned lastOperand() const { return shape.operands.size() - 1; }
};

class BackwardEmitter : AttentionEmitter {
public:
  using Scratch = BackwardScratch;
  static int64_t tasks(const AttentionShape &shape) { return shape.entries * shape.parts; }
  BackwardEmitter(KernelEmitter &e, const AttentionShape &shape, const KernelPointers &pointers,
                  const Scratch &layout);
  void emitTasks(Value begin, Value end) {
    e.loop(begin, end, 1, [&](Value task) { emitTask(task); });
  }
  void addParts(Value begin, Value end);

private:
  void emitTask(Value task);
  Matrix partOf(Value entry, Value part);
  void clearBias(Value part);
  void meetKeys(Value keyTile, Value part);
  enum : unsigned { query, key, value };
  unsigned forwardResult() const { return shape.biased ? 4 : 3; }
  unsigned cotangent() const { return forwardResult() + 2; }
  bool wantsBias() const { return shape.results.size() > 3; }
  void prepareRows();
  void meetQueries(const ScoreTile &tile, Value queryTile, Value isNew);
  void emitWeights(const ScoreTile &tile);
  void emitScoreCotangents(const ScoreTile &tile);
  void addTo(const Matrix &array, Value m, Value n, Value product) {
    store(arith::AddFOp::create(e.b, e.loc, load(array, m, n), product), array, m, n);
  }
  Value rowValue(const Matrix &column, Value row) {
    return e.broadcast(e.loadScalar(column.pointer, shape.acc, row), lanes);
  }

  const Scratch layout;
  Matrix weights, rounded, scores, keys, values, queries, maxima, logSums, delta;
};
} // namespace

BackwardEmitter::BackwardEmitter(KernelEmitter &e, const AttentionShape &shape,
                                 const KernelPointers &pointers, const Scratch &layout)
    : AttentionEmitter(e, shape, pointers), layout(layout) {
  weights = scratch(layout.weights, shape.keyTile);
  rounded = scratch(layout.rounded, shape.keyTile, shape.roundedType(e.tier));
  scores = scratch(layout.scores, shape.keyTile, shape.roundedType(e.tier));
  keys = scratch(layout.keys, shape.width);
  values = scratch(layout.values, shape.width);
  queries = scratch(layout.queries, shape.width);
  maxima = scratch(layout.maxima, shape.queries);
  logSums = scratch(layout.logSums, shape.queries);
  delta = scratch(layout.delta, shape.queries);
  productScratch = layout.product();
}

/// Maximum, logarithm of the sum and delta of every query, as contiguous rows in the type of the
/// sums.
void BackwardEmitter::prepareRows() {
  Matrix o = operand(forwardResult()), lse = operand(forwardResult() + 1), g = operand(cotangent());
  fill(queries, e.index(shape.queries), shape.width, 0);
  e.loop(e.index(0), e.index(shape.queries), 1, [&](Value row) {
    Value sum = splat(0);
    int64_t tail = shape.width % lanes;
    auto include = [&](Value sum, Value column, int64_t active) -> Value {
      Value product = arith::MulFOp::create(e.b, e.loc, loadRounded(o, row, column, active),
                                            loadRounded(g, row, column, active));
      return arith::AddFOp::create(e.b, e.loc, sum, product);
    };
    sum = e.loop(e.index(0), e.index(shape.width - tail), lanes, sum,
                 [&](Value column, ValueRange soFar) -> SmallVector<Value> {
                   return {include(soFar[0], column, lanes)};
                 })[0];
    if (tail)
      sum = include(sum, e.index(shape.width - tail), tail);
    e.store(combineLanes(e, kernel::Combine::sum, sum), delta.pointer, row);
    Value at = e.mul(row, lse.columnStride);
    for (const Matrix &numbers : {maxima, logSums}) {
      Value x = e.loadScalar(lse.pointer, lse.element, at);
      e.store(widen(e, x, shape.acc), numbers.pointer, row);
      at = e.add(at, lse.rowStride);
    }
  });
}

/// Softmax weights exp((score - maximum) - logarithm of the sum); 0 for masked scores and for
/// scores that belong to an earlier tile. Example: score 1, maximum 2, sum 2 -> exp(-1 - log 2) =
/// 0.18.
void BackwardEmitter::emitWeights(const ScoreTile &tile) {
  SmallVector<Matrix> arrays{weights};
  if (rounded.element != weights.element)
    arrays.push_back(rounded);
  multiply(operand(query).from(e, tile.query), layout.byKeys, e.index(0),
           [&](Value m, Value n, int64_t active, Value product) {
             Value s = score(tile, m, n, active, product);
             for (const Matrix &numbers : {maxima, logSums})
               s = arith::SubFOp::create(e.b, e.loc, s, rowValue(numbers, e.add(tile.query, m)));
             Value weight = keepColumns(math::ExpOp::create(e.b, e.loc, s), active, 0);
             for (const Matrix &array : arrays)
               storeRounded(weight, array, m, n, lanes);
           });
  hide(tile, arrays, 0);
  for (const Matrix &array : arrays) // and rows that belong to an earlier tile
    fill(array, e.sub(tile.firstQuery, tile.query), shape.keyTile, 0);
}

/// Cotangents of the scores: weight * (g v^T - delta).
void BackwardEmitter::emitScoreCotangents(const ScoreTile &tile) {
  multiply(operand(cotangent()).from(e, tile.query), layout.byValues, e.index(0),
           [&](Value m, Value n, int64_t active, Value product) {
             Value row = e.add(tile.query, m);
             Value change = arith::SubFOp::create(e.b, e.loc, product, rowValue(delta, row));
             Value ds = arith::MulFOp::create(e.b, e.loc, load(weights, m, n), change);
             storeRounded(ds, scores, m, n, lanes);
             if (!wantsBias())
               return;
             Matrix bias = result(3);
             Value column = e.add(tile.key, n);
             Value sum =
                 arith::AddFOp::create(e.b, e.loc, ds, loadRounded(bias, row, column, active));
             storeRounded(sum, bias, row, column, active);
           });
}

void BackwardEmitter::meetQueries(const ScoreTile &tile, Value queryTile, Value isNew) {
  emitWeights(tile);
  emitScoreCotangents(tile);
  auto addInto = [&](const Matrix &array) {
    return [this, array](Value row, Value column, int64_t, Value product) {
      addTo(array, row, column, product);
    };
  };
  Matrix q = operand(query).from(e, tile.query), g = operand(cotangent()).from(e, tile.query);
  packNew(layout.byCotangents, queryTile, isNew, g.transposed());
  multiply(rounded.transposed(), layout.byCotangents, queryTile, addInto(values));
  packNew(layout.byQueries, queryTile, isNew, q.transposed());
  multiply(scores.transposed(), layout.byQueries, queryTile, addInto(keys));
  multiply(scores, layout.byKeyRows, e.index(0), addInto(queries.from(e, tile.query)));
}

/// One tile of keys with all tiles of queries. The first tile of keys of a slice sees every query
/// that a later tile sees, so the queries' cotangents start there.
void BackwardEmitter::meetKeys(Value keyTile, Value part) {
  fill(keys, e.index(shape.keyTile), shape.width, 0);
  fill(values, e.index(shape.keyTile), shape.width, 0);
  ScoreTile first = tileAt(e.index(0), keyTile);
  Matrix k = operand(key).from(e, first.key), v = operand(value).from(e, first.key);
  pack(layout.byKeys, e.index(0), k);
  pack(layout.byKeyRows, e.index(0), k.transposed());
  pack(layout.byValues, e.index(0), v);
  // A causal mask hides the tile's keys from all earlier queries.
  Value from = e.index(0), isNew = e.less(keyTile, e.add(part, 1));
  if (shape.causal)
    from = e.div(e.max(e.add(first.firstKey, -shape.offset()), from), shape.queryTile);
  e.loop(from, e.index(shape.queryTiles()), 1,
         [&](Value queryTile) { meetQueries(tileAt(queryTile, keyTile), queryTile, isNew); });
  Value fresh = e.sub(first.firstKey, first.key);
  storeRows(keys, result(1).from(e, first.key), fresh, e.index(shape.keyTile), shape.scale);
  storeRows(values, result(2).from(e, first.key), fresh, e.index(shape.keyTile), 1);
}

/// Partial cotangents of an entry's queries, summed over one slice of the keys. Workspace:
/// [entries, parts, queries, width].
Matrix BackwardEmitter::partOf(Value entry, Value part) {
  int64_t size = shape.queries * queries.rowStride;
  Value number = e.add(e.mul(entry, shape.parts), part);
  return {e.address(pointers.workspace, shape.acc, e.mul(number, size)), shape.acc,
          queries.rowStride, 1};
}

/// Zeros the bias cotangent over a slice's keys: causal tiles that are skipped never write.
void BackwardEmitter::clearBias(Value part) {
  Matrix bias = result(3);
  e.loop(part, e.index(shape.keyTiles()), shape.parts, [&](Value keyTile) {
    Value key = tileAt(e.index(0), keyTile).key;
    e.loop(e.index(0), e.index(shape.queries), 1, [&](Value row) {
      forVectors(e, shape.keyTile, lanes, [&](Value column, int64_t active) {
        storeRounded(splat(0), bias, row, e.add(key, column), active);
      });
    });
  });
}

/// Slice `part` takes the tiles of keys part, part + parts, ...: with a causal mask late tiles see
/// fewer queries, so interleaved slices take equal time. Example: 2 slices of 6 tiles are 0, 2, 4
/// and 1, 3, 5.
void BackwardEmitter::emitTask(Value task) {
  Value entry = e.div(task, shape.parts), part = e.rem(task, shape.parts);
  enter(entry);
  if (shape.parts > 1)
    queries = partOf(entry, part);
  prepareRows();
  if (wantsBias())
    clearBias(part);
  e.loop(part, e.index(shape.keyTiles()), shape.parts,
         [&](Value keyTile) { meetKeys(keyTile, part); });
  if (shape.parts == 1)
    storeRows(queries, result(0), e.index(0), e.index(shape.queries), shape.scale);
}

/// Finish, tasks (entry, tile of queries): adds the slices' partial sums in ascending order.
void BackwardEmitter::addParts(Value begin, Value end) {
  e.loop(begin, end, 1, [&](Value task) {
    Value entry = e.div(task, shape.queryTiles());
    enter(entry);
    Value from = e.mul(e.rem(task, shape.queryTiles()), shape.queryTile);
    Value to = e.min(e.add(from, shape.queryTile), e.index(shape.queries));
    Matrix sum = partOf(entry, e.index(0));
    for (int64_t part = 1; part < shape.parts; ++part) {
      Matrix next = partOf(entry, e.index(part));
      e.loop(from, to, 1, [&](Value row) {
        e.loop(e.index(0), e.index(shape.width), lanes,
               [&](Value column) { addTo(sum, row, column, load(next, row, column)); });
      });
    }
    storeRows(sum, result(0), from, to, shape.scale);
  });
}

namespace {
struct AttentionGradLowering : AttentionLoweringOf<kernel::AttentionGradOp, BackwardEmitter> {
  using Base = AttentionLoweringOf<kernel::AttentionGradOp, BackwardEmitter>;

  /// Splits the keys into slices if there are fewer entries than wanted tasks. Every slice keeps
  /// sums for all queries, so a slice has at least two tiles of keys. If tiles overlap and scores
  /// have a bias cotangent, two slices would write the same elements, so the keys stay whole.
  LogicalResult configure(Operation *operation) const override {
    auto op = cast<kernel::AttentionGradOp>(operation);
    if (failed(Base::configure(op)))
      return failure();
    AttentionShape shape(op);
    bool isShared = shape.results.size() > 3 && shape.keys % shape.keyTile;
    int64_t most = isShared ? 1 : shape.keyTiles() / leastKeyTiles;
    op.setParts(std::max<int64_t>(1, std::min(most, wantedTasks / shape.entries)));
    op.setWorkspaceBytes(workspaceBytes(op));
    return success();
  }
  int64_t workspaceBytes(Operation *operation) const override {
    auto op = cast<kernel::AttentionGradOp>(operation);
    AttentionShape shape(op);
    int64_t row = roundUp(shape.width, mostLanes) * elementBytes(shape.acc);
    return shape.parts > 1 ? shape.entries * shape.parts * shape.queries * row : 0;
  }
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override {
    FailureOr<KernelEmission> emission = Base::plan(op, tier);
    if (failed(emission))
      return failure();
    AttentionShape shape(cast<kernel::AttentionGradOp>(op));
    emission->finishTasks = shape.parts > 1 ? shape.entries * shape.queryTiles() : 0;
    return emission;
  }
  void emitFinish(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
                  Value end) const override {
    auto grad = cast<kernel::AttentionGradOp>(op);
    AttentionShape shape(grad);
    BackwardEmitter(e, shape, pointers, *scratchOf(grad, shape, e.tier)).addParts(begin, end);
  }

private:
  static constexpr int64_t wantedTasks = 32, leastKeyTiles = 2;
};
} // namespace

void cpu::addAttentionGradLowering(target::KernelRegistry &registry) {
  registry.add<kernel::AttentionGradOp, AttentionGradLowering>();
}
