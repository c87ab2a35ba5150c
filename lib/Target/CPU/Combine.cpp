// Sums, maxima and minima of vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using kernel::Combine;

Value cpu::neutral(KernelEmitter &e, Combine kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (kind == Combine::sum)
    return e.constant(type, 0);
  if (isa<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return e.constant(type, kind == Combine::max ? -infinity : infinity);
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  APInt value =
      kind == Combine::max ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits);
  TypedAttr attr = e.b.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
  return arith::ConstantOp::create(e.b, e.loc, attr);
}

Value cpu::combine(KernelEmitter &e, Combine kind, Value x, Value y) {
  bool real = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case Combine::sum:
    return real ? arith::AddFOp::create(e.b, e.loc, x, y).getResult()
                : arith::AddIOp::create(e.b, e.loc, x, y).getResult();
  case Combine::max:
    return real ? arith::MaximumFOp::create(e.b, e.loc, x, y).getResult()
                : arith::MaxSIOp::create(e.b, e.loc, x, y).getResult();
  case Combine::min:
    return real ? arith::MinimumFOp::create(e.b, e.loc, x, y).getResult()
                : arith::MinSIOp::create(e.b, e.loc, x, y).getResult();
  }
  llvm_unreachable("all kinds are listed");
}

Value cpu::keepActive(KernelEmitter &e, Value x, Value instead, int64_t active) {
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector || active == vector.getDimSize(0))
    return x;
  Value mask = e.mask(vector.getDimSize(0), active);
  return arith::SelectOp::create(e.b, e.loc, mask, x, instead);
}

Value cpu::combineLanes(KernelEmitter &e, Combine kind, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  for (int64_t half = type.getDimSize(0) / 2; half >= 1; half /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    auto high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    vector = combine(e, kind, e.shuffle(vector, vector, low), e.shuffle(vector, vector, high));
  }
  return vector::ExtractOp::create(e.b, e.loc, vector, int64_t(0));
}
