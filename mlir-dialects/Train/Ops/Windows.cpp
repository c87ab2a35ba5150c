// Convolutions of one and three dimensions and transposed convolutions: types and decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Windows.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

#include "mlir-dialects/Train/WindowsEnums.cpp.inc"

namespace {
/// Window parameters of a convolution or transposed convolution.
struct Windows {
  /// While a type is inferred from text, there may be no groups yet.
  template <typename OpOrAdaptor>
  Windows(OpOrAdaptor op, int64_t rank)
      : strides(op.getStrides()), padding(op.getPadding()),
        dilations(op.getDilations().value_or(ArrayRef<int64_t>())),
        groups(op.getGroupsAttr() ? int64_t(op.getGroups()) : 1) {
    if (!op.getDilations())
      dilations.assign(rank, 1);
  }
  LogicalResult verify(std::optional<Location> loc, int64_t rank, RankedTensorType x,
                       RankedTensorType filter) const;

  SmallVector<int64_t> strides, padding, dilations;
  int64_t groups;
};
} // namespace

LogicalResult Windows::verify(std::optional<Location> loc, int64_t rank, RankedTensorType x,
                              RankedTensorType filter) const {
  if (x.getRank() != rank + 2 || filter.getRank() != rank + 2 ||
      x.getElementType() != filter.getElementType())
    return emitOptionalError(loc, "expected an image (N, ..., C) and a filter (O, ..., I) of ",
                             rank, " dimensions in between, but got ", x, " and ", filter);
  if (!areWindowNumbers(strides, rank, 1) || !areWindowNumbers(dilations, rank, 1) ||
      !areWindowNumbers(padding, 2 * rank, 0))
    return emitOptionalError(loc, "expected ", rank, " strides, ", rank, " dilations and ",
                             2 * rank, " paddings, each less than 2^31, but got [",
                             ArrayRef(strides), "], [", ArrayRef(dilations), "] and [",
                             ArrayRef(padding), "]");
  if (groups < 1 || filter.getDimSize(0) % groups)
    return emitOptionalError(loc, "expected groups that divide the outputs of ", filter,
                             ", but got ", groups);
  return success();
}

template <typename Adaptor>
static LogicalResult inferConvolution(std::optional<Location> loc, int64_t rank, Adaptor a,
                                      SmallVectorImpl<Type> &types) {
  auto x = tensorOf(a.getX().getType()), filter = tensorOf(a.getFilter().getType());
  Windows windows(a, rank);
  if (failed(windows.verify(loc, rank, x, filter)))
    return failure();
  auto channels = productOf(filter.getShape().back(), windows.groups);
  if (!channels || *channels != x.getShape().back())
    return emitOptionalError(loc, "expected ", windows.groups,
                             " groups that divide the channels of ", x, " and the outputs of ",
                             filter);
  SmallVector<int64_t> shape(x.getShape());
  shape.back() = filter.getDimSize(0);
  for (int64_t i = 0; i < rank; ++i) {
    auto count = windowsAlong(shape[1 + i], ArrayRef(windows.padding).slice(2 * i, 2),
                              filter.getDimSize(1 + i), windows.strides[i], windows.dilations[i]);
    if (!count)
      return emitOptionalError(loc, "expected a filter that fits into the padded image, but got ",
                               filter, " and ", x);
    shape[1 + i] = *count;
  }
  types.push_back(x.clone(shape));
  return success();
}

// ---- As images of two dimensions ----

