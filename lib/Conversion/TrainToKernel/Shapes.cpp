// Constants and data movement: literals, indexing maps and views, rarely a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

/// Converts to the operand's access, composed with `map` from the result's indices. No kernel.
static LogicalResult alias(Operation *op, AffineMap map, Converter &converter) {
  Access access = converter.access(op->getOperand(0));
  auto type = tensorOf(op->getResult(0));
  converter.set(op->getResult(0), access.literal
                                      ? Access{{}, {}, access.literal, type}
                                      : Access{access.tensor, access.map.compose(map), {}, type});
  return success();
}

static LogicalResult convertTranspose(train::TransposeOp op, Converter &converter) {
  return alias(op, op.getOperandMap(0), converter);
}
static LogicalResult convertBroadcast(train::BroadcastToOp op, Converter &converter) {
  return alias(op, op.getOperandMap(0), converter);
}
static LogicalResult convertSlice(train::SliceOp op, Converter &converter) {
  return alias(op, op.getOperandMap(0), converter);
}
static LogicalResult convertStopGradient(train::StopGradientOp op, Converter &converter) {
  return alias(op, converter.builder.getMultiDimIdentityMap(op.getType().getRank()), converter);
}
static LogicalResult convertReshape(train::ReshapeOp op, Converter &converter) {
  Access access = converter.access(op.getX());
  converter.set(op, converter.reshape(op.getLoc(), access, op.getType().getShape()));
  return success();
}
static LogicalResult convertConstant(train::ConstantOp op, Converter &converter) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (splat)
    converter.set(op,
                  Access{{}, {}, cast<TypedAttr>(splat.getSplatValue<Attribute>()), op.getType()});
  else
    converter.set(op, kernel::ConstantOp::create(converter.builder, op.getLoc(), op.getValue()));
  return success();
}

void ampc::addShapeRules(ConversionRules &families) {
  families.add<train::TransposeOp>(convertTranspose);
  families.add<train::BroadcastToOp>(convertBroadcast);
  families.add<train::SliceOp>(convertSlice);
  families.add<train::StopGradientOp>(convertStopGradient);
  families.add<train::ReshapeOp>(convertReshape);
  families.add<train::ConstantOp>(convertConstant);
}
