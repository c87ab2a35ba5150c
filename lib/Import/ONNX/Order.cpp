// Nodes that put elements in order, or go along a dimension from one to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

/// The permutation that exchanges a dimension with the last one, which is its own inverse.
static Dims withLast(int64_t axis, int64_t rank) {
  Dims order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[axis], order[rank - 1]);
  return order;
}

// ---- Sums and products so far ----

/// x moved along its last dimension by `by` places, backwards if negative, with `neutral` where
/// nothing comes from.
static Value shifted(Converter &c, Value x, int64_t by, double neutral) {
  if (!x)
    return {};
  Dims sizes(Converter::shapeOf(x)), none(sizes.size(), 0), ones(sizes.size(), 1);
  Dims low = none, high = none, from = none;
  (by > 0 ? low : high).back() = std::abs(by);
  from.back() = by > 0 ? 0 : -by;
  sizes.back() -= std::abs(by);
  if (sizes.back() < 1) {
    Literal all = Literal::scalar(onnx::Type::F64, neutral);
    all.type = Converter::elementOf(x).isF64() ? onnx::Type::F64 : onnx::Type::F32;
    Value one = isa<FloatType>(Converter::elementOf(x))
                    ? c.constant(all)
                    : c.constant(Literal::scalar(int64_t(neutral)));
    return c.broadcastTo(one, Converter::shapeOf(x));
  }
  return c.make<train::PadOp>(c.slice(x, from, sizes, ones),
                              {c.attr("value", neutral), c.attr("low", low), c.attr("high", high),
                               c.attr("interior", none)});
}

/// After round i every element has what 2^(i+1) elements up to it come to (Hillis and Steele 1986).
static Value scan(Converter &c, Value x, double neutral, Value (*join)(Converter &, Value, Value)) {
  bool reverses = c.integer("reverse", 0);
  if (c.integer("exclusive", 0))
    x = shifted(c, x, reverses ? -1 : 1, neutral);
  int64_t size = x ? Converter::shapeOf(x).back() : 0;
  for (int64_t by = 1; x && by < size; by *= 2)
    x = join(c, x, shifted(c, x, reverses ? -by : by, neutral));
  return x;
}

static Value sum(Converter &c, Value x, Value y) { return c.add(x, y); }
static Value product(Converter &c, Value x, Value y) { return c.mul(x, y); }

/// Reals are summed as a product with a triangle of ones.
static Value sumByProduct(Converter &c, Value x) {
  Dims dims(Converter::shapeOf(x));
  int64_t size = dims.back();
  Literal ones(c.type(0), {size, size});
  bool excludes = c.integer("exclusive", 0), reverses = c.integer("reverse", 0);
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j)
      ones.set(i * size + j, int64_t((reverses ? i > j : i < j) || (i == j && !excludes)));
  Value y =
      c.make<train::MatmulOp>({dims.size() == 1 ? c.reshape(x, {1, size}) : x, c.constant(ones)});
  return c.reshape(y, dims);
}

static void cumulate(Converter &c, bool isSum) {
  constexpr int64_t mostByProduct = 1024;
  auto given = c.numbers(1, "an axis");
  if (!given || given->size() != 1)
    return;
  int64_t axis = c.axis(given->front(), c.rank(0));
  if (axis < 0)
    return;
  Dims order = withLast(axis, c.rank(0));
  Value x = c.transpose(c.in(0), order);
  if (!x)
    return;
  bool isShort = Converter::shapeOf(x).back() <= mostByProduct;
  if (isSum && isShort && isa<FloatType>(Converter::elementOf(x)))
    x = sumByProduct(c, x);
  else
    x = scan(c, x, isSum ? 0 : 1, isSum ? sum : product);
  c.set(0, c.transpose(x, order));
}

// ---- The greatest ----

/// One at the first greatest element along the axis; before opset 13 everything behind is one row.
static void convertHardmax(Converter &c) {
  int64_t rank = c.rank(0), axis = c.axisOf(0, c.opset < 13 ? 1 : -1);
  if (axis < 0)
    return;
  Value x = c.in(0);
  Dims order = withLast(axis, rank), dims(c.dims(0));
  if (c.opset < 13) {
    int64_t inner = 1;
    for (int64_t size : c.dims(0).drop_front(axis))
      inner *= size;
    dims.truncate(axis);
    dims.push_back(inner);
    order = llvm::to_vector(llvm::seq<int64_t>(dims.size()));
    x = c.reshape(x, dims);
  }
  x = c.transpose(x, order);
  Value at = c.make<train::ArgmaxOp>(x);
  if (!at)
    return;
  Value hot = c.make<train::OneHotOp>(
      at, {}, RankedTensorType::get(Converter::shapeOf(x), Converter::elementOf(x)));
  c.set(0, c.reshape(c.transpose(hot, order), c.dims(0)));
}