namespace {
/// Convolution of signals [N, L, C], images or volumes as a convolution of images. A signal has
/// height 1. If a volume's filter is 1 wide and high, planes are rows; else every output depth is
/// an image whose channels are the channels of all depths in its window.
class Planar {
public:
  Planar(RankedTensorType image, RankedTensorType filter, RankedTensorType out,
         const Windows &windows);
  Value convolve(GradBuilder &b, Value x, Value filter);
  /// Adjoint of `convolve` with respect to the image.
  Value transposed(GradBuilder &b, Value g, Value filter);

private:
  bool seesDepths() const { return isVolume && !isColumn; }
  int64_t depths() const { return filter.getDimSize(1); }
  RankedTensorType imageType(Type element) const;
  RankedTensorType outType(Type element) const;
  Value filterOf(GradBuilder &b, Value w) const;
  Value gatherDepths(GradBuilder &b, Value x) const;
  Value addDepths(GradBuilder &b, Value planes) const;

  const RankedTensorType image, filter, out;
  const Windows &windows;
  const bool isVolume, isColumn;
  SmallVector<int64_t> strides, padding, dilations;
};
} // namespace

static bool isOneWideAndHigh(RankedTensorType filter, const Windows &windows) {
  auto all = [](ArrayRef<int64_t> numbers, int64_t number) {
    return llvm::all_of(numbers, [&](int64_t n) { return n == number; });
  };
  return filter.getRank() == 5 && all(filter.getShape().slice(2, 2), 1) &&
         all(ArrayRef(windows.strides).drop_front(), 1) &&
         all(ArrayRef(windows.padding).drop_front(2), 0);
}

Planar::Planar(RankedTensorType image, RankedTensorType filter, RankedTensorType out,
               const Windows &windows)
    : image(image), filter(filter), out(out), windows(windows), isVolume(filter.getRank() == 5),
      isColumn(isOneWideAndHigh(filter, windows)), strides(windows.strides),
      padding(windows.padding), dilations(windows.dilations) {
  if (filter.getRank() == 3) {
    strides.insert(strides.begin(), 1);
    dilations.insert(dilations.begin(), 1);
    padding.insert(padding.begin(), 2, 0);
  } else if (isColumn) {
    strides.pop_back();
    dilations.pop_back();
    padding.pop_back_n(2);
  } else if (isVolume) {
    strides.erase(strides.begin());
    dilations.erase(dilations.begin());
    padding.erase(padding.begin(), padding.begin() + 2);
  }
}

/// (N, L, C) with height 1; of volumes (N, D, H W, C).
static SmallVector<int64_t> planarShape(ArrayRef<int64_t> shape) {
  if (shape.size() == 3)
    return {shape[0], 1, shape[1], shape[2]};
  if (shape.size() == 5)
    return {shape[0], shape[1], shape[2] * shape[3], shape[4]};
  return llvm::to_vector(shape);
}

RankedTensorType Planar::imageType(Type element) const {
  ArrayRef<int64_t> from = image.getShape();
  if (!seesDepths())
    return RankedTensorType::get(planarShape(from), element);
  return RankedTensorType::get({from[0] * out.getDimSize(1), from[2], from[3], depths() * from[4]},
                               element);
}

RankedTensorType Planar::outType(Type element) const {
  ArrayRef<int64_t> to = out.getShape();
  if (!seesDepths())
    return RankedTensorType::get(planarShape(to), element);
  return RankedTensorType::get({to[0] * to[1], to[2], to[3], to[4]}, element);
}

// Depths are channels of their group: (O, KD, KH, KW, I) is (O, KH, KW, KD I).
Value Planar::filterOf(GradBuilder &b, Value w) const {
  if (!seesDepths())
    return b.reshape(w, filter.clone(planarShape(filter.getShape())));
  ArrayRef<int64_t> shape = filter.getShape();
  return b.reshape(b.transpose(w, {0, 2, 3, 1, 4}),
                   filter.clone({shape[0], shape[2], shape[3], shape[1] * shape[4]}));
}

