// Combining functions of reductions: sum, maximum, minimum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;
using kernel::Combine;

Value target::neutral(LoopEmitter &e, Combine kind, Type type) {
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

Value target::combine(LoopEmitter &e, Combine kind, Value x, Value y) {
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
