// Pools of any number of dimensions: types and parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Ops/Windows.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

/// Limit on elements of a constant with window indices.
static constexpr int64_t mostConstants = 1 << 24;
/// Limit on positions in a window of train.max_pool.
static constexpr int64_t mostPlaces = 127;

namespace {
/// Windows along one dimension. Windows that are no strided range of elements, or consist of
/// padding at an end, are gathered into separate ranges first.
struct Axis {
  int64_t size, count, window, stride = 1, low = 0, high = 0;
  /// Element index of every window position, or empty; index `size` is padding. Example: window 2,
  /// stride 1, size 3: {0, 1, 1, 2}.
  SmallVector<int32_t> elements{};
  /// Divisor of the mean per window; if empty, `window`.
  SmallVector<int64_t> counted{};

  bool isWhole() const { return window == 1 && stride == 1 && !low && !high && elements.empty(); }
};
} // namespace

// ---- Types ----

/// Number of windows along dimension i of a `pool`, including partial windows of `ceil`; nullopt
/// without windows.
static std::optional<int64_t> countOf(int64_t size, ArrayRef<int64_t> padding, int64_t window,
                                      int64_t stride, int64_t dilation, bool ceil) {
  auto count = windowsAlong(size, padding, window, stride, dilation);
  if (!count || !ceil)
    return count;
  int64_t rest = (size + padding[0] + padding[1] - (window - 1) * dilation - 1) % stride;
  auto next = productOf(*count, stride);
  return rest && next && *next < size + padding[0] ? *count + 1 : *count;
}

static LogicalResult verifyImage(std::optional<Location> loc, Type type) {
  if (tensorOf(type).getRank() < 3)
    return emitOptionalError(loc, "expected an image (N, ..., C), but got ", type);
  return success();
}

/// Checks window sizes; `elements`: total positions along a dimension, if gathered by index.
static LogicalResult verifyPlaces(std::optional<Location> loc, PoolMode mode, int64_t window,
                                  std::optional<int64_t> elements) {
  if (mode == PoolMode::max && window > mostPlaces)
    return emitOptionalError(loc, "expected windows of at most ", mostPlaces,
                             " elements along a dimension for maxima, but got ", window);
  if (!elements || *elements > mostConstants)
    return emitOptionalError(loc, "expected at most ", mostConstants,
                             " elements in all windows along a dimension");
  return success();
}

LogicalResult PoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                       SmallVectorImpl<Type> &types) {
  if (failed(verifyImage(loc, a.getX().getType())))
    return failure();
  auto x = tensorOf(a.getX().getType());
  int64_t rank = x.getRank() - 2;
  ArrayRef<int64_t> window = a.getWindow(), strides = a.getStrides(), padding = a.getPadding();
  SmallVector<int64_t> ones(rank, 1), shape(x.getShape());
  ArrayRef<int64_t> dilations = a.getDilations().value_or(ones);
  if (!areWindowNumbers(window, rank, 1) || !areWindowNumbers(strides, rank, 1) ||
      !areWindowNumbers(padding, 2 * rank, 0) || !areWindowNumbers(dilations, rank, 1))
    return emitOptionalError(loc, "expected a window of ", rank, ", ", rank, " strides, ", rank,
                             " dilations and ", 2 * rank,
                             " paddings, each less than 2^31, but got [", window, "], [", strides,
                             "], [", dilations, "] and [", padding, "]");
  for (int64_t i = 0; i < rank; ++i) {
    ArrayRef<int64_t> pads = padding.slice(2 * i, 2);
    auto count = countOf(shape[1 + i], pads, window[i], strides[i], dilations[i], a.getCeil());
    if (!count)
      return emitOptionalError(loc, "expected a window that fits into ", x, ", but got [", window,
                               "] with padding [", padding, "]");
    bool isRun = dilations[i] == 1 && pads[0] < window[i] && pads[1] < window[i] &&
                 !a.getExcludePadding() && !a.getCeil();
    if (failed(verifyPlaces(loc, a.getMode(), window[i],
                            isRun ? std::optional(window[i]) : productOf(*count, window[i]))))
      return failure();
    shape[1 + i] = *count;
  }
  types.push_back(x.clone(shape));
  return success();
}
bool PoolOp::keepsLeadingDimension(IsBatched) { return true; }

