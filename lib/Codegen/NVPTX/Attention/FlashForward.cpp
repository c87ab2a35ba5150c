// kernel.attention on matrix units: a block owns some queries, and keys with their values are
// streamed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/AttentionPlan.h"
#include "lib/Codegen/NVPTX/Attention/FlashKernels.h"
#include "lib/Codegen/NVPTX/Attention/RowProducts.h"
#include "lib/Codegen/NVPTX/Attention/TilePipeline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Online softmax, carried from tile to tile. Per row of the thread: maximum of the scores, this
/// thread's sum of weights; and accumulators of the values.
struct Softmax {
  SmallVector<Value> most, weights;
  Accumulators values;

  static Softmax of(ValueRange carried, int64_t rows) {
    return {llvm::to_vector(carried.take_front(rows)), llvm::to_vector(carried.slice(rows, rows)),
            unflatten(carried.drop_front(2 * rows))};
  }
  SmallVector<Value> list() const {
    SmallVector<Value> all(most);
    llvm::append_range(all, weights);
    append(all, values);
    return all;
  }
};

class Forward {
public:
  Forward(DeviceEmitter &e, const FlashShape &shape, const FlashTile &tile,
          const KernelPointers &pointers)
      : e(e), shape(shape), f(e, shape, tile, pointers, /*ownsQueries=*/true), rows(f.ownTile()),
        keys(f.streamedTile()),
        // Late scaling: with a positive factor, the largest product is also the largest score.
        scalesLate(!shape.biased && shape.scale > 0),
        unit((scalesLate ? shape.scale : 1) * llvm::numbers::log2e), products(RowProducts::of(f)) {}
  void emit();

private:
  int64_t rowsOfThread() const { return 2 * f.warpBlocks(); }
  Softmax start();
  Softmax visitKeyTile(Value stage, Value tile, Softmax soFar);
  Accumulators scores(Value stage, Value tile);
  Value weigh(Softmax &state, Accumulators &scores, int64_t row);
  void finish(Softmax all);

  DeviceEmitter &e;
  const FlashShape &shape;
  FlashBlock f;
  RowTile rows, keys;
  bool scalesLate; // `most` holds maxima of products, not yet scaled
  double unit;     // factor from `most` to an exponent of 2
  std::unique_ptr<RowProducts> products;
};
} // namespace

Softmax Forward::start() {
  Accumulator zeros;
  zeros.fill(f.number(0));
  return {SmallVector<Value>(rowsOfThread(), f.number(-infinity)),
          SmallVector<Value>(rowsOfThread(), f.number(0)),
          Accumulators(f.warpBlocks() * shape.channelTiles(), zeros)};
}

/// Scores of a tile, or unscaled products with late scaling; -inf for masked pairs.
Accumulators Forward::scores(Value stage, Value tile) {
  Accumulators scores = products->multiply(f.memory(), stage);
  if (!scalesLate)
    f.scaleAndBias(scores, tile);
  f.hide(scores, tile, -infinity);
  return scores;
}

/// Replaces a row's scores by weights; returns the factor for the sums so far. A row without a
/// visible key keeps the maximum -inf; 2^(-inf - 0) = 0 is the right factor.
Value Forward::weigh(Softmax &state, Accumulators &scores, int64_t row) {
  int64_t tiles = f.columnTiles(), block = row / 2, half = row % 2;
  auto eachScore = [&](llvm::function_ref<void(Value &)> visit) {
    for (int64_t j = 0; j < tiles; ++j)
      for (int64_t q : {0, 1})
        visit(scores[block * tiles + j][2 * half + q]);
  };
  Value most;
  eachScore([&](Value &s) { most = most ? target::combine(e, kernel::Combine::max, most, s) : s; });
  most = target::combine(e, kernel::Combine::max, f.combineQuad(kernel::Combine::max, most),
                         state.most[row]);
  Value base = target::select(e, f.isNumber(most, -infinity), f.number(0), most);
  Value factor = f.exp2(f.mul(f.sub(state.most[row], base), f.number(unit)));
  Value sum = f.mul(state.weights[row], factor);
  Value negative = scalesLate ? f.mul(base, f.number(-unit)) : Value();
  // Subtract first, then multiply: next to a mask of -1e9, a product with log2(e) would round by
  // more than 1.
  eachScore([&](Value &s) {
    s = f.exp2(scalesLate ? f.fma(s, f.number(unit), negative)
                          : f.mul(f.sub(s, base), f.number(unit)));
    sum = f.add(sum, s);
  });
  state.most[row] = most;
  state.weights[row] = sum;
  return factor;
}

