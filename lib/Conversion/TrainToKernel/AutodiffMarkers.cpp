// Markers of autodiff: seed and gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

static LogicalResult convertSeed(train::SeedOp op, Converter &converter) {
  auto literal = converter.builder.getFloatAttr(op.getType().getElementType(),
                                                op.getValue().convertToDouble());
  converter.set(op, Access{{}, {}, literal, op.getType()});
  return success();
}

// Marks the gradient's kernel with `kernel.barrier`; the attribute stays when producers are fused
// into the kernel.
static LogicalResult convertGradient(train::GradientOp op, Converter &converter) {
  Value tensor = converter.tensor(op.getX());
  if (Operation *producer = kernel::throughViews(tensor).getDefiningOp<KernelOpInterface>())
    producer->setAttr("kernel.barrier", converter.builder.getUnitAttr());
  converter.set(op, tensor);
  return success();
}

void ampc::addMarkRules(ConversionRules &families) {
  families.add<train::SeedOp>(convertSeed);
  families.add<train::GradientOp>(convertGradient);
}
