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
  SmallVector<int64_t> at(point);
  at.push_back(0);
  double sum = 0;
  for (int64_t k = 0; k < int64_t(op.getDepth()); ++k) {
    at.back() = k;
    double product = 1;
    for (unsigned side = 0; side < 2; ++side) {
      AffineMap map = cast<AffineMapAttr>(op.getOperandMaps()[side]).getValue();
      product *= operands[side][flatten(map.compose(at), op->getOperand(side).getType())].real;
    }
    sum += product;
  }
  return sum;
}

bool test::canSum(Operation *op) { return isa<kernel::GemmOp>(op); }
double test::sumAt(Operation *op, ArrayRef<Elements> operands, ArrayRef<int64_t> point) {
  return sumOfGemm(cast<kernel::GemmOp>(op), operands, point);
}
