// Data movement: reshape, transpose, slice, pad, gather and scatter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Ops/Indexing.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

static int64_t positionOf(int64_t dim, ArrayRef<int64_t> order) {
  return llvm::find(order, dim) - order.begin();
}

/// Sizes of a Reshape; rows that stay where they are have a 0, the size of the operand, which
/// leaves the single -1 to a size that OpenSizes cannot compute.
static Dims reshapeSizes(Emitter &e, train::ReshapeOp op) {
  Dims sizes = e.sizesOf(op);
  Value x = op.getX();
  if (!e.isBatched(x) || !e.isBatched(op) || e.isSingleRow(x))
    return sizes;
  int64_t dim = e.trace(op).rows->dim;
  bool stays = e.trace(x).rows->dim == dim && Emitter::shapeOf(x)[dim] == Emitter::shapeOf(op)[dim];
  if (stays && sizes[dim] == -1)
    sizes[dim] = 0;
  return sizes;
}

static void emitReshape(Emitter &e, train::ReshapeOp op) {
  GraphValue &x = e.trace(op.getX());
  if (x.constant && !x.isSingleRow && isIdentity(x.order)) {
    GraphValue same = x;
    Array array = reshaped(same.constant->array, Emitter::shapeOf(op));
    same.constant = std::make_shared<Constant>(Constant{same.constant->name, array, {}});
    same.order = identity(Emitter::rankOf(op));
    return e.bind(op, same);
  }
  e.set(op, e.node("Reshape", {e.in(op.getX()), e.integers(reshapeSizes(e, op))}));
}

/// Exports a transpose as a change of the recorded order, without a node.
static void emitTranspose(Emitter &e, train::TransposeOp op) {
  GraphValue traced = e.trace(op.getX());
  traced.order = positions(traced.order, op.getPermutation());
  traced.rows = e.trace(op).rows;
  e.bind(op, traced);
}

static void emitBroadcast(Emitter &e, train::BroadcastToOp op) {
  Dims sizes = e.sizesOf(op);
  // Rows of a batch have their size already, and Expand broadcasts in both directions.
  for (int64_t &size : sizes)
    size = std::max<int64_t>(size, 1);
  e.set(op, e.node("Expand", {e.in(op.getX()), e.integers(sizes)}));
}

static void emitSlice(Emitter &e, train::SliceOp op) {
  Dims order = e.order(op.getX()), starts, ends, axes, steps;
  ArrayRef<int64_t> from = Emitter::shapeOf(op.getX()), to = Emitter::shapeOf(op);
  for (int64_t dim = 0; dim < int64_t(from.size()); ++dim) {
    if (from[dim] == to[dim]) // whole dimension, step 1
      continue;
    starts.push_back(op.getOffsets()[dim]);
    ends.push_back(op.getOffsets()[dim] + (to[dim] - 1) * op.getStrides()[dim] + 1);
    axes.push_back(positionOf(dim, order));
    steps.push_back(op.getStrides()[dim]);
  }
  if (axes.empty())
    return e.alias(op, op.getX());
  std::vector<std::string> inputs = {e.in(op.getX(), order), e.integers(starts), e.integers(ends),
                                     e.integers(axes)};
  if (llvm::any_of(steps, [](int64_t step) { return step != 1; }))
    inputs.push_back(e.integers(steps));
  e.set(op, e.node("Slice", inputs), order);
}

/// Inserts `gap` elements behind every element of a dimension: unsqueezes a dimension, pads, and
/// merges. `sizes` is updated. Example: [3, 4] with gap 1 along dim 1 -> [3, 8].
static std::string withGaps(Emitter &e, std::string x, int64_t dim, int64_t gap, Dims &sizes,
                            const std::string &value) {
  Dims pads(2 * (sizes.size() + 1), 0);
  pads[sizes.size() + 1 + dim + 1] = gap;
  std::string apart = e.node("Unsqueeze", {x, e.integers({dim + 1})});
  std::string padded = e.node("Pad", {apart, e.integers(pads), value}, {{"mode", "constant"}});
  sizes[dim] *= gap + 1;
  return e.node("Reshape", {padded, e.integers(sizes)});
}

static void emitPad(Emitter &e, train::PadOp op) {
  Dims order = e.order(op.getX()), pads, sizes;
  std::string value = e.number(number(op.getValue()), Emitter::elementTypeOf(op));
  std::string x = e.in(op.getX(), order);
  Dims known = e.sizesOf(op.getX());
  for (int64_t dim : order)
    sizes.push_back(known[dim]);
  for (auto [at, dim] : llvm::enumerate(order)) {
    if (op.getInterior()[dim] == 0)
      continue;
    if (sizes[at] < 0)
      return e.fail(op, "gaps between rows of the batch");
    x = withGaps(e, x, at, op.getInterior()[dim], sizes, value);
  }
  for (int64_t dim : order)
    pads.push_back(op.getLow()[dim]);
  for (int64_t dim : order)
    pads.push_back(op.getHigh()[dim] - op.getInterior()[dim]);
  e.set(op, e.node("Pad", {x, e.integers(pads), value}, {{"mode", "constant"}}), order);
}

static void emitConcat(Emitter &e, train::ConcatOp op) {
  Aligned parts = align(e, op.getParts(), Emitter::rankOf(op));
  int64_t axis = positionOf(op.getDim(), parts.order);
  e.set(op, e.node("Concat", parts.names, {{"axis", axis}}), parts.order);
}

static void emitSplit(Emitter &e, train::SplitOp op) {
  Dims order = e.order(op.getX());
  int64_t axis = positionOf(op.getDim(), order);
  std::vector<std::string> parts =
      e.nodes("Split", {e.in(op.getX(), order), e.integers(op.getSizes())}, {{"axis", axis}},
              op->getNumResults());
  for (auto [result, part] : llvm::zip(op->getResults(), parts))
    e.set(result, part, order);
}

