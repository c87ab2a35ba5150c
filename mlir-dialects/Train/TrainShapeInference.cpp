// Shapes of what slices, joins, pools and losses give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static RankedTensorType tensorOf(Type type) { return dyn_cast<RankedTensorType>(type); }

/// Extents of user models may be any number; none counts for a sum that 64 bits do not hold.
static std::optional<int64_t> sumOf(ArrayRef<int64_t> values) {
  int64_t sum = 0;
  for (int64_t value : values)
    if (llvm::AddOverflow(sum, value, sum))
      return std::nullopt;
  return sum;
}
static std::optional<int64_t> productOf(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::nullopt : std::optional(product);
}

static bool allOf(ArrayRef<int64_t> values, size_t count, int64_t least) {
  return values.size() == count && llvm::all_of(values, [&](int64_t v) { return v >= least; });
}

LogicalResult ampc::inferArgmax(std::optional<Location> loc, Type x, SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || type.getRank() < 1 || type.getShape().back() >= (1 << 24))
    return emitOptionalError(loc, "expected a last dimension of less than 2^24, but got ", x);
  types.push_back(
      RankedTensorType::get(type.getShape().drop_back(), IntegerType::get(x.getContext(), 32)));
  return success();
}

LogicalResult ampc::inferSlice(std::optional<Location> loc, Type x, ArrayRef<int64_t> offsets,
                               ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                               SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  size_t rank = type ? type.getRank() : 0;
  if (!type || !allOf(offsets, rank, 0) || !allOf(sizes, rank, 1) || !allOf(strides, rank, 1))
    return emitOptionalError(
        loc, "expected an offset, a positive size and a positive stride per dimension of ", x,
        ", but got [", offsets, "], [", sizes, "] and [", strides, "]");
  for (size_t i = 0; i < rank; ++i) {
    auto way = productOf(sizes[i] - 1, strides[i]);
    auto last = way ? sumOf({offsets[i], *way}) : std::nullopt;
    if (!last || *last >= type.getDimSize(i))
      return emitOptionalError(loc, "expected a slice inside ", x,
                               ", but its last element in dimension ", i, " is ",
                               last.value_or(std::numeric_limits<int64_t>::max()));
  }
  types.push_back(type.clone(sizes));
  return success();
}

LogicalResult ampc::inferPad(std::optional<Location> loc, Type x, ArrayRef<int64_t> low,
                             ArrayRef<int64_t> high, ArrayRef<int64_t> interior,
                             SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  size_t rank = type ? type.getRank() : 0;
  if (!type || !allOf(low, rank, 0) || !allOf(high, rank, 0) || !allOf(interior, rank, 0))
    return emitOptionalError(loc, "expected three non-negative numbers per dimension of ", x,
                             ", but got [", low, "], [", high, "] and [", interior, "]");
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    auto gaps = productOf(std::max<int64_t>(size - 1, 0), interior[i]);
    auto sum = gaps ? sumOf({low[i], size, *gaps, high[i]}) : std::nullopt;
    if (!sum)
      return emitOptionalError(loc, "expected a size of 64 bits after padding ", x,
                               ", but got more in dimension ", i);
    shape.push_back(*sum);
  }
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult ampc::inferConcat(std::optional<Location> loc, ValueRange parts, int64_t dim,
                                SmallVectorImpl<Type> &types) {
  auto first = parts.empty() ? RankedTensorType() : tensorOf(parts[0].getType());
  if (!first || dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "expected tensors with a dimension ", dim, ", but got ",
                             ValueRange(parts).getTypes());
  SmallVector<int64_t> shape(first.getShape());
  for (Value part : parts.drop_front()) {
    auto type = tensorOf(part.getType());
    SmallVector<int64_t> expected(shape);
    if (type && type.getRank() == first.getRank())
      expected[dim] = type.getDimSize(dim);
    if (!type || type != first.clone(expected))
      return emitOptionalError(loc, "expected tensors that differ only in dimension ", dim,
                               ", but got ", first, " and ", part.getType());
    auto sum = sumOf({shape[dim], type.getDimSize(dim)});
    if (!sum)
      return emitOptionalError(loc, "expected a sum of sizes of 64 bits, but got more");
    shape[dim] = *sum;
  }
  types.push_back(first.clone(shape));
  return success();
}

LogicalResult ampc::inferSplit(std::optional<Location> loc, Type x, ArrayRef<int64_t> sizes,
                               int64_t dim, SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || dim < 0 || dim >= type.getRank())
    return emitOptionalError(loc, "expected a tensor with a dimension ", dim, ", but got ", x);
  if (!allOf(sizes, sizes.size(), 1) || sumOf(sizes) != type.getDimSize(dim))
    return emitOptionalError(loc, "expected positive sizes with sum ", type.getDimSize(dim),
                             ", but got [", sizes, "]");
  for (int64_t size : sizes) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = size;
    types.push_back(type.clone(shape));
  }
  return success();
}

