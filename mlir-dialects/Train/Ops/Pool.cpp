// Pooling: shapes, verifiers, the adjoint of max_pool_grad.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static LogicalResult inferPool(std::optional<Location> loc, Type x, ArrayRef<int64_t> window,
                               ArrayRef<int64_t> strides, ArrayRef<int64_t> padding, bool where,
                               SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || type.getRank() != 4)
    return emitOptionalError(loc, "expected an image NHWC, but got ", x);
  if (!areAll(window, 2, 1) || !areAll(strides, 2, 1) || !areAll(padding, 4, 0))
    return emitOptionalError(loc, "expected a window of 2, 2 strides and 4 paddings, but got [",
                             window, "], [", strides, "] and [", padding, "]");
  auto places = productOf(window[0], window[1]);
  if (where && (!places || *places > 127))
    return emitOptionalError(loc, "expected a window of at most 127 elements, but got [", window,
                             "]");
  SmallVector<int64_t> shape(type.getShape());
  for (int i : {0, 1}) {
    int64_t low = padding[2 * i], high = padding[2 * i + 1];
    auto count = windowsAlong(shape[1 + i], padding.slice(2 * i, 2), window[i], strides[i]);
    if (!count || low >= window[i] || high >= window[i])
      return emitOptionalError(loc, "expected a window that fits into ", x,
                               " and is larger than the padding, but got [", window,
                               "] with padding [", padding, "]");
    shape[1 + i] = *count;
  }
  types.push_back(type.clone(shape));
  if (where)
    types.push_back(RankedTensorType::get(shape, IntegerType::get(x.getContext(), 8)));
  return success();
}
LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(loc, a.getX().getType(), a.getWindow(), a.getStrides(), a.getPadding(),
                   /*where=*/true, types);
}
LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(loc, a.getX().getType(), a.getWindow(), a.getStrides(), a.getPadding(),
                   /*where=*/false, types);
}

bool MaxPoolOp::keepsLeadingDimension(IsBatched) { return true; }
bool AvgPoolOp::keepsLeadingDimension(IsBatched) { return true; }

/// Checks that the cotangent has the type of the pooled image.
template <typename Op> static LogicalResult verifyPoolGrad(Op op, Value where) {
  SmallVector<Type> types;
  if (failed(inferPool(op.getLoc(), op.getType(), op.getWindow(), op.getStrides(), op.getPadding(),
                       bool(where), types)))
    return failure();
  if (types[0] != op.getG().getType())
    return op.emitOpError() << "expected a cotangent of type " << types[0] << ", but got "
                            << op.getG().getType();
  if (where && types[1] != where.getType())
    return op.emitOpError() << "expected places of type " << types[1] << ", but got "
                            << where.getType();
  return success();
}

LogicalResult MaxPoolGradOp::verify() { return verifyPoolGrad(*this, getWhere()); }

// Reads the element of every window's maximum: a strided slice per position in the window, selected
// by `where`.
SmallVector<Value> MaxPoolGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  ArrayRef<int64_t> pad = getPadding(), shape = getG().getType().getShape();
  SmallVector<int64_t> none(4, 0), strides{1, getStrides()[0], getStrides()[1], 1};
  Value image = b.op<PadOp>(cotangents[0], APFloat(0.0), ArrayRef<int64_t>{0, pad[0], pad[2], 0},
                            ArrayRef<int64_t>{0, pad[1], pad[3], 0}, none);
  Value where = b.castTo(getWhere(), b.builder.getI32Type()), sum;
  for (int64_t row = 0; row < getWindow()[0]; ++row)
    for (int64_t column = 0; column < getWindow()[1]; ++column) {
      Value part = b.op<SliceOp>(image, ArrayRef<int64_t>{0, row, column, 0}, shape, strides);
      Value number = b.real(double(row * getWindow()[1] + column), where);
      Value hit = b.compare(ComparePredicate::eq, where, number);
      Value term = b.select(hit, part, b.real(0.0, part));
      sum = sum ? b.add(sum, term) : term;
    }
  return {sum, Value()};
}

LogicalResult AvgPoolGradOp::verify() { return verifyPoolGrad(*this, Value()); }

LogicalResult GlobalAvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                Adaptor a, SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  auto type = tensorOf(x);
  if (!type || type.getRank() < 3)
    return emitOptionalError(loc, "expected an image (N, ..., C), but got ", x);
  types.push_back(type.clone({type.getDimSize(0), type.getShape().back()}));
  return success();
}

bool GlobalAvgPoolOp::keepsLeadingDimension(IsBatched) { return true; }

SmallVector<Value> GlobalAvgPoolOp::decompose(GradBuilder &b) {
  auto spatial = llvm::to_vector(llvm::seq<int64_t>(1, getX().getType().getRank() - 1));
  return {b.op<ReduceMeanOp>(getX(), spatial)};
}