Softmax Forward::visitKeyTile(Value stage, Value tile, Softmax state) {
  Accumulators weights = scores(stage, tile);
  int64_t tiles = shape.channelTiles();
  for (int64_t row = 0; row < rowsOfThread(); ++row) {
    Value factor = weigh(state, weights, row);
    for (int64_t c = 0; c < tiles; ++c)
      for (int64_t q : {0, 1}) {
        Value &sum = state.values[row / 2 * tiles + c][row % 2 * 2 + q];
        sum = f.mul(sum, factor);
      }
  }
  products->addTo(state.values, weights, e.advance(stage, keys.bytes()));
  return state;
}

/// Stores the weighted means of the values, the maxima and the logarithms of the sums. A query
/// without visible keys gets 0.
void Forward::finish(Softmax all) {
  SmallVector<Value> shares;
  for (int64_t row = 0; row < rowsOfThread(); ++row) {
    Value sum = f.combineQuad(kernel::Combine::sum, all.weights[row]);
    Value share = arith::DivFOp::create(e.b, e.loc, f.number(1), sum);
    Value isNone = f.isNumber(sum, 0);
    shares.push_back(target::select(e, isNone, f.number(0), share));
    if (shape.results.size() == 1)
      continue;
    Value most = target::select(e, isNone, f.number(0), all.most[row]);
    if (scalesLate)
      most = f.mul(most, f.number(shape.scale));
    f.storeRowNumber(most, 1, 0, row / 2, row % 2);
    Value present = target::select(e, isNone, f.number(1), sum);
    f.storeRowNumber(math::LogOp::create(e.b, e.loc, present), 1, 1, row / 2, row % 2);
  }
  f.storeRows(all.values, shares, 0);
}

void Forward::emit() {
  RowCopy queryCopy = f.copyOf(0, rows, shape.queries), keyCopy = f.copyOf(1, keys, shape.keys),
          valueCopy = f.copyOf(2, keys, shape.keys);
  auto issue = [&](Value stage, Value tile) {
    Value key = e.mul(tile, f.tile.columns);
    keyCopy.issue(stage, key);
    valueCopy.issue(e.advance(stage, keys.bytes()), key);
  };
  auto [from, to] = f.tileRange();
  TilePipeline ring(e, e.advance(f.memory(), rows.bytes()), f.tile.stages, 2 * keys.bytes(), from,
                    to, shape.warpgroups, f.mayMeetNothing());
  queryCopy.issue(f.memory(), e.position(f.firstRow()));
  ring.start(issue);
  if (shape.width <= 64 && !shape.warpgroups) {
    ring.waitForFirst();
    products->keep(f.memory());
  }
  SmallVector<Value> carried =
      ring.run(start().list(), issue, [&](Value stage, Value tile, ValueRange now) {
        return visitKeyTile(stage, tile, Softmax::of(now, rowsOfThread())).list();
      });
  finish(Softmax::of(carried, rowsOfThread()));
}

void nvptx::emitFlashAttention(kernel::AttentionOp op, DeviceCode &code) {
  kernel::AttentionPlanAttr plan = *op.getPlan();
  FlashShape shape = FlashShape::of(op, plan.getKind() == kernel::PlanKind::wgmma);
  FlashTile tile(plan.getTiles().front());
  code.describe(shape.formName() + " " + tile.describe());
  LaunchShape launch;
  launch.grid[0] = FlashBlock::count(shape, tile, /*ownsQueries=*/true);
  launch.threads = tile.threads();
  launch.sharedBytes = forwardSharedBytes(shape, tile);
  code.launch(launch, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Forward(e, shape, tile, pointers).emit();
  });
}