static void emitIota(Emitter &e, train::IotaOp op) {
  Dims shape = e.sizesOf(op);
  std::string line = e.positions(shape[op.getDim()], op.getDim(), int64_t(shape.size()));
  auto i32 = IntegerType::get(op.getContext(), 32);
  std::string typed = e.cast(line, i32, Emitter::elementTypeOf(op));
  e.set(op, e.node("Expand", {typed, e.integers(shape)}));
}

template <typename Op> static void emitRows(Emitter &e, Op op) {
  e.set(op, e.node("Gather", {e.in(op.getTable()), e.in(op.getIndex())}, {{"axis", int64_t(0)}}));
}

/// Index with an additional row `rows` in place of dropped indices, because ONNX requires indices
/// in range; the additional row is cut off after the scatter.
static std::string indexInRange(Emitter &e, Value numbers, int64_t rows,
                                std::optional<int64_t> padding) {
  Type i32 = Emitter::elementTypeOf(numbers);
  std::string index = e.in(numbers), last = e.number(double(rows), i32);
  std::string isBefore = e.node("Less", {index, e.number(0, i32)});
  std::string isBehind = e.node("Greater", {index, last});
  std::string isNowhere = e.node("Or", {isBefore, isBehind});
  if (padding) {
    std::string isPadding = e.node("Equal", {index, e.number(double(*padding), i32)});
    isNowhere = e.node("Or", {isNowhere, isPadding});
  }
  std::string kept = e.node("Where", {isNowhere, last, index});
  return e.cast(kept, i32, IntegerType::get(i32.getContext(), 64));
}

static void emitScatterAdd(Emitter &e, train::ScatterAddOp op) {
  Type element = Emitter::elementTypeOf(op);
  Dims sizes(Emitter::shapeOf(op));
  int64_t rows = sizes[0]++;
  std::string wide = indexInRange(e, op.getIndex(), rows, op.getPadding());
  std::string column = e.node("Unsqueeze", {wide, e.integers({-1})});
  std::string zeros = e.node("Expand", {e.number(0, element), e.integers(sizes)});
  std::string sums =
      e.node("ScatterND", {zeros, column, e.in(op.getUpdates())}, {{"reduction", "add"}});
  e.set(op, e.node("Slice", {sums, e.integers({0}), e.integers({rows}), e.integers({0})}));
}

/// Exports a scatter-add along a dimension, with an additional slice for dropped indices.
static void emitAddAlong(Emitter &e, train::AddAlongAxisOp op) {
  Dims sizes(Emitter::shapeOf(op));
  int64_t size = sizes[op.getDim()]++;
  std::string zeros =
      e.node("Expand", {e.number(0, Emitter::elementTypeOf(op)), e.sizes(op, sizes)});
  std::string sums =
      e.node("ScatterElements",
             {zeros, indexInRange(e, op.getIndex(), size, std::nullopt), e.in(op.getUpdates())},
             {{"axis", int64_t(op.getDim())}, {"reduction", "add"}});
  e.set(op,
        e.node("Slice", {sums, e.integers({0}), e.integers({size}), e.integers({op.getDim()})}));
}

static void emitTake(Emitter &e, train::TakeAlongAxisOp op) {
  e.set(op, e.node("GatherElements", {e.in(op.getX()), e.in(op.getIndex())},
                   {{"axis", int64_t(op.getDim())}}));
}

static void emitScatter(Emitter &e, train::ScatterOp op) {
  bool sets = op.getMode() == train::ScatterMode::set;
  bool isExtreme =
      op.getMode() == train::ScatterMode::max || op.getMode() == train::ScatterMode::min;
  if (isExtreme && e.model.opset < 18)
    return e.fail(op, "the largest or smallest of updates, before opset 18");
  std::string how = sets ? "none" : train::stringifyScatterMode(op.getMode()).str();
  e.set(op, e.node("ScatterElements", {e.in(op.getX()), e.in(op.getIndex()), e.in(op.getUpdates())},
                   {{"axis", int64_t(op.getDim())}, {"reduction", how}}));
}

static void emitArgsort(Emitter &e, train::ArgsortOp op) {
  if (op.getBelow())
    return e.fail(op, "an order below a limit");
  std::vector<std::string> results =
      e.nodes("TopK", {e.in(op.getX()), e.integers({Emitter::shapeOf(op).back()})},
              {{"axis", int64_t(-1)}, {"largest", int64_t(op.getDescending())}}, 2);
  e.set(op, e.cast(results[1], IntegerType::get(op.getContext(), 64), Emitter::elementTypeOf(op)));
}

std::vector<Entry> exporting::moveEntries() {
  return {
      entry<train::ReshapeOp, emitReshape>(),
      entry<train::TransposeOp, emitTranspose>(),
      entry<train::BroadcastToOp, emitBroadcast>(),
      entry<train::SliceOp, emitSlice>(),
      entry<train::PadOp, emitPad>(),
      entry<train::ConcatOp, emitConcat>(),
      entry<train::SplitOp, emitSplit>(),
      entry<train::IotaOp, emitIota>(),
      entry<train::GatherOp, emitRows<train::GatherOp>>(),
      entry<train::EmbeddingOp, emitRows<train::EmbeddingOp>>(),
      entry<train::ScatterAddOp, emitScatterAdd>(),
      entry<train::TakeAlongAxisOp, emitTake>(),
      entry<train::AddAlongAxisOp, emitAddAlong>(),
      entry<train::ScatterOp, emitScatter>(),
      entry<train::ArgsortOp, emitArgsort>(),
  };
}
