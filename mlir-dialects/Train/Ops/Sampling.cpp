// Padding, strided slices and interpolation: types and decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Interpolation.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

#include "mlir-dialects/Train/SamplingEnums.cpp.inc"

/// Limit on elements of generated constants: indices and interpolation weights.
static constexpr int64_t mostConstants = 1 << 24;

// ---- Padding ----

LogicalResult PadModeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  auto type = tensorOf(a.getX().getType());
  ArrayRef<int64_t> low = a.getLow(), high = a.getHigh();
  if (!type || int64_t(low.size()) != type.getRank() || low.size() != high.size())
    return emitOptionalError(loc, "expected two numbers per dimension of ", a.getX().getType(),
                             ", but got [", low, "] and [", high, "]");
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    auto sum = sumOf({low[i], size, high[i]});
    int64_t most = a.getMode() == PadMode::constant ? INT64_MAX : mostConstants;
    // Negative padding crops, before positive padding is added.
    auto cut = sumOf({std::min<int64_t>(low[i], 0), size, std::min<int64_t>(high[i], 0)});
    if (!sum || !cut || *cut < 1 || *sum > most)
      return emitOptionalError(loc, "expected a dimension with elements, of at most ", most,
                               ", but got ", low[i], " and ", high[i], " around ", size);
    shape.push_back(*sum);
  }
  types.push_back(type.clone(shape));
  return success();
}

bool PadModeOp::keepsLeadingDimension(IsBatched) { return !getLow()[0] && !getHigh()[0]; }

/// Source index of a padded position, for padding before or behind: size 3, reflect: -1 -> 1.
static int64_t insideOf(PadMode mode, int64_t at, int64_t size) {
  if (mode == PadMode::edge)
    return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == PadMode::wrap)
    return (at % size + size) % size;
  int64_t period = std::max<int64_t>(2 * (size - 1), 1);
  at = (at % period + period) % period;
  return std::min(at, period - at);
}

static Value padConstant(PadModeOp op, GradBuilder &b) {
  SmallVector<int64_t> from, sizes, low, high, none(op.getLow().size(), 0), ones(none.size(), 1);
  for (auto [before, behind, size] :
       llvm::zip(op.getLow(), op.getHigh(), tensorOf(op.getX()).getShape())) {
    from.push_back(std::max<int64_t>(-before, 0));
    sizes.push_back(size - from.back() - std::max<int64_t>(-behind, 0));
    low.push_back(std::max<int64_t>(before, 0));
    high.push_back(std::max<int64_t>(behind, 0));
  }
  Value cut = b.op<SliceOp>(op.getX(), from, sizes, ones);
  return b.op<PadOp>(cut, op.getValue(), low, high, none);
}

SmallVector<Value> PadModeOp::decompose(GradBuilder &b) {
  if (getMode() == PadMode::constant)
    return {padConstant(*this, b)};
  Value x = getX();
  for (auto [dim, low, high] : llvm::enumerate(getLow(), getHigh())) {
    int64_t size = tensorOf(x).getDimSize(dim);
    SmallVector<int32_t> index;
    for (int64_t at = -low; at < size + high; ++at)
      index.push_back(insideOf(getMode(), at, size));
    if (low || high)
      x = takeAlong(b, x, dim, index);
  }
  return {x};
}

// ---- Slices ----

/// Offset of the equivalent slice with positive strides: [4, stride -2, 3 elements] -> 0.
static SmallVector<int64_t> firstOf(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                                    ArrayRef<int64_t> strides) {
  SmallVector<int64_t> first(offsets);
  for (auto [i, stride] : llvm::enumerate(strides))
    if (stride < 0)
      first[i] += (sizes[i] - 1) * stride;
  return first;
}

LogicalResult StridedSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor a, SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  ArrayRef<int64_t> offsets = a.getOffsets(), sizes = a.getSizes(), strides = a.getStrides();
  auto type = tensorOf(x);
  size_t rank = type ? type.getRank() : 0;
  if (!type || !areAll(offsets, rank, 0) || !areAll(sizes, rank, 1) || strides.size() != rank ||
      llvm::is_contained(strides, 0))
    return emitOptionalError(
        loc, "expected an offset, a positive size and a stride other than 0 per dimension of ", x,
        ", but got [", offsets, "], [", sizes, "] and [", strides, "]");
  return inferSlice(loc, type, offsets, sizes, strides, types);
}

bool StridedSliceOp::keepsLeadingDimension(IsBatched) {
  return getOffsets()[0] == 0 && getStrides()[0] == 1 &&
         getSizes()[0] == tensorOf(getX()).getDimSize(0);
}

