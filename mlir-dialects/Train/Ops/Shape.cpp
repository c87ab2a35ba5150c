// Constants and ops that move data: shapes, adjoints, folders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Reshape.h"
#include "mlir-dialects/Train/Ops/Broadcast.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult IotaOp::verify() {
  Type element = getType().getElementType();
  if (failed(verifyDimension(*this, getType(), getDim())))
    return failure();
  if (!element.isInteger(32) && !element.isInteger(64) && !isa<FloatType>(element))
    return emitOpError() << "expected elements of i32, i64 or a real type, but got " << element;
  return success();
}

// Index along the dimension: (linear / inner) mod size, where inner is the number of elements
// behind the dimension.
SmallVector<Value> IotaOp::buildScalars(ScalarBuilder &b, ValueRange) {
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t inner = 1, size = shape[getDim()];
  bool isLast = getDim() + 1 == int64_t(shape.size());
  for (int64_t extent : shape.drop_front(getDim() + 1))
    inner *= extent;
  Type i32 = b.builder.getI32Type();
  Value position = isLast ? b.rowIndex() : b.linearIndex();
  if (inner != 1)
    position = b.div(position, b.integer(inner, i32));
  if (getDim() != 0 && !isLast)
    position = b.sub(position, b.mul(b.div(position, b.integer(size, i32)), b.integer(size, i32)));
  Type element = getType().getElementType();
  return {b.castTo(position, isa<FloatType>(element) ? b.compute : element)};
}

LogicalResult ReshapeOp::verify() { return verifySameElements(*this); }

// Row-major order keeps the rows of the batch consecutive in every shape.
bool ReshapeOp::keepsLeadingDimension(IsBatched) { return true; }

OpFoldResult ReshapeOp::fold(FoldAdaptor) { return foldReshape(*this); }

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                            SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  ArrayRef<int64_t> permutation = a.getPermutation();
  auto type = tensorOf(x);
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!type || sorted != llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())))
    return emitOptionalError(loc, "expected a permutation of the dimensions of ", x, ", but got [",
                             permutation, "]");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

SmallVector<int64_t> ampc::inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return inverse;
}

AffineMap TransposeOp::getOperandMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : ::ampc::inversePermutation(getPermutation()))
    exprs.push_back(getAffineDimExpr(dim, getContext()));
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getX();
  auto inner = getX().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> both =
      llvm::map_to_vector(getPermutation(), [&](int64_t i) { return inner.getPermutation()[i]; });
  if (llvm::equal(both, llvm::seq<int64_t>(0, both.size())))
    return inner.getX();
  getXMutable().assign(inner.getX());
  setPermutation(both);
  return getResult();
}

LogicalResult BroadcastToOp::verify() {
  SmallVector<Type> types;
  if (failed(inferBroadcast(getLoc(), getX().getType(), getType(), types)))
    return failure();
  if (types[0] != getType())
    return emitOpError() << "expected a shape that " << getX().getType()
                         << " broadcasts to, but got " << getType();
  return success();
}

OpFoldResult BroadcastToOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                        SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  ArrayRef<int64_t> offsets = a.getOffsets(), sizes = a.getSizes(), strides = a.getStrides();
  auto type = tensorOf(x);
  size_t rank = type ? type.getRank() : 0;
  if (!type || !areAll(offsets, rank, 0) || !areAll(sizes, rank, 1) || !areAll(strides, rank, 1))
    return emitOptionalError(
        loc, "expected an offset, a positive size and a positive stride per dimension of ", x,
        ", but got [", offsets, "], [", sizes, "] and [", strides, "]");
  return inferSlice(loc, type, offsets, sizes, strides, types);
}

AffineMap SliceOp::getOperandMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (auto [i, offset] : llvm::enumerate(getOffsets()))
    exprs.push_back(getAffineDimExpr(i, getContext()) * getStrides()[i] + offset);
  return AffineMap::get(exprs.size(), 0, exprs, getContext());
}

// Adjoint of a slice: padding of g, with `stride - 1` zeros between elements and the rest around.
SmallVector<Value> SliceOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  SmallVector<int64_t> high, interior;
  for (auto [i, size] : llvm::enumerate(getX().getType().getShape())) {
    int64_t covered = getSizes()[i] == 0 ? 0 : (getSizes()[i] - 1) * getStrides()[i] + 1;
    high.push_back(size - getOffsets()[i] - covered);
    interior.push_back(getStrides()[i] - 1);
  }
  return {b.op<PadOp>(cotangents[0], APFloat(0.0), getOffsets(), high, interior)};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                      SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  ArrayRef<int64_t> low = a.getLow(), high = a.getHigh(), interior = a.getInterior();
  auto type = tensorOf(x);
  size_t rank = type ? type.getRank() : 0;
  if (!type || !areAll(low, rank, 0) || !areAll(high, rank, 0) || !areAll(interior, rank, 0))
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

/// A padding value must be representable in the integer type; a conversion would silently change
/// the value.
LogicalResult PadOp::verify() {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(getX()));
  APFloat value = getValue();
  if (!type)
    return success();
  bool isBool = type.getWidth() == 1, isExact = false;
  APSInt whole(type.getWidth(), /*isUnsigned=*/isBool);
  if (value.convertToInteger(whole, APFloat::rmTowardZero, &isExact) == APFloat::opOK && isExact)
    return success();
  return emitOpError() << "expected a value that " << type << " holds, but got "
                       << value.convertToDouble();
}

bool PadOp::keepsLeadingDimension(IsBatched) {
  return !getLow()[0] && !getHigh()[0] && !getInterior()[0];
}

SmallVector<Value> PadOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  auto strides = llvm::map_to_vector(getInterior(), [](int64_t gap) { return gap + 1; });
  return {b.op<SliceOp>(cotangents[0], getLow(), getX().getType().getShape(), strides)};
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  ValueRange parts = a.getParts();
  int64_t dim = a.getDim();
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

bool ConcatOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

SmallVector<Value> ConcatOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  SmallVector<Value> adjoints;
  SmallVector<int64_t> offsets(getType().getRank(), 0), strides(getType().getRank(), 1);
  for (Value part : getParts()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
    adjoints.push_back(b.op<SliceOp>(cotangents[0], offsets, shape, strides));
    offsets[getDim()] += shape[getDim()];
  }
  return adjoints;
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getParts().size() == 1 ? getParts()[0] : OpFoldResult();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                        SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  ArrayRef<int64_t> sizes = a.getSizes();
  int64_t dim = a.getDim();
  auto type = tensorOf(x);
  if (!type || dim < 0 || dim >= type.getRank())
    return emitOptionalError(loc, "expected a tensor with a dimension ", dim, ", but got ", x);
  if (!areAll(sizes, sizes.size(), 1) || sumOf(sizes) != type.getDimSize(dim))
    return emitOptionalError(loc, "expected positive sizes with sum ", type.getDimSize(dim),
                             ", but got [", sizes, "]");
  for (int64_t size : sizes) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = size;
    types.push_back(type.clone(shape));
  }
  return success();
}

bool SplitOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

SmallVector<Value> SplitOp::decompose(GradBuilder &b) {
  SmallVector<Value> parts;
  SmallVector<int64_t> offsets(getX().getType().getRank(), 0),
      strides(getX().getType().getRank(), 1);
  for (Value part : getParts()) {
    ArrayRef<int64_t> shape = tensorOf(part).getShape();
    parts.push_back(b.op<SliceOp>(getX(), offsets, shape, strides));
    offsets[getDim()] += shape[getDim()];
  }
  return parts;
}
