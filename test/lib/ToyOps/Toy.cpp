// Registration of the dialect, and definitions too long for the TableGen records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Toy.h"
#include "ampc/Pipelines/OpLibrary.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace toy;
using ampc::GradBuilder;
using ampc::ScalarBuilder;
using namespace ampc::syntax; // called by assembly formats of TensorOp

#include "ToyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

void ToyDialect::initialize() {
  ampc::addRecordedOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >(*this);
}
AMPC_OP_LIBRARY(ToyDialect)

// ---- Gated unit ----

LogicalResult GatedUnitOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                            SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(a.getX().getType()),
       gate = cast<RankedTensorType>(a.getGate().getType());
  auto expected =
      gate.getRank() == 2 && x.getRank() == 2
          ? RankedTensorType::get({x.getDimSize(1), gate.getDimSize(1)}, x.getElementType())
          : RankedTensorType();
  if (!expected || gate != expected || a.getUp().getType() != gate)
    return emitOptionalError(loc, "expected two weights of one type for ", x, ", but got ", gate,
                             " and ", a.getUp().getType());
  types.push_back(x.clone({x.getDimSize(0), gate.getDimSize(1)}));
  return success();
}

bool GatedUnitOp::keepsLeadingDimension(llvm::function_ref<bool(Value)> isBatched) {
  return !isBatched(getGate()) && !isBatched(getUp());
}

std::optional<ampc::Fans> GatedUnitOp::getFans(unsigned operand) {
  ArrayRef<int64_t> weights = getGate().getType().getShape();
  return operand > 0 ? std::optional(ampc::Fans{weights[0], weights[1]}) : std::nullopt;
}

SmallVector<Value> GatedUnitOp::decompose(GradBuilder &b) {
  auto element = cast<RankedTensorType>(getX().getType()).getElementType();
  Type wide = element.getIntOrFloatBitWidth() < 32 ? b.builder.getF32Type() : element;
  Value gate = b.castTo(b.matmul(getX(), getGate(), false, false, wide), element);
  Value up = b.castTo(b.matmul(getX(), getUp(), false, false, wide), element);
  return {b.mul(b.op<SquareplusOp>(gate), up)};
}

// ---- Snake ----

static LogicalResult verifyFrequency(Operation *op, const APFloat &a) {
  if (!(a.convertToDouble() > 0))
    return op->emitOpError() << "expected a positive a, but got " << a.convertToDouble();
  return success();
}
LogicalResult SnakeOp::verify() { return verifyFrequency(*this, getA()); }
LogicalResult SnakeGradOp::verify() { return verifyFrequency(*this, getA()); }

SmallVector<Value> SnakeOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  double a = getA().convertToDouble();
  Value wave = b.sin(b.mul(b.real(a), x[0]));
  return {b.add(x[0], b.mul(b.mul(wave, wave), b.real(1 / a)))};
}
SmallVector<Value> SnakeOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  return {b.op<SnakeGradOp>(getX(), cotangents[0], getA())};
}

SmallVector<Value> SnakeGradOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Value wave = b.sin(b.mul(b.real(2 * getA().convertToDouble()), x[0]));
  return {b.mul(x[1], b.add(b.real(1.0), wave))};
}
// u g 2 a cos(2 a x) for x, u (1 + sin(2 a x)) for g.
SmallVector<Value> SnakeGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value u = cotangents[0];
  double a = getA().convertToDouble();
  Value slope = b.mul(b.real(2 * a, u), b.cos(b.mul(b.real(2 * a, u), getX())));
  return {b.mul(b.mul(u, getG()), slope), b.op<SnakeGradOp>(getX(), u, getA())};
}
