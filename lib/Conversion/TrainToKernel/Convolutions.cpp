// Convolutions: kernel.conv and kernel.conv_filter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

template <typename Kernel, typename Op>
static LogicalResult createConv(Op op, Value lhs, Value rhs, ArrayRef<int64_t> strides,
                                ArrayRef<int64_t> padding, ArrayRef<int64_t> inputDilations,
                                Converter &converter) {
  OpBuilder &builder = converter.builder;
  RankedTensorType type = op.getType();
  auto create = [&](auto... choices) {
    return Kernel::create(builder, op.getLoc(), TypeRange{type}, lhs, rhs, ValueRange{},
                          type.getShape(), strides, padding, op.getDilations(), inputDilations,
                          op.getGroups(), builder.getAffineMapArrayAttr({}),
                          builder.getAffineMapArrayAttr(builder.getMultiDimIdentityMap(4)),
                          type.getElementType(), modeOf(op), choices...);
  };
  Kernel conv;
  if constexpr (std::is_same_v<Kernel, kernel::ConvOp>)
    conv = create(/*plans=*/ArrayAttr(), /*blockings=*/ArrayAttr());
  else
    conv = create(/*plan=*/kernel::PlanAttr(), /*blockings=*/ArrayAttr());
  converter.addPlainBody(conv, type.getElementType());
  converter.set(op, conv.getResult(0));
  return success();
}

static LogicalResult convertConv2d(train::Conv2dOp op, Converter &converter) {
  return createConv<kernel::ConvOp>(op, converter.tensor(op.getImage()),
                                    converter.tensor(op.getFilter()), op.getStrides(),
                                    op.getPadding(), {1, 1}, converter);
}
static LogicalResult convertGradFilter(train::Conv2dGradFilterOp op, Converter &converter) {
  return createConv<kernel::ConvFilterOp>(op, converter.tensor(op.getImage()),
                                          converter.tensor(op.getG()), op.getStrides(),
                                          op.getPadding(), {1, 1}, converter);
}

/// The filter rotated by 180 degrees, with input and output channels exchanged within groups:
/// [outputs, height, width, channels] -> [channels, height, width, outputs] for a single group.
static Value flippedFilter(Location loc, Value filter, int64_t groups, Converter &converter) {
  Access access = converter.access(filter);
  ArrayRef<int64_t> shape = access.type.getShape();
  int64_t outputs = shape[0] / groups, channels = shape[3];
  SmallVector<int64_t> space = {groups * channels, shape[1], shape[2], outputs};
  AffineExpr c, y, x, o;
  bindDims(converter.builder.getContext(), c, y, x, o);
  AffineExpr group = c.floorDiv(channels);
  AffineExpr output = groups == 1 ? o : group * outputs + o,
             channel = groups == 1 ? c : c % channels;
  AffineMap map = AffineMap::get(4, 0, {output, shape[1] - 1 - y, shape[2] - 1 - x, channel},
                                 converter.builder.getContext());
  return converter
      .map(loc, access.type.clone(space), access, map, space,
           converter.builder.getMultiDimIdentityMap(4), copyElements)
      ->getResult(0);
}

/// Gradient of the input: a convolution of the cotangent, dilated by the strides, with the rotated
/// filter.
static LogicalResult convertGradInput(train::Conv2dGradInputOp op, Converter &converter) {
  Value filter = flippedFilter(op.getLoc(), op.getFilter(), op.getGroups(), converter);
  ArrayRef<int64_t> image = op.getType().getShape(), g = op.getG().getType().getShape();
  SmallVector<int64_t> padding;
  for (int i : {0, 1}) {
    int64_t reach = (op.getFilter().getType().getDimSize(1 + i) - 1) * op.getDilations()[i];
    int64_t low = reach - op.getPadding()[2 * i], spread = (g[1 + i] - 1) * op.getStrides()[i] + 1;
    padding.append({low, image[1 + i] + reach - spread - low});
  }
  return createConv<kernel::ConvOp>(op, converter.tensor(op.getG()), filter, {1, 1}, padding,
                                    op.getStrides(), converter);
}

void ampc::addConvolutionRules(ConversionRules &families) {
  families.add<train::Conv2dOp>(convertConv2d);
  families.add<train::Conv2dGradInputOp>(convertGradInput);
  families.add<train::Conv2dGradFilterOp>(convertGradFilter);
}
