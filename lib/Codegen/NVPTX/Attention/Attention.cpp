// kernel.attention, plain kernel: a lane group per query visits the keys tile by tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/AttentionPlan.h"
#include "lib/Codegen/NVPTX/Attention/FlashKernels.h"
#include "lib/Codegen/NVPTX/Attention/Scores.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Online softmax, carried from tile to tile: maximum so far, this thread's sum of weights, and
/// weighted sums of values, one per channel of the thread.
struct Softmax {
  Value most, weights;
  SmallVector<Value> values;

  static Softmax of(ValueRange carried) {
    return {carried[0], carried[1], llvm::to_vector(carried.drop_front(2))};
  }
  SmallVector<Value> list() const {
    SmallVector<Value> all{most, weights};
    llvm::append_range(all, values);
    return all;
  }
};
using Entry = AttentionEntry<kernel::AttentionOp>;
} // namespace

/// Scores of the keys of a tile; -inf for masked keys and keys of the tile before.
static SmallVector<Value> scoresOf(Entry &a, Value query, Value first, Value start) {
  DeviceEmitter &e = a.e;
  SmallVector<Value> scores;
  for (int64_t at = 0; at < a.sizes.keyTile; at += a.sizes.lanes) {
    Value column = e.add(a.group.lane(), at), counts;
    auto require = [&](Value holds) { counts = counts ? target::both(e, counts, holds) : holds; };
    if (a.sizes.keyTile - at < a.sizes.lanes) {
      require(e.less(column, e.index(a.sizes.keyTile)));
      column = e.min(column, e.index(a.sizes.keyTile - 1));
    }
    Value key = e.add(start, column);
    if (a.sizes.keys % a.sizes.keyTile)
      require(target::negate(e, e.less(key, first)));
    if (Value seen = a.sees(query, key))
      require(seen);
    Value s = a.score(query, key);
    scores.push_back(counts ? target::select(e, counts, s, a.number(-infinity)) : s);
  }
  return scores;
}

static Softmax visitKeyTile(Entry &a, Value query, Value tile, Softmax soFar) {
  DeviceEmitter &e = a.e;
  Value first = e.mul(tile, a.sizes.keyTile);
  Value start = e.min(first, e.index(a.sizes.keys - a.sizes.keyTile));
  SmallVector<Value> scores = scoresOf(a, query, first, start);
  Value most = scores.front();
  for (Value s : ArrayRef(scores).drop_front())
    most = combine(e, kernel::Combine::max, most, s);
  most = combine(e, kernel::Combine::max, a.group.combine(kernel::Combine::max, most), soFar.most);
  // A row without a visible key keeps the maximum -inf; exp(-inf - 0) = 0 is the right factor.
  Value base = target::select(e, a.isNumber(most, -infinity), a.number(0), most);
  Value factor = a.exp(a.sub(soFar.most, base));
  Value sum = a.mul(soFar.weights, factor);
  for (Value &s : scores) {
    s = a.exp(a.sub(s, base));
    sum = a.add(sum, s);
  }
  SmallVector<Value> values = a.addRows(2, start, a.sizes.keyTile, scores);
  for (auto [value, before] : llvm::zip(values, soFar.values))
    value = a.add(a.mul(before, factor), value);
  return {most, sum, values};
}

/// Number of key tiles with a key visible to any query of the warp: the groups of a warp run
/// through the tiles together.
static Value tilesOf(Entry &a, Value query) {
  DeviceEmitter &e = a.e;
  Value all = e.index(a.sizes.keyTiles());
  int64_t groups = 32 / a.sizes.lanes;
  if (!a.op.getCausal() || a.sizes.queries % groups) // a warp may have rows of two batch entries
    return all;
  Value last = e.add(e.mul(e.div(query, groups), groups), groups - 1);
  Value seen = e.max(e.add(last, a.sizes.offset() + 1), e.index(0));
  return e.min(all, e.div(e.add(seen, a.sizes.keyTile - 1), a.sizes.keyTile));
}

static void emitAttention(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::AttentionOp>(operation);
  if (op.getPlan()->getKind() != kernel::PlanKind::plain)
    return emitFlashAttention(op, code);
  code.describe(describePlain(op.getPlan()->getReason()));
  AttentionSizes<kernel::AttentionOp> sizes(op);
  launchRows<kernel::AttentionOp>(code, sizes, sizes.queries, [&](Entry &a, Value query) {
    DeviceEmitter &e = a.e;
    Softmax start{a.number(-infinity), a.number(0),
                  SmallVector<Value>(sizes.channels, a.number(0))};
    Softmax all = Softmax::of(
        e.loop(e.index(0), tilesOf(a, query), 1, start.list(), [&](Value tile, ValueRange soFar) {
          return visitKeyTile(a, query, tile, Softmax::of(soFar)).list();
        }));
    Value sum = a.group.combine(kernel::Combine::sum, all.weights);
    Value share = arith::DivFOp::create(e.b, e.loc, a.number(1), sum);
    Value isNone = a.isNumber(sum, 0);
    share = target::select(e, isNone, a.number(0), share);
    for (Value &value : all.values)
      value = a.mul(value, share);
    a.storeRow(all.values, 0, query);
    if (a.op.getOuts().size() == 1)
      return;
    e.when(target::equal(e, a.group.lane(), e.index(0)), [&] {
      a.store(target::select(e, isNone, a.number(0), all.most), 1, {e.index(0), query});
      Value present = target::select(e, isNone, a.number(1), sum);
      a.store(math::LogOp::create(e.b, e.loc, present), 1, {e.index(1), query});
    });
  });
}

void nvptx::addAttentionLowering(LoweringTable &table) {
  table[kernel::AttentionOp::getOperationName()] = {emitAttention, configureAttentionPlan,
                                                    /*workspaceBytes=*/nullptr,
                                                    /*finalWarps=*/nullptr, checkAttentionPlan};
  addAttentionGradLowering(table);
}
