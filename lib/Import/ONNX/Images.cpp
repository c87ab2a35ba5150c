// Convolutions, pooling and resizing: images in (N, ..., C), of one dimension as of two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
/// What windows are and how they move, in two dimensions: a signal is an image of height 1.
struct Window {
  Dims kernel, strides, dilations, low, high;
  bool isSignal = false;

  /// [top, bottom, left, right]
  Dims padding() const { return {low[0], high[0], low[1], high[1]}; }
};
} // namespace

static Value widen(Converter &c, Value signal) {
  if (!signal)
    return {};
  ArrayRef<int64_t> d = Converter::shapeOf(signal);
  return c.reshape(signal, {d[0], 1, d[1], d[2]});
}
static Value narrow(Converter &c, Value image) {
  if (!image)
    return {};
  ArrayRef<int64_t> d = Converter::shapeOf(image);
  return c.reshape(image, {d[0], d[2], d[3]});
}
static Value imageOf(Converter &c, const Window &window) {
  Value x = c.image(0);
  return window.isSignal ? widen(c, x) : x;
}
static void give(Converter &c, const Window &window, unsigned output, Value y) {
  c.setImage(output, window.isSignal ? narrow(c, y) : y);
}

/// Nothing with a fault noted. `spatial` are the sizes of the image, `kernel` those of the window.
static std::optional<Window> windowOf(Converter &c, ArrayRef<int64_t> kernel) {
  Window window;
  int64_t rank = c.rank(0) - 2;
  if ((rank != 1 && rank != 2) || int64_t(kernel.size()) != rank) {
    c.fail("expected images of one or two dimensions, but got " + Twine(rank));
    return std::nullopt;
  }
  auto list = [&](StringRef name, int64_t otherwise, int64_t size) {
    Dims numbers = c.ints(name).value_or(Dims(size, otherwise));
    if (int64_t(numbers.size()) != size ||
        llvm::any_of(numbers, [&](int64_t n) { return n < otherwise || n > (1 << 30); })) {
      c.fail("expected " + Twine(size) + " " + name + " from " + Twine(otherwise) + " on");
      numbers.assign(size, otherwise);
    }
    return numbers;
  };
  window.kernel = Dims(kernel);
  window.strides = list("strides", 1, rank);
  window.dilations = list("dilations", 1, rank);
  Dims pads = list("pads", 0, 2 * rank);
  window.low.assign(pads.begin(), pads.begin() + rank);
  window.high.assign(pads.begin() + rank, pads.end());
  std::string automatic = c.text("auto_pad", "NOTSET");
  for (int64_t i = 0; i < rank && automatic != "NOTSET"; ++i) {
    int64_t reach = (kernel[i] - 1) * window.dilations[i] + 1, size = c.dims(0)[2 + i];
    int64_t steps = (size + window.strides[i] - 1) / window.strides[i];
    int64_t pad = automatic == "VALID"
                      ? 0
                      : std::max<int64_t>((steps - 1) * window.strides[i] + reach - size, 0);
    window.low[i] = automatic == "SAME_LOWER" ? (pad + 1) / 2 : pad / 2;
    window.high[i] = pad - window.low[i];
  }
  if (!c.fault.empty())
    return std::nullopt;
  window.isSignal = rank == 1;
  for (auto [numbers, one] : {std::pair(&window.kernel, 1),
                              {&window.strides, 1},
                              {&window.dilations, 1},
                              {&window.low, 0},
                              {&window.high, 0}})
    if (window.isSignal)
      numbers->insert(numbers->begin(), one);
  return window;
}

// ---- Convolutions ----

static Value filterOf(Converter &c, const Window &window) {
  Value filter = c.in(1);
  if (!filter)
    return {};
  if (c.rank(1) != c.rank(0))
    return c.fail("expected a filter of as many dimensions as the image");
  filter = c.transpose(filter, toChannelsLast(c.rank(1)));
  return window.isSignal ? widen(c, filter) : filter;
}

static SmallVector<NamedAttribute> attributesOf(Converter &c, const Window &window) {
  return {c.attr("strides", window.strides), c.attr("padding", window.padding()),
          c.attr("dilations", window.dilations), c.attr("groups", c.integer("group", 1))};
}

