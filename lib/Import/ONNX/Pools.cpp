// Pooling, and normalization over neighbouring channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Window.h"
#include "mlir-dialects/Train/CompositeNorm.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// With ceil_mode a last window may begin inside and end outside of the padded image.
static void addCeiling(Converter &c, Window &window, ArrayRef<int64_t> sizes) {
  if (!c.integer("ceil_mode", 0))
    return;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t room = sizes[i] + window.low[i] + window.high[i] - window.reach(i);
    int64_t rest = room % window.strides[i], steps = room / window.strides[i] + 1;
    if (rest > 0 && steps * window.strides[i] < sizes[i] + window.low[i])
      window.high[i] += window.strides[i] - rest;
  }
}

static SmallVector<NamedAttribute> poolAttributes(Converter &c, const Window &window) {
  return {c.attr("window", window.kernel), c.attr("strides", window.strides),
          c.attr("padding", window.padding())};
}

static std::optional<Window> poolWindow(Converter &c) {
  auto kernel = c.ints("kernel_shape");
  if (!kernel || llvm::any_of(*kernel, [](int64_t size) { return size < 1 || size > (1 << 20); })) {
    c.fail("expected a kernel_shape");
    return std::nullopt;
  }
  return windowOf(c, *kernel, 3);
}

/// What ampc's own pools take.
static bool isPlain(const Window &window) {
  return window.kernel.size() == 2 &&
         llvm::all_of(window.dilations, [](int64_t step) { return step == 1; });
}

// ---- Other windows ----

/// Pools one dimension after the other: the elements that windows have at each place are a slice
/// with the windows' stride.
static Value poolApart(Converter &c, Value x, const Window &window, double outside,
                       Value (*join)(Converter &, Value, Value)) {
  constexpr int64_t mostSlices = 256;
  for (size_t i = 0; x && i < window.kernel.size(); ++i) {
    Dims sizes(Converter::shapeOf(x)), none(sizes.size(), 0), ones(sizes.size(), 1);
    Dims low = none, high = none, strides = ones, from = none;
    low[1 + i] = window.low[i];
    high[1 + i] = window.high[i];
    sizes[1 + i] += low[1 + i] + high[1 + i];
    int64_t room = sizes[1 + i] - window.reach(i);
    if (room < 0 || window.kernel[i] > mostSlices)
      return c.fail("expected windows of at most " + Twine(mostSlices) +
                    " elements along a dimension, which the image has");
    if (low[1 + i] || high[1 + i])
      x = c.make<train::PadOp>(x, {c.attr("value", outside), c.attr("low", low),
                                   c.attr("high", high), c.attr("interior", none)});
    strides[1 + i] = window.strides[i];
    sizes[1 + i] = room / window.strides[i] + 1;
    Value all;
    for (int64_t at = 0; at < window.kernel[i]; ++at) {
      from[1 + i] = at * window.dilations[i];
      Value part = c.slice(x, from, sizes, strides);
      all = at == 0 ? part : join(c, all, part);
    }
    x = all;
  }
  return x;
}

static Value greater(Converter &c, Value x, Value y) { return c.make<train::MaximumOp>({x, y}); }
static Value sum(Converter &c, Value x, Value y) { return c.add(x, y); }

static int64_t elementsOf(const Window &window) {
  int64_t product = 1;
  for (int64_t size : window.kernel)
    product *= size;
  return product;
}

/// Means over whole windows, in which what lies outside is 0.
static Value means(Converter &c, Value x, const Window &window) {
  if (isPlain(window))
    return c.make<train::AvgPoolOp>(x, poolAttributes(c, window));
  Value y = poolApart(c, x, window, 0, sum);
  return y ? c.mul(y, c.real(1.0 / elementsOf(window), y)) : Value();
}

// ---- Pools ----

static void convertMaxPool(Converter &c) {
  auto window = poolWindow(c);
  if (!window)
    return;
  if (c.wants(1)) {
    c.fail("expected no use of the indices");
    return;
  }
  Value x = imageOf(c, *window);
  if (!x)
    return;
  addCeiling(c, *window, Converter::shapeOf(x).drop_front().drop_back());
  // Pixels of 8 bits are the same as reals.
  mlir::Type element = Converter::elementOf(x);
  bool isSmall = c.type(0) == onnx::Type::U8 || c.type(0) == onnx::Type::I8;
  if (isSmall)
    x = c.cast(x, c.b.getF32Type());
  Value y;
  if (isPlain(*window)) {
    Operation *made = c.op("train.max_pool", x, poolAttributes(c, *window), {}, 2);
    y = made ? made->getResult(0) : Value();
  } else {
    double least = -std::numeric_limits<double>::infinity();
    y = poolApart(c, x, *window, least, greater);
  }
  give(c, *window, 0, isSmall ? c.cast(y, element) : y);
}