Value Planar::gatherDepths(GradBuilder &b, Value x) const {
  SmallVector<int64_t> low(5, 0), high(low), none(low), from(low), strides(5, 1),
      sizes(image.getShape());
  low[1] = windows.padding[0];
  high[1] = windows.padding[1];
  Value padded = low[1] || high[1] ? b.op<PadOp>(x, APFloat(0.0), low, high, none) : x;
  strides[1] = windows.strides[0];
  sizes[1] = out.getDimSize(1);
  SmallVector<int64_t> grouped = {sizes[0] * sizes[1], sizes[2], sizes[3], windows.groups,
                                  filter.getShape().back()};
  SmallVector<Value> parts;
  for (int64_t depth = 0; depth < depths(); ++depth) {
    from[1] = depth * windows.dilations[0];
    parts.push_back(b.reshape(b.op<SliceOp>(padded, from, sizes, strides), image.clone(grouped)));
  }
  Value all = parts.size() == 1 ? parts[0] : b.op<ConcatOp>(ValueRange(parts), 4);
  return b.reshape(all, imageType(image.getElementType()));
}

/// Adjoint of `gatherDepths`: every depth sums the cotangents of all windows that contain the
/// depth.
Value Planar::addDepths(GradBuilder &b, Value planes) const {
  ArrayRef<int64_t> to = out.getShape(), whole = image.getShape();
  int64_t inner = filter.getShape().back();
  auto type = tensorOf(planes);
  int64_t stride = windows.strides[0], padded = whole[1] + windows.padding[0] + windows.padding[1];
  Value grouped = b.reshape(
      planes, type.clone({to[0] * to[1], whole[2], whole[3], windows.groups, depths() * inner}));
  SmallVector<int64_t> from(5, 0), ones(5, 1), low(5, 0), high(5, 0), between(5, 0),
      sizes(tensorOf(grouped).getShape());
  sizes[4] = inner;
  between[1] = stride - 1;
  Value sum;
  for (int64_t depth = 0; depth < depths(); ++depth) {
    from[4] = depth * inner;
    Value part = b.reshape(b.op<SliceOp>(grouped, from, sizes, ones),
                           type.clone({to[0], to[1], whole[2], whole[3], whole[4]}));
    low[1] = depth * windows.dilations[0];
    high[1] = padded - low[1] - (to[1] - 1) * stride - 1;
    part = b.op<PadOp>(part, APFloat(0.0), low, high, between);
    if (!sum) {
      sum = part;
      continue;
    }
    sum = b.add(sum, part);
    sum.getDefiningOp()->setAttr("train.fan_in", b.builder.getUnitAttr());
  }
  SmallVector<int64_t> first(5, 0);
  first[1] = windows.padding[0];
  return b.op<SliceOp>(sum, first, whole, ones);
}

Value Planar::convolve(GradBuilder &b, Value x, Value w) {
  Type element = image.getElementType(), wide = accumulatorOf(element);
  Value planes = seesDepths() ? gatherDepths(b, x) : b.reshape(x, imageType(element));
  Value y = b.op<Conv2dOp>(outType(wide), planes, filterOf(b, w), strides, padding, dilations,
                           windows.groups);
  return b.reshape(b.castTo(y, element), out);
}

Value Planar::transposed(GradBuilder &b, Value g, Value w) {
  Type element = image.getElementType(), wide = accumulatorOf(element);
  Value planes =
      b.op<Conv2dGradInputOp>(imageType(wide), b.reshape(g, outType(element)), filterOf(b, w),
                              strides, padding, dilations, windows.groups);
  Value y = seesDepths() ? addDepths(b, planes) : b.reshape(planes, image);
  return b.castTo(y, element);
}

// ---- Convolutions ----

template <typename Op> static SmallVector<Value> decomposeConvolution(Op op, GradBuilder &b) {
  auto x = op.getX().getType(), filter = op.getFilter().getType();
  Windows windows(op, filter.getRank() - 2);
  Planar planar(x, filter, tensorOf(op.getResult()), windows);
  return {planar.convolve(b, op.getX(), op.getFilter())};
}

