// VNNI layout (pairs of 16-bit numbers in an i32) and two-term split (f16 as the sum of two bf16).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/Panels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc::cpu;

Value ampc::cpu::interleave(KernelEmitter &e, Value even, Value odd) {
  auto widen = [&](Value x) -> Value {
    Type wide = e.b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      wide = vector.clone(wide);
    return arith::ExtUIOp::create(e.b, e.loc, wide, x);
  };
  Value low = widen(even);
  if (!odd)
    return low;
  Value high = widen(odd);
  high = arith::ShLIOp::create(e.b, e.loc, high, e.constant(high.getType(), 16));
  return arith::OrIOp::create(e.b, e.loc, low, high);
}

/// Upper halves of f32 whose lower halves are zero.
static Value upperHalves(KernelEmitter &e, Value x) {
  auto type = cast<VectorType>(x.getType());
  Value bits = arith::BitcastOp::create(e.b, e.loc, type.clone(e.b.getI32Type()), x);
  bits = arith::ShRUIOp::create(e.b, e.loc, bits, e.constant(bits.getType(), 16));
  return arith::TruncIOp::create(e.b, e.loc, type.clone(e.b.getIntegerType(16)), bits);
}

/// Two-term split of f16 (as i16): bf16 of the leading 8 bits of the significand, bf16 of the other
/// 3. Exact, because both are normal in bf16. Infinities and NaNs stay in the high part.
/// Example: 1 + 2^-10 -> 1 and 2^-10.
static std::pair<Value, Value> split(KernelEmitter &e, Value halves) {
  auto type = cast<VectorType>(halves.getType());
  auto wideType = type.clone(e.b.getF32Type()), bitsType = type.clone(e.b.getI32Type());
  Value x = arith::BitcastOp::create(e.b, e.loc, type.clone(e.b.getF16Type()), halves);
  x = arith::ExtFOp::create(e.b, e.loc, wideType, x);
  Value bits = arith::BitcastOp::create(e.b, e.loc, bitsType, x);
  Value high = arith::AndIOp::create(e.b, e.loc, bits, e.constant(bitsType, -65536));
  high = arith::BitcastOp::create(e.b, e.loc, wideType, high);
  Value low = arith::SubFOp::create(e.b, e.loc, x, high);
  Value isFinite = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::ORD, low, low);
  low = arith::SelectOp::create(e.b, e.loc, isFinite, low, e.constant(wideType, 0));
  return {upperHalves(e, high), upperHalves(e, low)};
}

/// Reads a vector's or scalar's bits as a vector of another element type.
static Value reinterpret(KernelEmitter &e, Value x, Type element) {
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    x = vector::BroadcastOp::create(e.b, e.loc, type = VectorType::get({1}, x.getType()), x);
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  auto to = VectorType::get({bits / element.getIntOrFloatBitWidth()}, element);
  return type == to ? x : vector::BitCastOp::create(e.b, e.loc, to, x).getResult();
}

void ampc::cpu::storeUnits(KernelEmitter &e, Value units, Value panel, Value position,
                           const PanelFormat &format) {
  auto store = [&](Value units, Value position) {
    bool isWhole = isa<VectorType>(units.getType()); // scalars at edges
    if (format.streams && isWhole)
      e.stream(units, panel, position);
    else
      e.store(units, panel, position);
  };
  if (!format.secondPanel)
    return store(units, position);
  auto [high, low] = split(e, reinterpret(e, units, e.b.getIntegerType(16)));
  store(reinterpret(e, high, format.unit), position);
  store(reinterpret(e, low, format.unit), e.add(position, format.secondPanel));
}

void ampc::cpu::storeAlongLine(KernelEmitter &e, Value numbers, Value panel, Value position,
                               const PanelFormat &format) {
  if (!format.secondPanel)
    return e.store(numbers, panel, position);
  auto [high, low] = split(e, reinterpret(e, numbers, e.b.getIntegerType(16)));
  e.store(high, panel, position);
  e.store(low, panel, e.add(position, format.depth * format.secondPanel));
}
