// Convolutions and resizing of images [N, ..., C] of one to three dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/CropResize.h"
#include "lib/Import/ONNX/Window.h"
#include "mlir-dialects/Train/Ops/Windows.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

SmallVector<NamedAttribute> ampc::onnx::windowAttributes(Converter &c, const Window &window) {
  Dims padding;
  for (auto [before, behind] : llvm::zip(window.low, window.high))
    padding.append({before, behind});
  SmallVector<NamedAttribute> attributes = {c.attr("strides", window.strides),
                                            c.attr("padding", padding)};
  if (llvm::any_of(window.dilations, [](int64_t step) { return step != 1; }))
    attributes.push_back(c.attr("dilations", window.dilations));
  return attributes;
}

std::optional<Window> ampc::onnx::windowOf(Converter &c, ArrayRef<int64_t> kernel) {
  Window window;
  int64_t rank = c.rank(0) - 2;
  if (rank < 1 || rank > 3 || int64_t(kernel.size()) != rank) {
    c.fail("expected images of one to three dimensions, but got " + Twine(rank));
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
  return window;
}

// ---- Convolutions ----

static std::optional<Window> filterWindow(Converter &c) {
  return windowOf(c, c.dims(1).drop_front(std::min<size_t>(2, c.dims(1).size())));
}

static Value filterOf(Converter &c) {
  Value filter = c.in(1);
  if (filter && c.rank(1) != c.rank(0))
    return c.fail("expected a filter of as many dimensions as the image");
  return filter ? c.transpose(filter, toChannelsLast(c.rank(1))) : Value();
}

static SmallVector<NamedAttribute> attributesOf(Converter &c, const Window &window) {
  SmallVector<NamedAttribute> attributes = windowAttributes(c, window);
  attributes.push_back(c.attr("groups", c.integer("group", 1)));
  return attributes;
}

static void give(Converter &c, Value y) { c.setImage(0, c.has(2) ? c.add(y, c.in(2)) : y); }

static void convertConv(Converter &c) {
  auto window = filterWindow(c);
  if (!window)
    return;
  static constexpr StringLiteral names[] = {"train.conv1d", "train.conv2d", "train.conv3d"};
  Value operands[] = {c.image(0), filterOf(c)};
  Operation *made = c.op(names[window->kernel.size() - 1], operands, attributesOf(c, *window));
  give(c, made ? made->getResult(0) : Value());
}

/// Converts a transposed convolution: the gradient with respect to a convolution's image. The
/// filter's output channels are this node's input channels.
static void convertConvTranspose(Converter &c) {
  auto window = filterWindow(c);
  if (!window)
    return;
  Value x = c.image(0), filter = filterOf(c);
  if (!x || !filter)
    return;
  size_t rank = window->kernel.size();
  Dims extra = c.ints("output_padding").value_or(Dims(rank, 0));
  auto given = c.ints("output_shape");
  if (extra.size() != rank || (given && given->size() != rank)) {
    c.fail("expected a number per dimension of the image");
    return;
  }
  std::string automatic = c.text("auto_pad", "NOTSET");
  for (size_t i = 0; i < rank; ++i) {
    int64_t from = Converter::shapeOf(x)[1 + i];
    int64_t whole = (from - 1) * window->strides[i] + window->reach(i);
    if (!given && !StringRef(automatic).starts_with("SAME"))
      continue;
    int64_t size = given ? (*given)[i] : from * window->strides[i];
    int64_t pad = std::max<int64_t>(whole + extra[i] - size, 0);
    window->low[i] = automatic == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
    window->high[i] = pad - window->low[i];
    extra[i] = size + pad - whole;
    if (size < 1 || extra[i] < 0) {
      c.fail("expected a result with elements");
      return;
    }
  }
  auto attributes = attributesOf(c, *window);
  if (llvm::any_of(extra, [](int64_t more) { return more != 0; }))
    attributes.push_back(c.attr("output_padding", extra));
  give(c, c.make<train::ConvTransposeOp>({x, filter}, attributes));
}

// ---- Resizing ----

/// Reads the size or the scale of every dimension in `axes`; a size of 0 stands for none.
static bool readSizes(Converter &c, SmallVectorImpl<double> &scales,
                      SmallVectorImpl<double> &sizes) {
  unsigned scalesAt = c.opset < 11 || c.node.op == "Upsample" ? 1 : 2;
  const Literal *givenScales = c.setting(scalesAt), *givenSizes = c.setting(3);
  auto attribute = c.node.find("scales"); // Upsample before opset 9
  int64_t rank = c.rank(0);
  Dims axes = c.ints("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(rank)));
  int64_t count = axes.size();
  bool hasSizes = c.has(3) && givenSizes && givenSizes->count() == count;
  bool hasScales = givenScales && givenScales->count() == count;
  bool hasOld = attribute && int64_t(attribute->reals.size()) == count;
  if (!hasSizes && !hasScales && !hasOld) {
    c.fail("expected known scales or sizes of all dimensions");
    return false;
  }
  scales.assign(rank, 1);
  sizes.assign(rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = c.axis(axes[i], rank);
    if (axis < 0)
      return false;
    if (hasSizes)
      sizes[axis] = double(givenSizes->integer(i));
    else
      scales[axis] = hasScales ? givenScales->real(i) : attribute->reals[i];
  }
  // With an aspect ratio policy all axes have one scale, the smallest ("not_larger") or the largest
  // ("not_smaller") of the requested scales.
  std::string policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (!hasSizes || policy == "stretch")
    return true;
  double common = 0;
  for (int64_t number : axes) {
    int64_t axis = c.axis(number, rank);
    double scale = sizes[axis] / c.dims(0)[axis];
    bool isBetter = policy == "not_larger" ? scale < common : scale > common;
    common = common == 0 || isBetter ? scale : common;
  }
  for (int64_t number : axes) {
    int64_t axis = c.axis(number, rank);
    scales[axis] = common;
    sizes[axis] = std::floor(common * c.dims(0)[axis] + 0.5);
  }
  return true;
}

/// Reads the sizes of the result and the scales.
static bool readResult(Converter &c, Dims &to, SmallVectorImpl<double> &scales) {
  SmallVector<double> sizes;
  if (!readSizes(c, scales, sizes))
    return false;
  bool keeps = c.text("keep_aspect_ratio_policy", "stretch") != "stretch";
  for (auto [from, size, scale] : llvm::zip(c.dims(0), sizes, scales)) {
    double whole = size != 0 ? size : std::floor(from * scale);
    scale = size != 0 && !keeps ? size / from : scale;
    if (!(whole >= 1 && whole <= double(1 << 24) && scale > 0)) {
      c.fail("expected sizes from 1 on");
      return false;
    }
    to.push_back(int64_t(whole));
  }
  return true;
}

namespace {
/// Parameters of a resize node.
struct Resizing {
  train::Interpolation how;
  train::ResizeCoordinates coordinates = train::ResizeCoordinates::half_pixel;
  bool crops = false;
};
} // namespace

/// Parameters of the node; nothing, with a fault recorded, for unsupported modes.
static std::optional<Resizing> resizing(Converter &c) {
  bool isOld = c.opset < 11 || c.node.op == "Upsample";
  std::string mode = c.text("mode", "nearest"),
              coordinates =
                  isOld ? "asymmetric" : c.text("coordinate_transformation_mode", "half_pixel"),
              rounding = isOld ? "floor" : c.text("nearest_mode", "round_prefer_floor");
  auto how = train::symbolizeResizeMode(mode);
  auto where = train::symbolizeResizeCoordinates(coordinates);
  auto nearest = train::symbolizeResizeRounding(rounding);
  bool crops = coordinates == "tf_crop_and_resize";
  if (!how || (!where && !crops) || !nearest) {
    c.fail("expected modes of resizing, but got " + Twine(mode) + ", " + coordinates + " and " +
           rounding);
    return std::nullopt;
  }
  return Resizing{{*how, *nearest, c.real("cubic_coeff_a", -0.75),
                   c.integer("exclude_outside", 0) != 0, c.integer("antialias", 0) != 0},
                  where.value_or(train::ResizeCoordinates::half_pixel),
                  crops};
}

static SmallVector<NamedAttribute> attributesOf(Converter &c, const Resizing &resizing) {
  MLIRContext *context = c.b.getContext();
  const train::Interpolation &how = resizing.how;
  SmallVector<NamedAttribute> attributes = {
      c.b.getNamedAttr("mode", train::ResizeModeAttr::get(context, how.mode)),
      c.b.getNamedAttr("coordinates",
                       train::ResizeCoordinatesAttr::get(context, resizing.coordinates)),
      c.b.getNamedAttr("rounding", train::ResizeRoundingAttr::get(context, how.rounding)),
      c.attr("coefficient", how.coefficient)};
  if (how.excludesOutside)
    attributes.push_back(c.flag("exclude_outside"));
  if (how.antialiases)
    attributes.push_back(c.flag("antialias"));
  return attributes;
}

static void convertResize(Converter &c) {
  Dims to, sizes;
  SmallVector<double> scales, factors;
  auto how = resizing(c);
  if (!how || !readResult(c, to, scales))
    return;
  bool isImage = c.rank(0) > 2;
  Value x = isImage ? c.image(0) : c.in(0), y;
  Dims order = isImage ? toChannelsLast(c.rank(0)) : llvm::to_vector(llvm::seq<int64_t>(c.rank(0)));
  if (how->crops) {
    y = cropAndResize(c, x, to, order, how->how);
  } else {
    for (int64_t from : order) {
      sizes.push_back(to[from]);
      factors.push_back(scales[from]);
    }
    auto attributes = attributesOf(c, *how);
    attributes.push_back(c.attr("sizes", sizes));
    attributes.push_back(c.b.getNamedAttr("scales", c.b.getDenseF64ArrayAttr(factors)));
    y = c.make<train::ResizeOp>(x, attributes);
  }
  if (isImage)
    c.setImage(0, y);
  else
    c.set(0, y);
}

static const Entry entries[] = {
    {"Conv", convertConv},
    {"ConvTranspose", convertConvTranspose},
    {"Resize", convertResize},
    {"Upsample", convertResize},
};

ArrayRef<Entry> ampc::onnx::imageEntries() { return entries; }