static void convertConv(Converter &c) {
  auto window = windowOf(c, c.dims(1).drop_front(std::min<size_t>(2, c.dims(1).size())));
  if (!window)
    return;
  Value y = c.make<train::Conv2dOp>({imageOf(c, *window), filterOf(c, *window)},
                                    attributesOf(c, *window));
  if (c.has(2))
    y = c.add(y, c.in(2));
  give(c, *window, 0, y);
}

/// The gradient of a convolution's image: the filter's output channels are this one's input.
static void convertConvTranspose(Converter &c) {
  auto window = windowOf(c, c.dims(1).drop_front(std::min<size_t>(2, c.dims(1).size())));
  if (!window)
    return;
  Value x = imageOf(c, *window), filter = filterOf(c, *window);
  if (!x || !filter)
    return;
  Dims extra = c.ints("output_padding").value_or(Dims(c.rank(0) - 2, 0));
  auto given = c.ints("output_shape");
  if (int64_t(extra.size()) != c.rank(0) - 2 || (given && given->size() != extra.size())) {
    c.fail("expected a number per dimension of the image");
    return;
  }
  if (window->isSignal) {
    extra.insert(extra.begin(), 0);
    if (given)
      given->insert(given->begin(), 1);
  }
  ArrayRef<int64_t> from = Converter::shapeOf(x), size = Converter::shapeOf(filter);
  Dims result = {from[0], 0, 0, size[3] * c.integer("group", 1)};
  bool isSame = StringRef(c.text("auto_pad", "NOTSET")).starts_with("SAME");
  for (int i : {0, 1}) {
    int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
    int64_t whole = (from[1 + i] - 1) * window->strides[i] + reach + extra[i];
    if (given || isSame) {
      result[1 + i] = given ? (*given)[i] : from[1 + i] * window->strides[i];
      int64_t pad = std::max<int64_t>(whole - result[1 + i], 0);
      bool lower = c.text("auto_pad", "NOTSET") == "SAME_UPPER";
      window->low[i] = lower ? pad / 2 : pad - pad / 2;
      window->high[i] = pad - window->low[i];
    } else {
      result[1 + i] = whole - window->low[i] - window->high[i];
    }
  }
  if (llvm::any_of(result, [](int64_t n) { return n < 1; })) {
    c.fail("expected a result with elements");
    return;
  }
  Value y =
      c.make<train::Conv2dGradInputOp>({x, filter}, attributesOf(c, *window),
                                       RankedTensorType::get(result, Converter::elementOf(x)));
  if (c.has(2))
    y = c.add(y, c.in(2));
  give(c, *window, 0, y);
}

// ---- Pooling ----

/// With ceil_mode a last window may begin inside and end outside of the padded image.
static void addCeiling(Converter &c, Window &window, ArrayRef<int64_t> sizes) {
  for (int i : {0, 1}) {
    int64_t padded = sizes[i] + window.low[i] + window.high[i];
    int64_t rest = (padded - window.kernel[i]) % window.strides[i];
    int64_t steps = (padded - window.kernel[i]) / window.strides[i] + 1;
    if (c.integer("ceil_mode", 0) && rest > 0 &&
        steps * window.strides[i] < sizes[i] + window.low[i])
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
  auto window = windowOf(c, *kernel);
  if (window && llvm::any_of(window->dilations, [](int64_t step) { return step != 1; })) {
    c.fail("expected dilations of 1");
    return std::nullopt;
  }
  return window;
}

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
  addCeiling(c, *window, Converter::shapeOf(x).slice(1, 2));
  Operation *made = c.op("train.max_pool", x, poolAttributes(c, *window), {}, 2);
  if (made)
    give(c, *window, 0, made->getResult(0));
}

