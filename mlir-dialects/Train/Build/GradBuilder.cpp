// The builder that op entries write their adjoints with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Build/GradBuilder.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

GradBuilder::GradBuilder(OpBuilder &builder, Operation *op)
    : GradBuilder(builder, op->getLoc(), originOf(op)) {}
void GradBuilder::stamp(Operation *op) {
  if (auto from = dyn_cast_or_null<OriginAttr>(origin))
    setOrigin(op, compute ? from.withCompute(compute) : from);
}
Value GradBuilder::add(Value a, Value b) { return op<AddOp>(a, b); }
Value GradBuilder::sub(Value a, Value b) { return op<SubOp>(a, b); }
Value GradBuilder::mul(Value a, Value b) { return op<MulOp>(a, b); }
Value GradBuilder::div(Value a, Value b) { return op<DivOp>(a, b); }
Value GradBuilder::neg(Value a) { return op<NegOp>(a); }
Value GradBuilder::exp(Value a) { return op<ExpOp>(a); }
Value GradBuilder::sqrt(Value a) { return op<SqrtOp>(a); }
Value GradBuilder::square(Value a) { return op<SquareOp>(a); }
Value GradBuilder::cos(Value a) { return op<CosOp>(a); }
Value GradBuilder::floor(Value a) { return op<FloorOp>(a); }
Value GradBuilder::compare(ComparePredicate predicate, Value a, Value b) {
  return op<CompareOp>(predicate, a, b);
}
Value GradBuilder::greater(Value a, Value b) { return compare(ComparePredicate::gt, a, b); }
Value GradBuilder::select(Value condition, Value a, Value b) {
  return op<SelectOp>(condition, a, b);
}
Value GradBuilder::real(double value, Value like) { return real(value, like.getType()); }
Value GradBuilder::real(double value, Type like) {
  Type element = getElementTypeOrSelf(like);
  Attribute number = isa<FloatType>(element)
                         ? Attribute(builder.getFloatAttr(element, value))
                         : Attribute(builder.getIntegerAttr(element, int64_t(value)));
  return op<ConstantOp>(
      cast<ElementsAttr>(DenseElementsAttr::get(RankedTensorType::get({}, element), number)));
}
Value GradBuilder::castTo(Value a, Type element) {
  return getElementTypeOrSelf(a) == element ? a
                                            : op<CastOp>(tensorOf(a.getType()).clone(element), a);
}
Value GradBuilder::reshape(Value a, Type type) {
  type = tensorOf(type).clone(getElementTypeOrSelf(a));
  return a.getType() == type ? a : op<ReshapeOp>(type, a);
}
Value GradBuilder::broadcastTo(Value a, Type type) {
  type = tensorOf(type).clone(getElementTypeOrSelf(a));
  return a.getType() == type ? a : op<BroadcastToOp>(type, a);
}
Value GradBuilder::transpose(Value a, ArrayRef<int64_t> permutation) {
  return op<TransposeOp>(a, permutation);
}
Value GradBuilder::matmul(Value a, Value b, bool transposeA, bool transposeB, Type accumulator) {
  auto ta = tensorOf(a.getType()), tb = tensorOf(b.getType());
  SmallVector<int64_t> shape((ta.getRank() > 2 ? ta : tb).getShape().drop_back(2));
  shape.push_back(ta.getDimSize(ta.getRank() - (transposeA ? 1 : 2)));
  shape.push_back(tb.getDimSize(tb.getRank() - (transposeB ? 2 : 1)));
  auto type =
      RankedTensorType::get(shape, accumulator ? accumulator : accumulatorOf(ta.getElementType()));
  return op<MatmulOp>(type, a, b, transposeA, transposeB);
}
Value GradBuilder::reduceSum(Value a, ArrayRef<int64_t> dims) { return op<ReduceSumOp>(a, dims); }
Value GradBuilder::rowSum(Value a) {
  int64_t last = tensorOf(a.getType()).getRank() - 1;
  return reshape(reduceSum(a, last), withOnes(a.getType(), last));
}
Value GradBuilder::columnOf(Value a) {
  SmallVector<int64_t> shape(tensorOf(a.getType()).getShape());
  shape.push_back(1);
  return reshape(a, RankedTensorType::get(shape, getElementTypeOrSelf(a)));
}
Value GradBuilder::reduceTo(Value a, Type type) {
  auto from = tensorOf(a.getType()), to = tensorOf(type);
  SmallVector<int64_t> dims;
  for (int64_t i = 0, offset = from.getRank() - to.getRank(); i < from.getRank(); ++i)
    if (i < offset || from.getDimSize(i) != to.getDimSize(i - offset))
      dims.push_back(i);
  return dims.empty() ? a : reshape(reduceSum(a, dims), to);
}
RankedTensorType GradBuilder::withOnes(Type type, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(tensorOf(type).getShape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}
