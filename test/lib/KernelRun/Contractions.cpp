// Sums of contractions, element by element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/PackedFilter.h"
#include "test/lib/KernelRun/Interpreter.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

static int64_t flatten(ArrayRef<int64_t> at, Type type) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip(at, cast<RankedTensorType>(type).getShape()))
    position = position * size + i;
  return position;
}

/// To 10 bits of mantissa, ties away from zero.
static double toTF32(double x) {
  int exponent;
  double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
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
  bool isTF32 = op.getCompute().has_value(); // the only mode that is run so far
  double sum = 0;
  for (int64_t k = 0; k < int64_t(op.getDepth()); ++k) {
    double x = operands[0][start[0] + k * stride[0]].real,
           y = operands[1][start[1] + k * stride[1]].real;
    sum += isTF32 ? toTF32(x) * toTF32(y) : x * y;
  }
  return sum;
}

/// Value of an image, dilated and padded as the op says, at row y and column x of the padded
/// image.
template <typename Op>
static double pixel(Op op, const Elements &image, int64_t n, int64_t y, int64_t x,
                    int64_t channel) {
  bool channelsFirst = op.getChannelsFirst();
  ArrayRef<int64_t> sizes = op.getLhs().getType().getShape().slice(channelsFirst ? 2 : 1, 2);
  y -= op.getPadding()[0];
  x -= op.getPadding()[2];
  int64_t dy = op.getInputDilations()[0], dx = op.getInputDilations()[1];
  if (y < 0 || x < 0 || y % dy || x % dx || y / dy >= sizes[0] || x / dx >= sizes[1])
    return 0;
  y /= dy;
  x /= dx;
  SmallVector<int64_t> place = {n, y, x, channel};
  if (channelsFirst)
    place = {n, channel, y, x};
  return image[flatten(place, op.getLhs().getType())].real;
}

static double sumOfConv(kernel::ConvOp op, ArrayRef<Elements> operands, ArrayRef<int64_t> point) {
  SmallVector<int64_t> filter = kernel::filterShape(op);
  auto packing = kernel::packingOf(op.getRhs().getType());
  auto place = [&](int64_t ky, int64_t kx, int64_t c) -> SmallVector<int64_t> {
    if (packing && packing.getDepth() == 0) // turned
      return {c, filter[1] - 1 - ky, filter[2] - 1 - kx, point[3]};
    return {point[3], ky, kx, c};
  };
  int64_t group = point[3] / (filter[0] / int64_t(op.getGroups()));
  double sum = 0;
  for (int64_t ky = 0; ky < filter[1]; ++ky)
    for (int64_t kx = 0; kx < filter[2]; ++kx)
      for (int64_t c = 0; c < filter[3]; ++c)
        sum += pixel(op, operands[0], point[0],
                     point[1] * op.getStrides()[0] + ky * op.getDilations()[0],
                     point[2] * op.getStrides()[1] + kx * op.getDilations()[1],
                     group * filter[3] + c) *
               operands[1][flatten(place(ky, kx, c), op.getRhs().getType())].real;
  return sum;
}

static double sumOfConvFilter(kernel::ConvFilterOp op, ArrayRef<Elements> operands,
                              ArrayRef<int64_t> point) {
  ArrayRef<int64_t> out = cast<RankedTensorType>(op.getRhs().getType()).getShape();
  int64_t group = point[0] / (out[3] / int64_t(op.getGroups()));
  double sum = 0;
  for (int64_t n = 0; n < out[0]; ++n)
    for (int64_t y = 0; y < out[1]; ++y)
      for (int64_t x = 0; x < out[2]; ++x)
        sum += pixel(op, operands[0], n, y * op.getStrides()[0] + point[1] * op.getDilations()[0],
                     x * op.getStrides()[1] + point[2] * op.getDilations()[1],
                     group * op.getSpace()[3] + point[3]) *
               operands[1][flatten({n, y, x, point[0]}, op.getRhs().getType())].real;
  return sum;
}

bool test::canSum(Operation *op) {
  return isa<kernel::GemmOp, kernel::ConvOp, kernel::ConvFilterOp>(op);
}
double test::sumAt(Operation *op, ArrayRef<Elements> operands, ArrayRef<int64_t> point) {
  if (auto conv = dyn_cast<kernel::ConvOp>(op))
    return sumOfConv(conv, operands, point);
  if (auto filter = dyn_cast<kernel::ConvFilterOp>(op))
    return sumOfConvFilter(filter, operands, point);
  return sumOfGemm(cast<kernel::GemmOp>(op), operands, point);
}
