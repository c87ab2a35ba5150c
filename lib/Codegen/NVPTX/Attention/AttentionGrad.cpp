// kernel.attention_grad, plain kernel: a lane group per query, then a lane group per key. Both
// launches recompute the softmax weights, which costs less than storing [queries, keys].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/AttentionPlan.h"
#include "lib/Codegen/NVPTX/Attention/FlashKernels.h"
#include "lib/Codegen/NVPTX/Attention/Scores.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
using Entry = AttentionEntry<kernel::AttentionGradOp>;
enum : unsigned { queryOperand, keyOperand, valueOperand };

/// Statistics of a query: maximum and logarithm of the sum from the forward pass, and delta =
/// rowsum(g o).
struct QueryNumbers {
  Value maximum, logSum, delta;
};
/// Softmax weights and cotangents of the scores, for this thread's columns of a tile.
struct Weights {
  SmallVector<Value> weights, cotangents;
};
} // namespace

static unsigned forwardResult(kernel::AttentionGradOp op) { return op.getBiased() ? 4 : 3; }

static unsigned cotangent(kernel::AttentionGradOp op) { return forwardResult(op) + 2; }

static QueryNumbers numbersOf(Entry &a, Value query, Value delta) {
  unsigned lse = forwardResult(a.op) + 1;
  return {a.load(lse, {a.e.index(0), query}), a.load(lse, {a.e.index(1), query}), delta};
}

/// Weight exp((score - maximum) - logSum) and the cotangent of the score. `counts`: condition under
/// which the pair counts; null: always.
static std::pair<Value, Value> weigh(Entry &a, Value query, Value key, const QueryNumbers &numbers,
                                     Value counts) {
  Value weight = a.exp(a.sub(a.sub(a.score(query, key), numbers.maximum), numbers.logSum));
  if (Value seen = a.sees(query, key))
    counts = counts ? target::both(a.e, counts, seen) : seen;
  if (counts)
    weight = target::select(a.e, counts, weight, a.number(0));
  Value change = a.sub(a.dot(cotangent(a.op), query, valueOperand, key), numbers.delta);
  return {weight, a.mul(weight, change)};
}

/// Calls `body` for this thread's positions in a tile of `tile` elements that starts at `start`,
/// with the position and the condition under which the position counts (null: always). A last tile
/// starts early (start < first), so positions before `first` belong to the tile before and do not
/// count.
static void forPlaces(Entry &a, int64_t tile, bool overlaps, Value first, Value start,
                      llvm::function_ref<void(Value, Value)> body) {
  DeviceEmitter &e = a.e;
  for (int64_t at = 0; at < tile; at += a.sizes.lanes) {
    Value column = e.add(a.group.lane(), at), counts;
    if (tile - at < a.sizes.lanes) {
      counts = e.less(column, e.index(tile));
      column = e.min(column, e.index(tile - 1));
    }
    Value place = e.add(start, column);
    if (overlaps) {
      Value isNew = target::negate(e, e.less(place, first));
      counts = counts ? target::both(e, counts, isNew) : isNew;
    }
    body(place, counts);
  }
}

/// Cotangents of a query and, with a bias, of the query's scores.
static void emitQuery(Entry &a, Value query) {
  DeviceEmitter &e = a.e;
  Value delta = a.dotOfGroup(forwardResult(a.op), query, cotangent(a.op), query);
  QueryNumbers numbers = numbersOf(a, query, delta);
  bool wantsScores = a.op.getOuts().size() > 3;
  SmallVector<Value> start(a.sizes.channels, a.number(0));
  SmallVector<Value> sums =
      e.loop(e.index(0), e.index(a.sizes.keyTiles()), 1, start, [&](Value tile, ValueRange soFar) {
        Value first = e.mul(tile, a.sizes.keyTile);
        Value begin = e.min(first, e.index(a.sizes.keys - a.sizes.keyTile));
        SmallVector<Value> cotangents;
        forPlaces(a, a.sizes.keyTile, a.sizes.keys % a.sizes.keyTile, first, begin,
                  [&](Value key, Value counts) {
                    Value ds = weigh(a, query, key, numbers, counts).second;
                    cotangents.push_back(ds);
                    auto store = [&] { a.store(a.add(ds, a.number(0)), 3, {query, key}); };
                    if (wantsScores && counts)
                      e.when(counts, store);
                    else if (wantsScores)
                      store();
                  });
        SmallVector<Value> next = a.addRows(keyOperand, begin, a.sizes.keyTile, cotangents);
        for (auto [sum, before] : llvm::zip(next, soFar))
          sum = a.add(before, sum);
        return next;
      });
  for (Value &sum : sums)
    sum = a.mul(sum, a.number(a.op.getScale().convertToDouble()));
  a.storeRow(sums, 0, query);
}