/// Every element's rank is the number of those before it in the order; among equal ones that is
/// the order that they have.
static void convertTopK(Converter &c) {
  constexpr int64_t mostPairs = 1 << 24;
  int64_t axis = c.axisOf(0, -1), rank = c.rank(0);
  auto given = c.opset < 10 ? std::optional<Dims>(Dims{c.integer("k", 0)}) : c.numbers(1, "a k");
  if (axis < 0 || !given)
    return;
  Dims order = withLast(axis, rank);
  Value x = c.transpose(c.in(0), order);
  if (!x)
    return;
  Dims dims(Converter::shapeOf(x));
  int64_t size = dims.back(), k = given->size() == 1 ? given->front() : 0, rows = 1;
  for (int64_t each : ArrayRef(dims).drop_back())
    rows *= each;
  if (k < 1 || k > size || rows * size > mostPairs / size) {
    c.fail("expected k from 1 to " + Twine(size) + " and at most " + Twine(mostPairs) +
           " pairs of elements");
    return;
  }
  // [rows, one, other]: whether the other comes before.
  Value one = c.reshape(x, {rows, size, 1}), other = c.reshape(x, {rows, 1, size});
  Literal isEarlier(onnx::Type::Bool, {size, size});
  for (int64_t i = 0; i < size * size; ++i)
    isEarlier.ints[i] = i % size < i / size;
  auto better = c.integer("largest", 1) ? ComparePredicate::gt : ComparePredicate::lt;
  Value no = c.constant(Literal::scalar(onnx::Type::Bool, 0.0));
  Value isEqual = c.select(c.constant(isEarlier), c.compare(ComparePredicate::eq, other, one), no);
  Value yes = c.constant(Literal::scalar(onnx::Type::Bool, 1.0));
  Value isBefore = c.select(c.compare(better, other, one), yes, isEqual);
  Value ranks = c.reduce("train.reduce_sum", c.cast(isBefore, c.b.getI32Type()), {2}, false);
  // [rows, place, one]: which element has the rank of the place.
  Literal places(onnx::Type::I64, {1, k, 1}), numbers(onnx::Type::I64, {size});
  for (int64_t i = 0; i < k; ++i)
    places.ints[i] = i;
  for (int64_t i = 0; i < size; ++i)
    numbers.ints[i] = i;
  if (!ranks)
    return;
  Value isThere =
      c.compare(ComparePredicate::eq, c.reshape(ranks, {rows, 1, size}), c.constant(places));
  Value none = c.constant(Literal::scalar(0));
  Value index =
      c.reduce("train.reduce_sum", c.select(isThere, c.constant(numbers), none), {2}, false);
  Literal starts(onnx::Type::I64, {rows, 1});
  for (int64_t i = 0; i < rows; ++i)
    starts.ints[i] = i * size;
  Value taken = c.make<train::GatherOp>(
      {c.reshape(x, {rows * size, 1}), index ? c.add(index, c.constant(starts)) : index});
  dims.back() = k;
  c.set(0, c.transpose(c.reshape(taken, dims), order));
  c.set(1, c.transpose(c.reshape(index, dims), order));
}

// ---- Parts ----

/// The middle of every dimension, with zeros around where there is less.
static void convertCenterCropPad(Converter &c) {
  auto shape = c.numbers(1, "a shape");
  if (!shape)
    return;
  int64_t rank = c.rank(0);
  Dims axes = c.ints("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(rank)));
  if (axes.size() != shape->size()) {
    c.fail("expected as many sizes as axes");
    return;
  }
  Dims from(rank, 0), sizes(c.dims(0)), ones(rank, 1), low(rank, 0), high(rank, 0);
  for (auto [number, to] : llvm::zip(axes, *shape)) {
    int64_t axis = c.axis(number, rank);
    if (axis < 0)
      return;
    int64_t more = to - sizes[axis];
    low[axis] = std::max<int64_t>(more / 2, 0);
    high[axis] = std::max<int64_t>(more, 0) - low[axis];
    from[axis] = std::max<int64_t>(-more, 0) / 2;
    sizes[axis] = std::min(sizes[axis], to);
  }
  Value x = c.slice(c.in(0), from, sizes, ones);
  auto isZero = [](int64_t size) { return size == 0; };
  if (!llvm::all_of(low, isZero) || !llvm::all_of(high, isZero))
    x = c.make<train::PadOp>(x, {c.attr("value", 0.0), c.attr("low", low), c.attr("high", high),
                                 c.attr("interior", Dims(rank, 0))});
  c.set(0, x);
}

/// Where a known condition holds.
static void convertCompress(Converter &c) {
  const Literal *condition = c.setting(1);
  bool isFlat = !c.node.find("axis");
  int64_t axis = isFlat ? 0 : c.axisOf(0, 0);
  if (axis < 0)
    return;
  if (!condition) {
    c.fail("expected a condition that is known");
    return;
  }
  Dims index;
  for (int64_t i = 0; i < condition->count(); ++i)
    if (condition->integer(i))
      index.push_back(i);
  Value x = c.in(0);
  if (x && isFlat)
    x = c.reshape(x, {cast<RankedTensorType>(x.getType()).getNumElements()});
  if (x && !index.empty() && index.back() >= Converter::shapeOf(x)[axis]) {
    c.fail("expected a condition of at most as many elements as the dimension has");
    return;
  }
  c.set(0, c.take(x, axis, index));
}

/// Ones on a diagonal; of the input the shape is enough.
static void convertEyeLike(Converter &c) {
  if (c.rank(0) != 2 || countOf(c.dims(0)) > mostElements) {
    c.fail("expected a matrix of at most " + Twine(mostElements) + " elements");
    return;
  }
  int64_t type = c.integer("dtype", int64_t(c.type(0))), columns = c.dims(0)[1];
  Literal eye(static_cast<onnx::Type>(type), c.dims(0));
  if (!bytesOf(eye.type)) {
    c.fail("expected a type of numbers");
    return;
  }
  for (int64_t i = 0; i < eye.count(); ++i)
    eye.set(i, int64_t(i % columns - i / columns == c.integer("k", 0)));
  c.set(0, std::move(eye));
}

static const Entry entries[] = {
    {"CenterCropPad", convertCenterCropPad},
    {"Compress", convertCompress},
    {"CumProd", [](Converter &c) { cumulate(c, false); }},
    {"CumSum", [](Converter &c) { cumulate(c, true); }},
    {"EyeLike", convertEyeLike},
    {"Hardmax", convertHardmax},
    {"TopK", convertTopK},
};

ArrayRef<Entry> ampc::onnx::orderEntries() { return entries; }