LogicalResult ampc::inferGather(std::optional<Location> loc, Type table, Type index,
                                SmallVectorImpl<Type> &types) {
  auto rows = tensorOf(table), at = tensorOf(index);
  if (!rows || !at || rows.getRank() < 1 || rows.getDimSize(0) < 1)
    return emitOptionalError(loc, "expected a table of at least one row, but got ", table);
  SmallVector<int64_t> shape(at.getShape());
  llvm::append_range(shape, rows.getShape().drop_front());
  types.push_back(rows.clone(shape));
  return success();
}

LogicalResult ampc::inferLinear(std::optional<Location> loc, Type x, Type weight, Type bias,
                                SmallVectorImpl<Type> &types) {
  auto in = tensorOf(x), w = tensorOf(weight);
  if (!in || !w || in.getRank() < 1 || w.getRank() != 2 ||
      in.getShape().back() != w.getDimSize(0) || in.getElementType() != w.getElementType())
    return emitOptionalError(loc, "expected a weight of [",
                             in && in.getRank() ? in.getShape().back() : 0, ", out] for ", x,
                             ", but got ", weight);
  if (bias && tensorOf(bias) != w.clone({w.getDimSize(1)}))
    return emitOptionalError(loc, "expected a bias of type ", w.clone({w.getDimSize(1)}),
                             ", but got ", bias);
  SmallVector<int64_t> shape(in.getShape());
  shape.back() = w.getDimSize(1);
  types.push_back(in.clone(shape));
  return success();
}

LogicalResult ampc::inferPool(std::optional<Location> loc, Type x, ArrayRef<int64_t> window,
                              ArrayRef<int64_t> strides, ArrayRef<int64_t> padding, bool where,
                              SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || type.getRank() != 4)
    return emitOptionalError(loc, "expected an image NHWC, but got ", x);
  if (!allOf(window, 2, 1) || !allOf(strides, 2, 1) || !allOf(padding, 4, 0))
    return emitOptionalError(loc, "expected a window of 2, 2 strides and 4 paddings, but got [",
                             window, "], [", strides, "] and [", padding, "]");
  auto places = productOf(window[0], window[1]);
  if (where && (!places || *places > 127))
    return emitOptionalError(loc, "expected a window of at most 127 elements, but got [", window,
                             "]");
  SmallVector<int64_t> shape(type.getShape());
  for (int i : {0, 1}) {
    int64_t low = padding[2 * i], high = padding[2 * i + 1];
    auto size = sumOf({shape[1 + i], low, high});
    if (!size || low >= window[i] || high >= window[i] || window[i] > *size)
      return emitOptionalError(loc, "expected a window that fits into ", x,
                               " and is larger than the padding, but got [", window,
                               "] with padding [", padding, "]");
    shape[1 + i] = (*size - window[i]) / strides[i] + 1;
  }
  types.push_back(type.clone(shape));
  if (where)
    types.push_back(RankedTensorType::get(shape, IntegerType::get(x.getContext(), 8)));
  return success();
}

LogicalResult ampc::inferGlobalPool(std::optional<Location> loc, Type x,
                                    SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || type.getRank() != 4)
    return emitOptionalError(loc, "expected an image NHWC, but got ", x);
  types.push_back(type.clone({type.getDimSize(0), type.getDimSize(3)}));
  return success();
}

LogicalResult ampc::inferRowLoss(std::optional<Location> loc, Type logits, Type target,
                                 bool reduced, SmallVectorImpl<Type> &types) {
  auto x = tensorOf(logits), y = tensorOf(target);
  bool classes = y && y.getElementType().isInteger(32);
  if (!x || !y || x.getRank() < 1 || (classes ? x.getShape().drop_back() != y.getShape() : x != y))
    return emitOptionalError(loc, "expected one i32 class per row of ", logits,
                             " or a distribution of that type, but got ", target);
  types.push_back(x.clone(reduced ? ArrayRef<int64_t>() : x.getShape().drop_back()));
  return success();
}

LogicalResult ampc::inferElementLoss(std::optional<Location> loc, Type x, Type target, bool reduced,
                                     SmallVectorImpl<Type> &types) {
  if (!tensorOf(x) || x != target)
    return emitOptionalError(loc, "expected a target of type ", x, ", but got ", target);
  types.push_back(reduced ? tensorOf(x).clone(ArrayRef<int64_t>()) : x);
  return success();
}

LogicalResult ampc::inferRowNormGrad(std::optional<Location> loc, Type x, unsigned columns,
                                     SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || type.getRank() < 1)
    return emitOptionalError(loc, "expected at least one dimension, but got ", x);
  types.push_back(x);
  types.append(columns, type.clone(type.getShape().drop_back()));
  return success();
}