LogicalResult Conv1dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  return inferConvolution(loc, 1, a, types);
}
bool Conv1dOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getFilter()); }
std::optional<Fans> Conv1dOp::getFans(unsigned operand) {
  return fansOfFilter(operand, getFilter().getType());
}
SmallVector<Value> Conv1dOp::decompose(GradBuilder &b) { return decomposeConvolution(*this, b); }

LogicalResult Conv3dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  return inferConvolution(loc, 3, a, types);
}
bool Conv3dOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getFilter()); }
std::optional<Fans> Conv3dOp::getFans(unsigned operand) {
  return fansOfFilter(operand, getFilter().getType());
}
SmallVector<Value> Conv3dOp::decompose(GradBuilder &b) { return decomposeConvolution(*this, b); }

/// How much more the result has than the windows need.
static SmallVector<int64_t> outputPaddingOf(std::optional<ArrayRef<int64_t>> given, int64_t rank) {
  return given ? llvm::to_vector(*given) : SmallVector<int64_t>(rank, 0);
}

LogicalResult ConvTransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                Adaptor a, SmallVectorImpl<Type> &types) {
  auto x = tensorOf(a.getX().getType()), filter = tensorOf(a.getFilter().getType());
  int64_t rank = x.getRank() - 2;
  if (rank < 1 || rank > 3)
    return emitOptionalError(loc,
                             "expected an image (N, ..., C) of one to three dimensions, but "
                             "got ",
                             x);
  Windows windows(a, rank);
  if (failed(windows.verify(loc, rank, x, filter)))
    return failure();
  auto channels = productOf(filter.getShape().back(), windows.groups);
  if (!channels || filter.getDimSize(0) != x.getShape().back())
    return emitOptionalError(loc, "expected a filter with an output per channel of ", x,
                             ", but got ", filter);
  SmallVector<int64_t> shape(x.getShape()), more = outputPaddingOf(a.getOutputPadding(), rank);
  if (!areWindowNumbers(more, rank, 0))
    return emitOptionalError(loc, "expected ", rank, " numbers of output padding, but got [",
                             ArrayRef(more), "]");
  shape.back() = *channels;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t low = windows.padding[2 * i], high = windows.padding[2 * i + 1];
    auto steps = productOf(x.getDimSize(1 + i) - 1, windows.strides[i]),
         way = productOf(filter.getDimSize(1 + i) - 1, windows.dilations[i]);
    auto size = steps && way ? sumOf({*steps, *way, 1 - low - high, more[i]}) : std::nullopt;
    if (!size || *size < 1 || more[i] >= windows.strides[i] + high)
      return emitOptionalError(loc,
                               "expected a result with elements, and less output padding than "
                               "the stride, but got ",
                               size.value_or(std::numeric_limits<int64_t>::max()),
                               " elements with output padding ", more[i], " in dimension ", 1 + i);
    shape[1 + i] = *size;
  }
  types.push_back(x.clone(shape));
  return success();
}

bool ConvTransposeOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getFilter()); }

// Output padding reduces the padding at the end of the adjoint convolution.
std::optional<Fans> ConvTransposeOp::getFans(unsigned operand) {
  return fansOfFilter(operand, getFilter().getType());
}
SmallVector<Value> ConvTransposeOp::decompose(GradBuilder &b) {
  auto x = getX().getType(), filter = getFilter().getType();
  int64_t rank = filter.getRank() - 2;
  Windows windows(*this, rank);
  for (auto [i, more] : llvm::enumerate(outputPaddingOf(getOutputPadding(), rank)))
    windows.padding[2 * i + 1] = std::max<int64_t>(windows.padding[2 * i + 1] - more, 0);
  Planar planar(tensorOf(getResult()), filter, x, windows);
  return {planar.transposed(b, getX(), getFilter())};
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/WindowsOps.cpp.inc"

void ampc::registerWindowOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<Conv1dOp, Conv3dOp, ConvTransposeOp, PoolOp, AdaptivePoolOp>(*dialect);
  });
}