SmallVector<Value> StridedSliceOp::decompose(GradBuilder &b) {
  SmallVector<int64_t> strides, backwards;
  for (auto [dim, stride] : llvm::enumerate(getStrides())) {
    strides.push_back(getSizes()[dim] > 1 ? std::abs(stride) : 1);
    if (stride < 0 && getSizes()[dim] > 1)
      backwards.push_back(dim);
  }
  Value x =
      b.op<SliceOp>(getX(), firstOf(getOffsets(), getSizes(), getStrides()), getSizes(), strides);
  return {backwards.empty() ? x : b.op<ReverseOp>(x, backwards)};
}

// ---- Resizing ----

LogicalResult ResizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  auto type = tensorOf(a.getX().getType());
  ArrayRef<int64_t> sizes = a.getSizes();
  if (!type || !areAll(sizes, type.getRank(), 1))
    return emitOptionalError(loc, "expected a positive size per dimension of ", a.getX().getType(),
                             ", but got [", sizes, "]");
  bool isNearest = a.getMode() == ResizeMode::nearest;
  if (!isNearest && !isa<FloatType>(type.getElementType()))
    return emitOptionalError(loc, "expected real elements for sums, but got ", type);
  auto scales = a.getScales();
  auto isScale = [](double scale) { return scale > 0 && std::isfinite(scale); };
  if (scales && (scales->size() != sizes.size() || !llvm::all_of(*scales, isScale)))
    return emitOptionalError(loc, "expected a positive scale per dimension of ", type);
  for (auto [dim, from, to] : llvm::enumerate(type.getShape(), sizes)) {
    auto shares = isNearest ? std::optional(to) : productOf(from, to);
    double scale = scales ? (*scales)[dim] : double(to) / double(from);
    if (from == to && scale == 1)
      continue;
    int64_t farthest = isNearest ? std::numeric_limits<int32_t>::max() : mostConstants;
    if (double(to) / scale > double(farthest))
      return emitOptionalError(loc, "expected places of elements up to ", farthest, ", but got ",
                               to, " elements at a scale of ", scale);
    if (!shares || *shares > mostConstants)
      return emitOptionalError(loc, "expected at most ", mostConstants,
                               isNearest ? " elements" : " shares of elements",
                               " along a dimension, but got ", from, " elements for ", to);
  }
  types.push_back(type.clone(sizes));
  return success();
}

bool ResizeOp::keepsLeadingDimension(IsBatched) {
  return getSizes()[0] == tensorOf(getX()).getDimSize(0) &&
         (!getScales() || getScales()->front() == 1);
}

int64_t Interpolation::nearestTo(double place, int64_t count) const {
  double whole = rounding == ResizeRounding::floor               ? std::floor(place)
                 : rounding == ResizeRounding::ceil              ? std::ceil(place)
                 : rounding == ResizeRounding::round_prefer_ceil ? std::floor(place + 0.5)
                                                                 : std::ceil(place - 0.5);
  return std::clamp<int64_t>(int64_t(whole), 0, count - 1);
}

