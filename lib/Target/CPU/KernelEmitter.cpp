// Loops, addresses and vectors in terms of scf, arith, vector and llvm ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc::cpu;

int64_t ampc::cpu::elementBytes(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

// ---- Index arithmetic ----

Value KernelEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value KernelEmitter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value KernelEmitter::add(Value x, int64_t y) { return y ? add(x, index(y)) : x; }
Value KernelEmitter::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value KernelEmitter::mul(Value x, int64_t factor) {
  return factor == 1 ? x : b.createOrFold<arith::MulIOp>(loc, x, index(factor));
}
// Unsigned: no correction for negative values, which never occur.
Value KernelEmitter::div(Value x, int64_t divisor) {
  return divisor == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, index(divisor));
}
Value KernelEmitter::rem(Value x, int64_t divisor) {
  return divisor == 1 ? index(0) : b.createOrFold<arith::RemUIOp>(loc, x, index(divisor));
}
Value KernelEmitter::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value KernelEmitter::max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
Value KernelEmitter::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}
Value KernelEmitter::asIndex(Value x) {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
}

Type KernelEmitter::vectorOf(Type element, int64_t lanes) {
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}
Value KernelEmitter::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                           : b.getIntegerAttr(element, int64_t(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
  return arith::ConstantOp::create(b, loc, attr);
}
Value KernelEmitter::broadcast(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType(), lanes), scalar);
}

// ---- Memory ----

/// What lies in memory, as LLVM handles it well: i1 as a byte, 16-bit floats as integers (x86 has
/// no vectors of them without AVX512_FP16, so shuffles, inserts and masked accesses would be taken
/// apart).
static Type rawType(Type element) {
  if (element.isBF16() || element.isF16())
    return IntegerType::get(element.getContext(), 16);
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
}
static Value toRaw(KernelEmitter &e, Value value) {
  Type element = getElementTypeOrSelf(value.getType()), raw = rawType(element);
  if (raw == element)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(vector.clone(raw)) : raw;
  if (element.isInteger(1))
    return arith::ExtUIOp::create(e.b, e.loc, type, value);
  return arith::BitcastOp::create(e.b, e.loc, type, value);
}
static Value fromRaw(KernelEmitter &e, Value value, Type element) {
  if (rawType(element) == element)
    return value;
  if (element.isInteger(1)) {
    Value zero = e.constant(value.getType(), 0);
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, value, zero);
  }
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::BitcastOp::create(e.b, e.loc, vector ? Type(vector.clone(element)) : element,
                                  value);
}

Value KernelEmitter::address(Value base, Type element, Value position) {
  if (isConstantIntValue(position, 0))
    return base;
  Value i = arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
  return LLVM::GEPOp::create(b, loc, base.getType(), rawType(element), base, i);
}
Value KernelEmitter::offset(Value base, Value bytes) { return address(base, b.getI8Type(), bytes); }
Value KernelEmitter::offset(Value base, int64_t bytes) { return offset(base, index(bytes)); }
Value KernelEmitter::loadPointer(Value array, int64_t i) {
  Value slot = LLVM::GEPOp::create(b, loc, array.getType(), array.getType(), array,
                                   ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(i)});
  return LLVM::LoadOp::create(b, loc, array.getType(), slot, 8);
}

