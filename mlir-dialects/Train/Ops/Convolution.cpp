// Convolutions: verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

/// Checks a convolution or its gradient: `image` and `filter` must imply `out`; `operands` have one
/// type, and the result has the type of the accumulator.
template <typename Op>
static LogicalResult verifyConvolution(Op op, RankedTensorType image, RankedTensorType filter,
                                       RankedTensorType out) {
  if (image.getRank() != 4 || filter.getRank() != 4 || out.getRank() != 4)
    return op.emitOpError() << "expected images NHWC and a filter OHWI, but got " << image << ", "
                            << filter << " and " << out;
  if (!areWindowNumbers(op.getStrides(), 2, 1) || !areWindowNumbers(op.getDilations(), 2, 1) ||
      !areWindowNumbers(op.getPadding(), 4, 0))
    return op.emitOpError()
           << "expected 2 strides, 2 dilations and 4 paddings, each less than 2^31, but got ["
           << op.getStrides() << "], [" << op.getDilations() << "] and [" << op.getPadding() << "]";
  int64_t groups = op.getGroups();
  if (groups < 1 || filter.getDimSize(0) % groups ||
      filter.getDimSize(3) * groups != image.getDimSize(3))
    return op.emitOpError() << "expected " << groups << " groups that divide the channels of "
                            << image << " and the outputs of " << filter;
  SmallVector<int64_t> shape = {image.getDimSize(0), 0, 0, filter.getDimSize(0)};
  for (int i : {0, 1}) {
    auto count = windowsAlong(image.getDimSize(1 + i), op.getPadding().slice(2 * i, 2),
                              filter.getDimSize(1 + i), op.getStrides()[i], op.getDilations()[i]);
    if (!count)
      return op.emitOpError() << "expected a filter that fits into the padded image, but got "
                              << filter << " and " << image;
    shape[1 + i] = *count;
  }
  if (out.getShape() != ArrayRef<int64_t>(shape))
    return op.emitOpError() << "expected an output of shape [" << ArrayRef<int64_t>(shape)
                            << "], but got " << out;
  Type a = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  Type b = cast<RankedTensorType>(op->getOperand(1).getType()).getElementType();
  Type acc = a.getIntOrFloatBitWidth() < 32 ? Float32Type::get(op.getContext()) : a;
  if (a != b || op.getType().getElementType() != acc)
    return op.emitOpError() << "expected operands of one element type and a result in " << acc
                            << ", but got " << a << ", " << b << " and " << op.getType();
  return success();
}

LogicalResult Conv2dOp::verify() {
  return verifyConvolution(*this, getImage().getType(), getFilter().getType(), getType());
}

bool Conv2dOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getFilter()); }

std::optional<Fans> Conv2dOp::getFans(unsigned operand) {
  return fansOfFilter(operand, getFilter().getType());
}
std::optional<Fans> Conv2dGradInputOp::getFans(unsigned operand) {
  return fansOfFilter(operand, getFilter().getType());
}

LogicalResult Conv2dGradInputOp::verify() {
  return verifyConvolution(*this, getType(), getFilter().getType(), getG().getType());
}

LogicalResult Conv2dGradFilterOp::verify() {
  return verifyConvolution(*this, getImage().getType(), getType(), getG().getType());
}

/// FLOPs of a convolution: 2 per output element and filter element of the output's channel.
static int64_t flopsOf(RankedTensorType output, RankedTensorType filter) {
  return 2 * output.getNumElements() * (filter.getNumElements() / filter.getDimSize(0));
}
int64_t Conv2dOp::getFlops() { return flopsOf(getType(), getFilter().getType()); }
int64_t Conv2dGradInputOp::getFlops() { return flopsOf(getG().getType(), getFilter().getType()); }
int64_t Conv2dGradFilterOp::getFlops() { return flopsOf(getG().getType(), getType()); }