/// Keys' kernel (1981) at a distance.
static double cubicAt(double distance, double a) {
  double x = std::fabs(distance);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// With antialiasing, the kernel widens by the factor of downscaling.
void Interpolation::addShares(double place, MutableArrayRef<double> line) const {
  bool isCubic = mode == ResizeMode::cubic;
  double narrow = antialiases ? std::min(scale, 1.0) : 1, below = std::floor(place), sum = 0;
  int64_t reach = int64_t(std::ceil((isCubic ? 2 : 1) / narrow)), count = line.size();
  for (int64_t i = 1 - reach; i <= reach; ++i) {
    double distance = (place - (below + i)) * narrow;
    double share =
        isCubic ? cubicAt(distance, coefficient) : std::max(1 - std::fabs(distance), 0.0);
    int64_t element = int64_t(below) + i;
    if (excludesOutside && (element < 0 || element >= count))
      continue;
    line[std::clamp<int64_t>(element, 0, count - 1)] += share;
    sum += share;
  }
  if (sum == 0) // all that the kernel reaches is left out
    line[std::clamp<int64_t>(int64_t(below), 0, count - 1)] = sum = 1;
  if (excludesOutside || antialiases)
    for (double &share : line)
      share /= sum;
}

namespace {
/// Interpolation of one dimension of a resize.
class Scaling {
public:
  Scaling(ResizeOp op, int64_t dim);
  bool isNone() const { return from == to && how.scale == 1; }
  SmallVector<int32_t> indices() const;
  /// [to, from]: the share of every element.
  SmallVector<double> matrix() const;

private:
  double place(int64_t at) const;

  const ResizeCoordinates coordinates;
  Interpolation how;

public:
  const int64_t from, to;
};
} // namespace

Scaling::Scaling(ResizeOp op, int64_t dim)
    : coordinates(op.getCoordinates()),
      how{op.getMode(), op.getRounding(), op.getCoefficient().convertToDouble(),
          op.getExcludeOutside(), op.getAntialias()},
      from(tensorOf(op.getX()).getDimSize(dim)), to(op.getSizes()[dim]) {
  how.scale = op.getScales() ? (*op.getScales())[dim] : double(to) / from;
}

/// Coordinate in the operand of element `at` of the result.
double Scaling::place(int64_t at) const {
  double scale = how.scale, halfPixel = (at + 0.5) / scale - 0.5;
  switch (coordinates) {
  case ResizeCoordinates::half_pixel:
    return halfPixel;
  case ResizeCoordinates::asymmetric:
    return at / scale;
  case ResizeCoordinates::align_corners:
    // ONNX does not round the length.
    return at == 0 ? 0 : double(at) * (from - 1) / (scale * from - 1);
  case ResizeCoordinates::pytorch_half_pixel:
    return to == 1 ? 0 : halfPixel;
  case ResizeCoordinates::half_pixel_symmetric:
    return halfPixel + from / 2.0 * (1 - to / (scale * from));
  }
  return halfPixel;
}

SmallVector<int32_t> Scaling::indices() const {
  SmallVector<int32_t> result;
  for (int64_t at = 0; at < to; ++at)
    result.push_back(how.nearestTo(place(at), from));
  return result;
}

SmallVector<double> Scaling::matrix() const {
  SmallVector<double> shares(to * from, 0.0);
  for (int64_t at = 0; at < to; ++at)
    how.addShares(place(at), MutableArrayRef(shares).slice(at * from, from));
  return shares;
}

/// Matrix product with the interpolation weights, [to, from] x [from, inner]; trailing dimensions
/// are the columns.
static Value weighted(GradBuilder &b, Value x, int64_t dim, Scaling &scaling) {
  auto type = tensorOf(x);
  SmallVector<int64_t> shape(type.getShape());
  int64_t outer = 1, inner = 1;
  for (int64_t size : ArrayRef(shape).take_front(dim))
    outer *= size;
  for (int64_t size : ArrayRef(shape).drop_front(dim + 1))
    inner *= size;
  auto matrix = RankedTensorType::get({scaling.to, scaling.from}, type.getElementType());
  auto shares = llvm::map_to_vector(scaling.matrix(), [&](double share) -> Attribute {
    return b.builder.getFloatAttr(type.getElementType(), share);
  });
  Value product =
      b.matmul(b.op<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(matrix, shares))),
               b.reshape(x, type.clone({outer, scaling.from, inner})), false, false);
  shape[dim] = scaling.to;
  return b.reshape(b.castTo(product, type.getElementType()), type.clone(shape));
}

/// Nearest neighbour: every element is repeated for an integer factor, else gathered by an index.
static Value nearest(GradBuilder &b, Value x, int64_t dim, Scaling &scaling) {
  SmallVector<int32_t> index = scaling.indices();
  int64_t times = scaling.to / scaling.from;
  bool repeats = scaling.to % scaling.from == 0;
  for (int64_t i = 0; repeats && i < scaling.to; ++i)
    repeats = index[i] == i / times;
  if (!repeats)
    return takeAlong(b, x, dim, index);
  auto type = tensorOf(x);
  SmallVector<int64_t> apart(type.getShape()), shape(apart);
  apart.insert(apart.begin() + dim + 1, 1);
  SmallVector<int64_t> wide(apart);
  wide[dim + 1] = times;
  shape[dim] = scaling.to;
  Value copies = b.broadcastTo(b.reshape(x, type.clone(apart)), type.clone(wide));
  return b.reshape(copies, type.clone(shape));
}

/// Sums of a 16-bit tensor stay f32 until the last dimension is resized, as in PyTorch: shares of
/// 0.4 and 0.6 in bf16 add up to 1.002, and each dimension would round its sums again.
SmallVector<Value> ResizeOp::decompose(GradBuilder &b) {
  Type element = tensorOf(getX()).getElementType();
  bool adds = getMode() != ResizeMode::nearest;
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Value x = adds && isNarrow ? b.castTo(getX(), b.builder.getF32Type()) : getX();
  for (int64_t dim = 0; dim < tensorOf(x).getRank(); ++dim) {
    Scaling scaling(*this, dim);
    if (!scaling.isNone())
      x = adds ? weighted(b, x, dim, scaling) : nearest(b, x, dim, scaling);
  }
  return {b.castTo(x, element)};
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/SamplingOps.cpp.inc"

void ampc::registerSamplingOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<PadModeOp, StridedSliceOp, ResizeOp>(*dialect);
  });
}
