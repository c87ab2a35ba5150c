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

namespace {
/// The image of a convolution, dilated and padded as the op says. Attributes of the op are read
/// once: pixels are looked up for every tap and channel of every point.
template <typename Op> class Image {
public:
  Image(Op op, const Elements &elements) : elements(elements) {
    ArrayRef<int64_t> shape = op.getLhs().getType().getShape();
    bool channelsFirst = op.getChannelsFirst();
    for (unsigned i = 0; i < 2; ++i) {
      sizes[i] = shape[(channelsFirst ? 2 : 1) + i];
      before[i] = op.getPadding()[2 * i];
      dilations[i] = op.getInputDilations()[i];
    }
    int64_t channels = shape[channelsFirst ? 1 : 3];
    imageStride = sizes[0] * sizes[1] * channels;
    pixelStride = channelsFirst ? 1 : channels;
    channelStride = channelsFirst ? sizes[0] * sizes[1] : 1;
  }

  /// At row y and column x of the padded image.
  double at(int64_t n, int64_t y, int64_t x, int64_t channel) const {
    if (!find(y, 0) || !find(x, 1))
      return 0;
    return elements[n * imageStride + (y * sizes[1] + x) * pixelStride + channel * channelStride]
        .real;
  }

private:
  /// Maps a position in the padded image to the image along this axis; false for padding and gaps.
  bool find(int64_t &place, unsigned side) const {
    place -= before[side];
    if (place < 0)
      return false;
    if (dilations[side] > 1) { // a division takes longer than all else
      if (place % dilations[side])
        return false;
      place /= dilations[side];
    }
    return place < sizes[side];
  }

  const Elements &elements;
  int64_t sizes[2], before[2], dilations[2];
  int64_t imageStride, pixelStride, channelStride;
};
} // namespace

static double sumOfConv(kernel::ConvOp op, ArrayRef<Elements> operands, ArrayRef<int64_t> point) {
  Image image(op, operands[0]);
  SmallVector<int64_t> filter = kernel::filterShape(op);
  auto packing = kernel::packingOf(op.getRhs().getType());
  bool isTurned = packing && packing.getDepth() == 0;
  RankedTensorType type = op.getRhs().getType();
  int64_t group = point[3] / (filter[0] / int64_t(op.getGroups()));
  ArrayRef<int64_t> strides = op.getStrides(), dilations = op.getDilations();
  double sum = 0;
  for (int64_t ky = 0; ky < filter[1]; ++ky)
    for (int64_t kx = 0; kx < filter[2]; ++kx) {
      auto place = [&](int64_t c) {
        return isTurned ? flatten({c, filter[1] - 1 - ky, filter[2] - 1 - kx, point[3]}, type)
                        : flatten({point[3], ky, kx, c}, type);
      };
      int64_t start = place(0), step = filter[3] > 1 ? place(1) - start : 0;
      int64_t y = point[1] * strides[0] + ky * dilations[0];
      int64_t x = point[2] * strides[1] + kx * dilations[1];
      for (int64_t c = 0; c < filter[3]; ++c)
        sum += image.at(point[0], y, x, group * filter[3] + c) * operands[1][start + c * step].real;
    }
  return sum;
}

static double sumOfConvFilter(kernel::ConvFilterOp op, ArrayRef<Elements> operands,
                              ArrayRef<int64_t> point) {
  Image image(op, operands[0]);
  ArrayRef<int64_t> out = cast<RankedTensorType>(op.getRhs().getType()).getShape();
  int64_t group = point[0] / (out[3] / int64_t(op.getGroups()));
  int64_t channel = group * op.getSpace()[3] + point[3];
  ArrayRef<int64_t> strides = op.getStrides(), dilations = op.getDilations();
  double sum = 0;
  for (int64_t n = 0; n < out[0]; ++n)
    for (int64_t y = 0; y < out[1]; ++y)
      for (int64_t x = 0; x < out[2]; ++x)
        sum += image.at(n, y * strides[0] + point[1] * dilations[0],
                        x * strides[1] + point[2] * dilations[1], channel) *
               operands[1][((n * out[1] + y) * out[2] + x) * out[3] + point[0]].real;
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