LogicalResult AdaptivePoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor a, SmallVectorImpl<Type> &types) {
  if (failed(verifyImage(loc, a.getX().getType())))
    return failure();
  auto x = tensorOf(a.getX().getType());
  SmallVector<int64_t> shape(x.getShape());
  if (!areWindowNumbers(a.getSizes(), x.getRank() - 2, 1))
    return emitOptionalError(loc, "expected ", x.getRank() - 2,
                             " sizes, each less than 2^31, but "
                             "got [",
                             a.getSizes(), "]");
  for (auto [i, count] : llvm::enumerate(a.getSizes())) {
    int64_t size = shape[1 + i], window = llvm::divideCeil(size, count) + (size % count ? 1 : 0);
    if (size < 1 ||
        failed(verifyPlaces(loc, a.getMode(), window,
                            size % count ? productOf(window, count) : std::optional(window))))
      return failure();
    shape[1 + i] = count;
  }
  types.push_back(x.clone(shape));
  return success();
}
bool AdaptivePoolOp::keepsLeadingDimension(IsBatched) { return true; }

// ---- Windows ----

static Axis axisOf(PoolOp op, int64_t i) {
  ArrayRef<int64_t> pads = op.getPadding().slice(2 * i, 2);
  int64_t dilation = op.getDilations() ? (*op.getDilations())[i] : 1, stride = op.getStrides()[i];
  Axis axis{tensorOf(op.getX()).getDimSize(1 + i), tensorOf(op.getResult()).getDimSize(1 + i),
            op.getWindow()[i], stride, pads[0]};
  int64_t reach = (axis.count - 1) * stride + (axis.window - 1) * dilation + 1;
  axis.high = std::max<int64_t>(reach - axis.size - axis.low, 0);
  // Counted positions are in [-before, end).
  int64_t before = op.getExcludePadding() ? 0 : pads[0],
          end = axis.size + (op.getExcludePadding() ? 0 : pads[1]);
  auto stepsTo = [&](int64_t place, int64_t at) {
    int64_t way = place - (at * stride - axis.low);
    return std::min(way > 0 ? int64_t(llvm::divideCeil(way, dilation)) : 0, axis.window);
  };
  if (axis.low > before || axis.size + axis.high > end)
    for (int64_t at = 0; at < axis.count; ++at)
      axis.counted.push_back(stepsTo(end, at) - stepsTo(-before, at));
  if (dilation == 1 && axis.low < axis.window && axis.high < axis.window)
    return axis;
  for (int64_t at = 0; at < axis.count; ++at)
    for (int64_t j = 0; j < axis.window; ++j) {
      int64_t place = at * stride - axis.low + j * dilation;
      axis.elements.push_back(place >= 0 && place < axis.size ? place : axis.size);
    }
  axis.stride = axis.window;
  axis.low = axis.high = 0;
  return axis;
}

static Axis axisOf(AdaptivePoolOp op, int64_t i) {
  int64_t size = tensorOf(op.getX()).getDimSize(1 + i), count = op.getSizes()[i];
  Axis axis{size, count, size / count, size / count};
  if (size % count == 0)
    return axis;
  auto firstOf = [&](int64_t at) { return at * size / count; };
  for (int64_t at = 0; at < count; ++at) {
    axis.counted.push_back(int64_t(llvm::divideCeil((at + 1) * size, count)) - firstOf(at));
    axis.window = std::max(axis.window, axis.counted.back());
  }
  axis.stride = axis.window;
  for (auto [at, counted] : llvm::enumerate(axis.counted))
    for (int64_t j = 0; j < axis.window; ++j)
      axis.elements.push_back(j < counted ? firstOf(at) + j : size);
  return axis;
}

// ---- Parts ----

/// Gathers the elements of all windows consecutively; index `size`, behind the last element, is
/// padding.
static Value writeApart(GradBuilder &b, Value x, int64_t dim, Axis &axis, double outside) {
  if (axis.elements.empty())
    return x;
  if (llvm::is_contained(axis.elements, axis.size)) {
    SmallVector<int64_t> none(tensorOf(x).getRank(), 0), high(none);
    high[dim] = 1;
    x = b.op<PadOp>(x, APFloat(outside), none, high, none);
  }
  return takeAlong(b, x, dim, axis.elements);
}

