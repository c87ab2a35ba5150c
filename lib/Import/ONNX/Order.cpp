// Sorting, scans along a dimension, and selection of parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include "mlir-dialects/Train/Ops/Indexing.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Permutation that swaps a dimension with the last dimension; self-inverse.
static Dims withLast(int64_t axis, int64_t rank) {
  Dims order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[axis], order[rank - 1]);
  return order;
}

// ---- Cumulative sums and products ----

template <typename Op> static void scan(Converter &c) {
  auto given = c.numbers(1, "an axis");
  if (!given || given->size() != 1)
    return;
  int64_t axis = c.axis(given->front(), c.rank(0));
  if (axis < 0)
    return;
  SmallVector<NamedAttribute> attributes = {c.attr("dim", axis)};
  for (StringRef name : {"exclusive", "reverse"})
    if (c.integer(name, 0))
      attributes.push_back(c.flag(name));
  c.set(0, c.make<Op>(c.in(0), attributes));
}

// ---- Argmax ----

/// Converts Hardmax: 1 at the first maximum along the axis. Before opset 13, dimensions from the
/// axis on are a single row.
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

static void convertTopK(Converter &c) {
  int64_t axis = c.axisOf(0, -1);
  auto given = c.opset < 10 ? std::optional<Dims>(Dims{c.integer("k", 0)}) : c.numbers(1, "a k");
  if (axis < 0 || !given)
    return;
  if (given->size() != 1) {
    c.fail("expected a scalar k");
    return;
  }
  SmallVector<NamedAttribute> attributes = {c.attr("k", given->front()), c.attr("dim", axis)};
  if (!c.integer("largest", 1))
    attributes.push_back(c.flag("smallest"));
  Operation *made = c.op("train.top_k", c.in(0), attributes, {}, 2);
  for (unsigned i = 0; made && i < 2; ++i)
    c.set(i, made->getResult(i));
}

// ---- Parts ----

/// Converts a centred crop of every dimension, with zero padding where the size grows.
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

/// Converts Compress with a known condition.
static void convertCompress(Converter &c) {
  const Literal *condition = c.setting(1);
  bool isFlat = !c.node.find("axis");
  int64_t axis = isFlat ? 0 : c.axisOf(0, 0);
  if (axis < 0)
    return;
  if (!condition) {
    c.fail("expected a constant condition");
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

/// Converts EyeLike: ones on a diagonal of a matrix of the input's shape.
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
    {"CumProd", scan<train::CumprodOp>},
    {"CumSum", scan<train::CumsumOp>},
    {"EyeLike", convertEyeLike},
    {"Hardmax", convertHardmax},
    {"TopK", convertTopK},
};

ArrayRef<Entry> ampc::onnx::orderEntries() { return entries; }
