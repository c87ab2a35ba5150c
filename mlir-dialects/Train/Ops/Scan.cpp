// Running sums and products, in steps of doubling distance.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// A running combination along a dimension; `neutral` changes nothing.
template <typename Combine> struct Scan {
  GradBuilder &b;
  int64_t dim;
  bool reverse;
  double neutral;

  /// Shift by `places` along the dimension; the gap gets the neutral element.
  Value shifted(Value x, int64_t places) {
    SmallVector<int64_t> shape(tensorOf(x).getShape()), zeros(shape.size(), 0),
        ones(shape.size(), 1), from(zeros), pad(zeros);
    pad[dim] = places;
    shape[dim] -= places;
    from[dim] = reverse ? places : 0;
    Value kept = b.op<SliceOp>(x, from, shape, ones);
    return b.op<PadOp>(kept, APFloat(neutral), reverse ? zeros : pad, reverse ? pad : zeros, zeros);
  }
  Value run(Value x, bool exclusive) {
    int64_t size = tensorOf(x).getDimSize(dim);
    if (exclusive && size == 1)
      return b.broadcastTo(b.real(neutral, x), x.getType());
    Value y = exclusive ? shifted(x, 1) : x;
    for (int64_t places = 1; places < size; places *= 2)
      y = b.op<Combine>(y, shifted(y, places));
    return y;
  }
};
} // namespace

template <typename Combine, typename Op>
static SmallVector<Value> decomposeScan(Op op, GradBuilder &b, double neutral) {
  Type element = op.getX().getType().getElementType();
  Scan<Combine> scan{b, int64_t(op.getDim()), op.getReverse(), neutral};
  Value wide = b.castTo(op.getX(), accumulatorOf(element));
  return {b.castTo(scan.run(wide, op.getExclusive()), element)};
}

LogicalResult CumsumOp::verify() { return verifyDimension(*this, getType(), getDim()); }
LogicalResult CumprodOp::verify() { return verifyDimension(*this, getType(), getDim()); }
bool CumsumOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }
bool CumprodOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }
SmallVector<Value> CumsumOp::decompose(GradBuilder &b) {
  return decomposeScan<AddOp>(*this, b, 0.0);
}
SmallVector<Value> CumprodOp::decompose(GradBuilder &b) {
  return decomposeScan<MulOp>(*this, b, 1.0);
}