Value KernelEmitter::loadScalar(Value base, Type element, Value position) {
  return loadVector(base, element, position, 1);
}
Value KernelEmitter::loadVector(Value base, Type element, Value position, int64_t lanes,
                                int64_t active) {
  Value at = address(base, element, position);
  unsigned align = elementBytes(element);
  Type type = vectorOf(rawType(element), lanes);
  if (active < 0 || active == lanes)
    return fromRaw(*this, LLVM::LoadOp::create(b, loc, type, at, align), element);
  Value zero = constant(type, 0);
  Value loaded = LLVM::MaskedLoadOp::create(b, loc, type, at, mask(lanes, active), zero, align);
  return fromRaw(*this, loaded, element);
}
Value KernelEmitter::loadScattered(Value base, Type element, llvm::ArrayRef<Value> positions,
                                   int64_t lanes) {
  Type raw = rawType(element);
  Value result = constant(vectorOf(raw, lanes), 0);
  for (auto [lane, position] : llvm::enumerate(positions)) {
    Value x = loadVector(base, raw, position, 1);
    result = vector::InsertOp::create(b, loc, x, result, int64_t(lane));
  }
  return fromRaw(*this, result, element);
}
Value KernelEmitter::loadStrided(Value base, Type element, Value position, int64_t stride,
                                 int64_t lanes, int64_t active) {
  if (lanes == 1)
    return loadScalar(base, element, position);
  if (stride == 0)
    return broadcast(loadScalar(base, element, position), lanes);
  if (stride == 1)
    return loadVector(base, element, position, lanes, active);
  active = active < 0 ? lanes : active;
  if (stride == -1 && active == lanes) {
    Value forward = loadVector(base, rawType(element), add(position, 1 - lanes), lanes);
    auto order = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes)));
    return fromRaw(*this, shuffle(forward, forward, order), element);
  }
  SmallVector<Value> positions;
  for (int64_t lane = 0; lane < active; ++lane)
    positions.push_back(add(position, lane * stride));
  return loadScattered(base, element, positions, lanes);
}
void KernelEmitter::store(Value value, Value base, Value position, int64_t active) {
  Type element = getElementTypeOrSelf(value.getType());
  Value at = address(base, element, position);
  unsigned align = elementBytes(element);
  auto vector = dyn_cast<VectorType>(value.getType());
  value = toRaw(*this, value);
  if (!vector || active < 0 || active == vector.getDimSize(0))
    LLVM::StoreOp::create(b, loc, value, at, align);
  // LLVM 22 turns a masked store of one narrowed lane into a store as wide as before narrowing:
  // past the end.
  else if (active == 1)
    LLVM::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, value, int64_t(0)), at, align);
  else
    LLVM::MaskedStoreOp::create(b, loc, value, at, mask(vector.getDimSize(0), active), align);
}
void KernelEmitter::storeScattered(Value value, Value base, llvm::ArrayRef<Value> positions) {
  value = toRaw(*this, value);
  for (auto [lane, position] : llvm::enumerate(positions))
    store(vector::ExtractOp::create(b, loc, value, int64_t(lane)), base, position);
}
void KernelEmitter::storeStrided(Value value, Value base, Value position, int64_t stride,
                                 int64_t active) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || stride == 1)
    return store(value, base, position, active);
  SmallVector<Value> positions;
  for (int64_t lane = 0; lane < (active < 0 ? vector.getDimSize(0) : active); ++lane)
    positions.push_back(add(position, lane * stride));
  storeScattered(value, base, positions);
}

// ---- Control ----

SmallVector<Value> KernelEmitter::loop(Value from, Value to, int64_t step, ValueRange carried,
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
  if (!carried.empty()) // else the terminator is there already
    scf::YieldOp::create(b, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}
void KernelEmitter::loop(Value from, Value to, int64_t step, LoopBody body) {
  loop(from, to, step, ValueRange{}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>{};
  });
}
void KernelEmitter::when(Value condition, llvm::function_ref<void()> body) {
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

// ---- Vectors ----

Value KernelEmitter::iota(Type element, int64_t lanes) {
  auto type = VectorType::get({lanes}, element);
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(b.getIntegerAttr(element, i));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
}
Value KernelEmitter::mask(int64_t lanes, int64_t active) {
  SmallVector<bool> bits(lanes, false);
  std::fill(bits.begin(), bits.begin() + active, true);
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}
Value KernelEmitter::shuffle(Value x, Value y, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(b, loc, x, y, lanes);
}
// Exchanges off-diagonal blocks of 1, 2, 4, ... lanes between rows that far apart.
SmallVector<Value> KernelEmitter::transpose(ArrayRef<Value> rows) {
  Type element = getElementTypeOrSelf(rows.front().getType());
  SmallVector<Value> result;
  for (Value row : rows)
    result.push_back(toRaw(*this, row));
  int64_t count = rows.size();
  for (int64_t distance = 1; distance < count; distance *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < count; ++lane) {
      bool moved = lane & distance;
      low.push_back(moved ? count + lane - distance : lane);
      high.push_back(moved ? count + lane : lane + distance);
    }
    for (int64_t i = 0; i < count; ++i) {
      if (i & distance)
        continue;
      Value top = result[i], bottom = result[i + distance];
      result[i] = shuffle(top, bottom, low);
      result[i + distance] = shuffle(top, bottom, high);
    }
  }
  for (Value &row : result)
    row = fromRaw(*this, row, element);
  return result;
}
