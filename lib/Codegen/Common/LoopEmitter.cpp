// Loops, addresses and elements in terms of scf, arith and llvm ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/LoopEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ampc::target;

int64_t ampc::target::elementBytes(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

// ---- Integer arithmetic ----

Value LoopEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value LoopEmitter::integer(Type type, int64_t value) {
  if (type.isIndex())
    return index(value);
  if (type.isInteger(32) && !beyond32 && !llvm::isInt<32>(value) && !llvm::isUInt<32>(value))
    beyond32 = value;
  APInt bits(type.getIntOrFloatBitWidth(), value, /*isSigned=*/false, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, bits));
}
Value LoopEmitter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value LoopEmitter::add(Value x, int64_t y) { return y ? add(x, integer(x.getType(), y)) : x; }
Value LoopEmitter::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value LoopEmitter::mul(Value x, int64_t factor) {
  return factor == 1 ? x : b.createOrFold<arith::MulIOp>(loc, x, integer(x.getType(), factor));
}
// Unsigned division: needs no correction for negative values, which never occur.
Value LoopEmitter::div(Value x, int64_t divisor) {
  return divisor == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, integer(x.getType(), divisor));
}
Value LoopEmitter::rem(Value x, int64_t divisor) {
  Type type = x.getType();
  return divisor == 1 ? integer(type, 0)
                      : b.createOrFold<arith::RemUIOp>(loc, x, integer(type, divisor));
}
Value LoopEmitter::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value LoopEmitter::max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
Value LoopEmitter::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}
Value LoopEmitter::asIndex(Value x) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
}

Value LoopEmitter::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                           : b.getIntegerAttr(element, int64_t(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

// ---- Memory ----

Type LoopEmitter::rawType(Type element) {
  if (element.isBF16() || element.isF16())
    return IntegerType::get(element.getContext(), 16);
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
}
Value LoopEmitter::toRaw(Value value) {
  Type element = getElementTypeOrSelf(value.getType()), raw = rawType(element);
  if (raw == element)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(vector.clone(raw)) : raw;
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, type, value);
}
Value LoopEmitter::fromRaw(Value value, Type element) {
  if (rawType(element) == element)
    return value;
  if (element.isInteger(1)) {
    Value zero = constant(value.getType(), 0);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::BitcastOp::create(b, loc, vector ? Type(vector.clone(element)) : element, value);
}

Value LoopEmitter::address(Value base, Type element, Value position) {
  if (isConstantIntValue(position, 0))
    return base;
  Value i = arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
  return LLVM::GEPOp::create(b, loc, base.getType(), rawType(element), base, i);
}
Value LoopEmitter::offset(Value base, Value bytes) { return address(base, b.getI8Type(), bytes); }
Value LoopEmitter::offset(Value base, int64_t bytes) { return offset(base, index(bytes)); }
Value LoopEmitter::loadPointer(Value array, int64_t i) {
  Value slot = LLVM::GEPOp::create(b, loc, array.getType(), array.getType(), array,
                                   ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(i)});
  return LLVM::LoadOp::create(b, loc, array.getType(), slot, 8);
}

Value LoopEmitter::loadScalar(Value base, Type element, Value position) {
  Value at = address(base, element, position);
  unsigned align = elementBytes(element);
  return fromRaw(LLVM::LoadOp::create(b, loc, rawType(element), at, align), element);
}
void LoopEmitter::storeScalar(Value value, Value base, Value position) {
  Type element = value.getType();
  Value at = address(base, element, position);
  LLVM::StoreOp::create(b, loc, toRaw(value), at, elementBytes(element));
}

// ---- Control ----

SmallVector<Value> LoopEmitter::loop(Value from, Value to, int64_t step, ValueRange carried,
                                     CarriedBody body) {
  auto first = getConstantIntValue(from), last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return llvm::to_vector(carried);
  if (first && last && *first + step >= *last)
    return body(from, carried);
  auto loop = scf::ForOp::create(b, loc, from, to, index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty()) // without loop-carried values the terminator exists
    scf::YieldOp::create(b, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}
void LoopEmitter::loop(Value from, Value to, int64_t step, LoopBody body) {
  loop(from, to, step, ValueRange{}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>{};
  });
}
void LoopEmitter::when(Value condition, llvm::function_ref<void()> body) {
  if (auto known = getConstantIntValue(condition)) {
    if (*known)
      body();
    return;
  }
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}