/// Pools one or two neighbouring dimensions; dimensions before are rows, dimensions behind are
/// channels.
static Value poolPlanes(GradBuilder &b, PoolMode mode, Value x, int64_t dim, ArrayRef<Axis> axes) {
  auto type = tensorOf(x);
  ArrayRef<int64_t> shape = type.getShape();
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  SmallVector<int64_t> planes = {product(shape.take_front(dim))}, result(shape), window, strides,
                       padding;
  for (const Axis &axis : axes) {
    planes.push_back(shape[dim + window.size()]);
    result[dim + window.size()] = axis.count;
    window.push_back(axis.window);
    strides.push_back(axis.stride);
    padding.append({axis.low, axis.high});
  }
  if (axes.size() == 1) {
    planes.push_back(1);
    window.push_back(1);
    strides.push_back(1);
    padding.append(2, 0);
  }
  planes.push_back(product(shape.drop_front(dim + axes.size())));
  Value images = b.reshape(x, type.clone(planes));
  Value y = mode == PoolMode::max ? b.op<MaxPoolOp>(images, window, strides, padding)
                                  : b.op<AvgPoolOp>(images, window, strides, padding);
  return b.reshape(y, type.clone(result));
}

/// Rescales means of windows whose divisor is less than `window`.
static Value countOnly(GradBuilder &b, Value x, int64_t dim, const Axis &axis) {
  if (llvm::all_of(axis.counted, [&](int64_t count) { return count == axis.window; }))
    return x;
  auto type = tensorOf(x);
  SmallVector<int64_t> shape(type.getRank() - dim, 1);
  shape[0] = axis.count;
  auto factors = llvm::map_to_vector(axis.counted, [&](int64_t count) -> Attribute {
    return b.builder.getFloatAttr(type.getElementType(),
                                  double(axis.window) / double(std::max<int64_t>(count, 1)));
  });
  return b.mul(
      x, b.op<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type.clone(shape), factors))));
}

/// From the last dimension to the first, so that the first of equal maxima is the row-major first.
static Value poolPairs(GradBuilder &b, PoolMode mode, Value x, ArrayRef<Axis> axes) {
  while (!axes.empty()) {
    ArrayRef<Axis> last = axes.take_back(2);
    bool isTooLarge =
        mode == PoolMode::max && last.front().window * last.back().window > mostPlaces;
    if (isTooLarge || last.front().isWhole() || last.back().isWhole())
      last = axes.take_back(1);
    axes = axes.drop_back(last.size());
    if (last.size() == 2 || !last.front().isWhole())
      x = poolPlanes(b, mode, x, 1 + axes.size(), last);
  }
  return x;
}

template <typename Op> static Value poolAll(Op op, GradBuilder &b) {
  auto type = tensorOf(op.getX());
  PoolMode mode = op.getMode();
  bool isMax = mode == PoolMode::max;
  double outside = isMax ? -std::numeric_limits<double>::infinity() : 0, places = 1;
  Value x = isMax ? op.getX() : b.castTo(op.getX(), accumulatorOf(type.getElementType()));
  SmallVector<Axis> axes;
  for (int64_t i = 0; i < type.getRank() - 2; ++i) {
    axes.push_back(axisOf(op, i));
    x = writeApart(b, x, 1 + i, axes.back(), outside);
    places *= double(axes.back().window);
  }
  x = poolPairs(b, mode, x, axes);
  if (mode == PoolMode::sum)
    x = b.mul(x, b.real(places, x));
  for (auto [i, axis] : llvm::enumerate(axes))
    if (mode == PoolMode::mean)
      x = countOnly(b, x, 1 + i, axis);
  return b.castTo(x, type.getElementType());
}

SmallVector<Value> PoolOp::decompose(GradBuilder &b) { return {poolAll(*this, b)}; }
SmallVector<Value> AdaptivePoolOp::decompose(GradBuilder &b) { return {poolAll(*this, b)}; }