/// Elements of each window that lie in the image, or in the part of its padding that counts.
static Literal countsOf(const Window &window, const Window &counted, ArrayRef<int64_t> image,
                        ArrayRef<int64_t> result, onnx::Type type) {
  Dims dims(result);
  dims.push_back(1);
  Literal counts(type, dims);
  auto up = [](int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; };
  for (int64_t at = 0; at < counts.count(); ++at) {
    int64_t rest = at, product = 1;
    for (int i = int(result.size()) - 1; i >= 0; --i) {
      int64_t from = rest % result[i] * window.strides[i] - window.low[i];
      int64_t first = up(-counted.low[i] - from, window.dilations[i]);
      int64_t end = up(image[i] + counted.high[i] - from, window.dilations[i]);
      product *= std::max<int64_t>(std::min(end, window.kernel[i]) - first, 0);
      rest /= result[i];
    }
    counts.set(at, product);
  }
  return counts;
}

static void convertAveragePool(Converter &c) {
  auto window = poolWindow(c);
  if (!window)
    return;
  Value x = imageOf(c, *window);
  if (!x)
    return;
  ArrayRef<int64_t> image = Converter::shapeOf(x).drop_front().drop_back();
  Window counted = *window;
  if (!c.integer("count_include_pad", 0))
    counted.low = counted.high = Dims(image.size(), 0);
  addCeiling(c, *window, image);
  Value y = means(c, x, *window);
  if (!y)
    return;
  // What should not count is divided out.
  ArrayRef<int64_t> result = Converter::shapeOf(y).drop_front().drop_back();
  if (countOf(result) > mostElements) {
    c.fail("expected a result of at most " + Twine(mostElements) + " elements per channel");
    return;
  }
  int64_t whole = elementsOf(*window);
  Literal counts = countsOf(*window, counted, image, result, c.type(0));
  Literal factors = counts;
  bool areWhole = true;
  for (int64_t i = 0; i < counts.count(); ++i) {
    areWhole &= counts.integer(i) == whole;
    factors.set(i, double(whole) / counts.real(i));
  }
  give(c, *window, 0, areWhole ? y : c.mul(y, c.constant(factors)));
}

static Value power(Converter &c, Value x, double exponent) {
  return x ? c.make<train::PowOp>({x, c.real(exponent, x)}) : Value();
}

/// The root of sums of powers.
static void convertLpPool(Converter &c) {
  auto window = poolWindow(c);
  if (!window)
    return;
  double p = c.integer("p", 2);
  Value x = imageOf(c, *window);
  if (!x)
    return;
  addCeiling(c, *window, Converter::shapeOf(x).drop_front().drop_back());
  Value powers = p == 2 ? c.make<train::SquareOp>(x) : power(c, c.make<train::AbsOp>(x), p);
  Value y = means(c, powers, *window);
  if (y)
    y = c.mul(y, c.real(double(elementsOf(*window)), y));
  give(c, *window, 0, p == 2 && y ? c.make<train::SqrtOp>(y) : power(c, y, 1 / p));
}

static void convertGlobalPool(Converter &c, StringRef name) {
  Value x = c.image(0);
  if (!x)
    return;
  c.setImage(0, c.reduce(name, x, llvm::to_vector(llvm::seq<int64_t>(1, c.rank(0) - 1)), true));
}

static void convertLrn(Converter &c) {
  Value x = c.image(0);
  if (x)
    c.setImage(0, c.make<train::LrnOp>(
                      {x},
                      {c.attr("size", c.integer("size", 0)), c.attr("alpha", c.real("alpha", 1e-4)),
                       c.attr("beta", c.real("beta", 0.75)), c.attr("bias", c.real("bias", 1))},
                      x.getType()));
}

static const Entry entries[] = {
    {"AveragePool", convertAveragePool},
    {"GlobalAveragePool", [](Converter &c) { convertGlobalPool(c, "train.reduce_mean"); }},
    {"GlobalMaxPool", [](Converter &c) { convertGlobalPool(c, "train.reduce_max"); }},
    {"LpPool", convertLpPool, 2},
    {"LRN", convertLrn},
    {"MaxPool", convertMaxPool},
};

ArrayRef<Entry> ampc::onnx::poolEntries() { return entries; }