/// Elements of each window that lie in the image, or with its padding.
static Literal countsOf(const Window &window, const Window &counted, ArrayRef<int64_t> image,
                        ArrayRef<int64_t> result, onnx::Type type) {
  Literal counts(type, {result[0], result[1], 1});
  for (int64_t at = 0; at < counts.count(); ++at) {
    int64_t place[] = {at / result[1], at % result[1]}, product = 1;
    for (int i : {0, 1}) {
      int64_t from = place[i] * window.strides[i] - window.low[i];
      product *= std::min(from + window.kernel[i], image[i] + counted.high[i]) -
                 std::max(from, -counted.low[i]);
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
  ArrayRef<int64_t> image = Converter::shapeOf(x).slice(1, 2);
  Window counted = *window;
  if (!c.integer("count_include_pad", 0))
    counted.low = counted.high = {0, 0};
  addCeiling(c, *window, image);
  Value y = c.make<train::AvgPoolOp>(x, poolAttributes(c, *window));
  if (!y)
    return;
  // ampc's mean counts all padding; what should not count is divided out.
  int64_t whole = window->kernel[0] * window->kernel[1];
  Literal counts = countsOf(*window, counted, image, Converter::shapeOf(y).slice(1, 2), c.type(0));
  Literal factors = counts;
  bool areWhole = true;
  for (int64_t i = 0; i < counts.count(); ++i) {
    areWhole &= counts.integer(i) == whole;
    factors.set(i, double(whole) / counts.real(i));
  }
  give(c, *window, 0, areWhole ? y : c.mul(y, c.constant(factors)));
}

static void convertGlobalPool(Converter &c, StringRef name) {
  Value x = c.image(0);
  if (!x)
    return;
  c.setImage(0, c.reduce(name, x, llvm::to_vector(llvm::seq<int64_t>(1, c.rank(0) - 1)), true));
}

// ---- Resizing ----

namespace {
/// How a dimension changes.
struct Scaling {
  int64_t from, to;
  double scale;
  std::string coordinates, mode, nearest;
  double cubic;

  /// Where element `at` of the result lies in the operand.
  double place(int64_t at) const {
    if (coordinates == "asymmetric")
      return at / scale;
    if (coordinates == "align_corners")
      return to == 1 ? 0 : double(at) * (from - 1) / (to - 1);
    if (coordinates == "pytorch_half_pixel" && to == 1)
      return 0;
    if (coordinates == "half_pixel_symmetric") {
      double adjustment = to / (scale * from), centre = from / 2.0;
      return centre * (1 - adjustment) + (at + 0.5) / scale - 0.5;
    }
    return (at + 0.5) / scale - 0.5;
  }
  int64_t nearestTo(double place) const {
    double whole = nearest == "floor"               ? std::floor(place)
                   : nearest == "ceil"              ? std::ceil(place)
                   : nearest == "round_prefer_ceil" ? std::floor(place + 0.5)
                                                    : std::ceil(place - 0.5);
    return std::clamp<int64_t>(int64_t(whole), 0, from - 1);
  }
  Dims indices() const {
    Dims result;
    for (int64_t at = 0; at < to; ++at)
      result.push_back(nearestTo(place(at)));
    return result;
  }
  /// [to, from]: the share of every element. Beyond the ends lies the last one.
  Literal matrix(onnx::Type type) const;
};
} // namespace

/// Keys' kernel (1981) at a distance.
static double cubicAt(double distance, double a) {
  double x = std::fabs(distance);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

Literal Scaling::matrix(onnx::Type type) const {
  std::vector<double> shares(to * from);
  for (int64_t at = 0; at < to; ++at) {
    double where = place(at), below = std::floor(where);
    int64_t reach = mode == "cubic" ? 2 : 1;
    for (int64_t i = 1 - reach; i <= reach; ++i) {
      double distance = where - (below + i);
      double share = mode == "cubic" ? cubicAt(distance, cubic) : 1 - std::fabs(distance);
      shares[at * from + std::clamp<int64_t>(int64_t(below) + i, 0, from - 1)] += share;
    }
  }
  Literal result(type, {to, from});
  for (int64_t i = 0; i < to * from; ++i)
    result.set(i, shares[i]);
  return result;
}

/// Dimension `axis` of an image in (N, H, W, C).
static Value resize(Converter &c, Value x, int64_t axis, const Scaling &scaling) {
  if (!x)
    return {};
  Dims dims(Converter::shapeOf(x));
  if (scaling.mode == "nearest") {
    Dims index = scaling.indices();
    int64_t times = scaling.to / scaling.from;
    bool repeats = scaling.to % scaling.from == 0;
    for (int64_t i = 0; repeats && i < scaling.to; ++i)
      repeats = index[i] == i / times;
    if (!repeats)
      return c.take(x, axis, index);
    Dims apart = dims;
    apart.insert(apart.begin() + axis + 1, 1);
    Dims wide = apart;
    wide[axis + 1] = times;
    dims[axis] = scaling.to;
    return c.reshape(c.broadcastTo(c.reshape(x, apart), wide), dims);
  }
  if (scaling.to * scaling.from > mostElements)
    return c.fail("expected at most " + Twine(mostElements) + " shares of elements");
  // A product with the matrix of shares; the dimensions behind are its columns.
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < axis; ++i)
    outer *= dims[i];
  for (size_t i = axis + 1; i < dims.size(); ++i)
    inner *= dims[i];
  Value y = c.make<train::MatmulOp>(
      {c.constant(scaling.matrix(c.type(0))), c.reshape(x, {outer, scaling.from, inner})});
  dims[axis] = scaling.to;
  return c.reshape(y, dims);
}

/// Scales or sizes, of all dimensions.
static bool readScalings(Converter &c, SmallVectorImpl<Scaling> &scalings) {
  unsigned scalesAt = c.opset < 11 || c.node.op == "Upsample" ? 1 : 2;
  const Literal *scales = c.setting(scalesAt), *sizes = c.setting(3);
  auto attribute = c.node.find("scales"); // Upsample before opset 9
  int64_t rank = c.rank(0);
  bool hasSizes = c.has(3) && sizes && sizes->count() == rank;
  bool hasScales = scales && scales->count() == rank;
  bool hasOld = attribute && int64_t(attribute->reals.size()) == rank;
  if ((!hasSizes && !hasScales && !hasOld) || c.node.find("axes")) {
    c.fail("expected known scales or sizes of all dimensions");
    return false;
  }
  bool isOld = c.opset < 11 || c.node.op == "Upsample";
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = c.dims(0)[i];
    double scale = hasSizes    ? double(sizes->integer(i)) / from
                   : hasScales ? scales->real(i)
                               : attribute->reals[i];
    double to = hasSizes ? double(sizes->integer(i)) : std::floor(from * scale);
    if (!(to >= 1 && to <= double(1 << 24))) {
      c.fail("expected sizes from 1 on");
      return false;
    }
    scalings.push_back(
        {from, int64_t(to), scale,
         isOld ? "asymmetric" : c.text("coordinate_transformation_mode", "half_pixel"),
         c.text("mode", "nearest"), isOld ? "floor" : c.text("nearest_mode", "round_prefer_floor"),
         c.real("cubic_coeff_a", -0.75)});
  }
  return true;
}

static void convertResize(Converter &c) {
  SmallVector<Scaling> scalings;
  if (!readScalings(c, scalings))
    return;
  Scaling &first = scalings.front();
  if (first.coordinates == "tf_crop_and_resize" || c.integer("exclude_outside", 0) ||
      c.integer("antialias", 0)) {
    c.fail("expected a resize without cropping, exclude_outside and antialias");
    return;
  }
  bool isImage = c.rank(0) > 2;
  Value x = isImage ? c.image(0) : c.in(0);
  Dims order = isImage ? toChannelsLast(c.rank(0)) : llvm::to_vector(llvm::seq<int64_t>(c.rank(0)));
  for (auto [axis, from] : llvm::enumerate(order))
    if (scalings[from].to != scalings[from].from)
      x = resize(c, x, axis, scalings[from]);
  if (isImage)
    c.setImage(0, x);
  else
    c.set(0, x);
}

static const Entry entries[] = {
    {"AveragePool", convertAveragePool},
    {"Conv", convertConv},
    {"ConvTranspose", convertConvTranspose},
    {"GlobalAveragePool", [](Converter &c) { convertGlobalPool(c, "train.reduce_mean"); }},
    {"GlobalMaxPool", [](Converter &c) { convertGlobalPool(c, "train.reduce_max"); }},
    {"MaxPool", convertMaxPool},
    {"Resize", convertResize},
    {"Upsample", convertResize},
};

ArrayRef<Entry> ampc::onnx::imageEntries() { return entries; }