/// rowsum(g o) of the query at this thread's position in a tile; the lane group computes the sums
/// one query after another.
static Value deltaOf(Entry &a, int64_t at, int64_t tile, Value begin) {
  DeviceEmitter &e = a.e;
  int64_t count = std::min(a.sizes.lanes, tile - at);
  return e.loop(e.index(0), e.index(count), 1, a.number(0),
                [&](Value lane, ValueRange own) -> SmallVector<Value> {
                  Value query = e.add(e.add(begin, at), lane);
                  Value delta = a.dotOfGroup(forwardResult(a.op), query, cotangent(a.op), query);
                  return {target::select(e, target::equal(e, lane, a.group.lane()), delta, own[0])};
                })[0];
}

/// Cotangents of a key and of the value with the same index.
static void emitKey(Entry &a, Value key) {
  DeviceEmitter &e = a.e;
  int64_t tile = a.sizes.queryTile, channels = a.sizes.channels;
  SmallVector<Value> start(2 * channels, a.number(0));
  SmallVector<Value> sums = e.loop(
      e.index(0), e.index(a.sizes.queryTiles()), 1, start, [&](Value number, ValueRange soFar) {
        Value first = e.mul(number, tile);
        Value begin = e.min(first, e.index(a.sizes.queries - tile));
        Weights found;
        forPlaces(a, tile, a.sizes.queries % tile, first, begin, [&](Value query, Value counts) {
          int64_t at = found.weights.size() * a.sizes.lanes;
          Value delta = deltaOf(a, at, tile, begin);
          auto [weight, ds] = weigh(a, query, key, numbersOf(a, query, delta), counts);
          found.weights.push_back(weight);
          found.cotangents.push_back(ds);
        });
        SmallVector<Value> next = a.addRows(queryOperand, begin, tile, found.cotangents);
        llvm::append_range(next, a.addRows(cotangent(a.op), begin, tile, found.weights));
        for (auto [sum, before] : llvm::zip(next, soFar))
          sum = a.add(before, sum);
        return next;
      });
  for (Value &sum : MutableArrayRef(sums).take_front(channels))
    sum = a.mul(sum, a.number(a.op.getScale().convertToDouble()));
  a.storeRow(ArrayRef(sums).take_front(channels), 1, key);
  a.storeRow(ArrayRef(sums).drop_front(channels), 2, key);
}

static void emitAttentionGrad(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::AttentionGradOp>(operation);
  if (op.getPlan()->getKind() != kernel::PlanKind::plain)
    return emitFlashAttentionGrad(op, code);
  code.describe(describePlain(op.getPlan()->getReason()));
  AttentionSizes<kernel::AttentionGradOp> sizes(op);
  launchRows<kernel::AttentionGradOp>(code, sizes, sizes.queries, emitQuery);
  launchRows<kernel::AttentionGradOp>(code, sizes, sizes.keys, emitKey);
}

void nvptx::addAttentionGradLowering(LoweringTable &table) {
  table[kernel::AttentionGradOp::getOperationName()] = {emitAttentionGrad, configureAttentionPlan,
                                                        /*workspaceBytes=*/nullptr,
                                                        /*finalWarps=*/nullptr, checkAttentionPlan};
}
