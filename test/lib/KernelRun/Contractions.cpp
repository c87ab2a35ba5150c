// Sums of contractions, element by element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interpreter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

static int64_t flatten(ArrayRef<int64_t> at, Type type) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip(at, cast<RankedTensorType>(type).getShape()))
    position = position * size + i;
  return position;
}

static double sumOfGemm(kernel::GemmOp op, ArrayRef<Elements> operands, ArrayRef<int64_t> point) {
  SmallVector<int64_t> first(point), second(point);
  first.push_back(0);
  second.push_back(1);
  int64_t start[2], stride[2]; // maps are linear
  for (unsigned side = 0; side < 2; ++side) {
    AffineMap map = cast<AffineMapAttr>(op.getOperandMaps()[side]).getValue();
    start[side] = flatten(map.compose(first), op->getOperand(side).getType());
    stride[side] = flatten(map.compose(second), op->getOperand(side).getType()) - start[side];
  }
  double sum = 0;
  for (int64_t k = 0; k < int64_t(op.getDepth()); ++k)
    sum += operands[0][start[0] + k * stride[0]].real * operands[1][start[1] + k * stride[1]].real;
  return sum;
}

bool test::canSum(Operation *op) { return isa<kernel::GemmOp>(op); }
double test::sumAt(Operation *op, ArrayRef<Elements> operands, ArrayRef<int64_t> point) {
  return sumOfGemm(cast<kernel::GemmOp>(op), operands, point);
}
