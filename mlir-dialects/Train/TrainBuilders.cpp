// Builders that op entries write their adjoints and scalar code with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static RankedTensorType tensorOf(Type type) { return cast<RankedTensorType>(type); }

//===--- Tensor code
//---------------------------------------------------------------------------===//

void GradBuilder::stamp(Operation *op) {
  if (compute)
    op->setAttr("compute", TypeAttr::get(compute));
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
  auto type = RankedTensorType::get(shape, accumulator ? accumulator : ta.getElementType());
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

//===--- Scalar code
//---------------------------------------------------------------------------===//

static bool isReal(Value v) { return isa<FloatType>(v.getType()); }

template <typename FloatOp, typename IntOp>
static Value arithmetic(ScalarBuilder &b, Value x, Value y) {
  return isReal(x) ? FloatOp::create(b.builder, b.loc, x, y).getResult()
                   : IntOp::create(b.builder, b.loc, x, y).getResult();
}
Value ScalarBuilder::add(Value a, Value b) {
  return arithmetic<arith::AddFOp, arith::AddIOp>(*this, a, b);
}
Value ScalarBuilder::sub(Value a, Value b) {
  return arithmetic<arith::SubFOp, arith::SubIOp>(*this, a, b);
}
Value ScalarBuilder::mul(Value a, Value b) {
  return arithmetic<arith::MulFOp, arith::MulIOp>(*this, a, b);
}
// Processors trap on both, and the unused lanes of a vector divide 0 by 0. A constant divisor folds
// the checks away.
static Value divideIntegers(ScalarBuilder &b, Value x, Value y) {
  using I = arith::CmpIPredicate;
  OpBuilder &builder = b.builder;
  unsigned bits = y.getType().getIntOrFloatBitWidth();
  auto is = [&](Value v, const APInt &number) {
    Value constant =
        arith::ConstantOp::create(builder, b.loc, builder.getIntegerAttr(v.getType(), number));
    return builder.createOrFold<arith::CmpIOp>(b.loc, I::eq, v, constant);
  };
  auto either = [&](Value condition, int64_t number, Value other) {
    return builder.createOrFold<arith::SelectOp>(b.loc, condition, b.integer(number, y.getType()),
                                                 other);
  };
  Value isZero = is(y, APInt::getZero(bits));
  Value overflows = builder.createOrFold<arith::AndIOp>(
      b.loc, is(x, APInt::getSignedMinValue(bits)), is(y, APInt::getAllOnes(bits)));
  Value divisor = either(isZero, 1, either(overflows, 1, y));
  return either(isZero, 0, arith::DivSIOp::create(builder, b.loc, x, divisor));
}
Value ScalarBuilder::div(Value a, Value b) {
  return isReal(a) ? arith::DivFOp::create(builder, loc, a, b).getResult()
                   : divideIntegers(*this, a, b);
}
Value ScalarBuilder::max(Value a, Value b) {
  return arithmetic<arith::MaximumFOp, arith::MaxSIOp>(*this, a, b);
}
Value ScalarBuilder::min(Value a, Value b) {
  return arithmetic<arith::MinimumFOp, arith::MinSIOp>(*this, a, b);
}
Value ScalarBuilder::neg(Value a) {
  return isReal(a) ? arith::NegFOp::create(builder, loc, a).getResult()
                   : sub(integer(0, a.getType()), a);
}
Value ScalarBuilder::exp(Value a) { return math::ExpOp::create(builder, loc, a); }
Value ScalarBuilder::log(Value a) { return math::LogOp::create(builder, loc, a); }
Value ScalarBuilder::log1p(Value a) { return math::Log1pOp::create(builder, loc, a); }
Value ScalarBuilder::sin(Value a) { return math::SinOp::create(builder, loc, a); }
Value ScalarBuilder::cos(Value a) { return math::CosOp::create(builder, loc, a); }
Value ScalarBuilder::erf(Value a) { return math::ErfOp::create(builder, loc, a); }
Value ScalarBuilder::tanh(Value a) { return math::TanhOp::create(builder, loc, a); }
Value ScalarBuilder::sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
Value ScalarBuilder::rsqrt(Value a) { return div(real(1.0), sqrt(a)); }
Value ScalarBuilder::pow(Value a, Value b) { return math::PowFOp::create(builder, loc, a, b); }
Value ScalarBuilder::abs(Value a) {
  return isReal(a) ? math::AbsFOp::create(builder, loc, a).getResult()
                   : math::AbsIOp::create(builder, loc, a).getResult();
}
Value ScalarBuilder::floor(Value a) { return math::FloorOp::create(builder, loc, a); }
Value ScalarBuilder::sigmoid(Value a) { return div(real(1.0), add(real(1.0), exp(neg(a)))); }
Value ScalarBuilder::softplus(Value a) { return add(max(a, real(0.0)), log1p(exp(neg(abs(a))))); }
Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value ScalarBuilder::compare(ComparePredicate predicate, Value a, Value b) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static const F reals[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  static const I integers[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  auto index = static_cast<uint32_t>(predicate);
  if (isReal(a))
    return arith::CmpFOp::create(builder, loc, reals[index], a, b);
  return arith::CmpIOp::create(builder, loc, integers[index], a, b);
}
Value ScalarBuilder::greater(Value a, Value b) { return compare(ComparePredicate::gt, a, b); }
Value ScalarBuilder::equal(Value a, Value b) { return compare(ComparePredicate::eq, a, b); }
Value ScalarBuilder::real(double value) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(compute, value));
}
Value ScalarBuilder::integer(int64_t value, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}
Value ScalarBuilder::castTo(Value a, Type type) {
  Type from = a.getType();
  if (from == type)
    return a;
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    // 16-bit formats differ in range and precision: f16 to bf16 goes through f32.
    if (from.getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth())
      return castTo(castTo(a, builder.getF32Type()), type);
    if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, type, a);
    return arith::TruncFOp::create(builder, loc, type, a);
  }
  if (isa<FloatType>(from))
    return arith::FPToSIOp::create(builder, loc, type, a);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16) // as processors and PyTorch do
    return castTo(castTo(a, builder.getF32Type()), type);
  if (isa<FloatType>(type))
    return from.isInteger(1) ? arith::UIToFPOp::create(builder, loc, type, a).getResult()
                             : arith::SIToFPOp::create(builder, loc, type, a).getResult();
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, a);
  return from.isInteger(1) ? arith::ExtUIOp::create(builder, loc, type, a).getResult()
                           : arith::ExtSIOp::create(builder, loc, type, a).getResult();
}
Value ScalarBuilder::rowMax(Value a) {
  return kernel::RowReduceOp::create(builder, loc, kernel::Combine::max, a);
}
Value ScalarBuilder::rowMin(Value a) {
  return kernel::RowReduceOp::create(builder, loc, kernel::Combine::min, a);
}
Value ScalarBuilder::rowSum(Value a) {
  return kernel::RowReduceOp::create(builder, loc, kernel::Combine::sum, a);
}
Value ScalarBuilder::rowIndex() {
  return kernel::RowIndexOp::create(builder, loc, builder.getI32Type());
}
Value ScalarBuilder::linearIndex() {
  return kernel::LinearIndexOp::create(builder, loc, builder.getI32Type());
}
