// Convolution filters as prepacked right-hand sides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/PackedFilter.h"
#include "mlir-dialects/Kernel/Constraints.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

SmallVector<int64_t> kernel::matrixOf(RankedTensorType packed) {
  ArrayRef<int64_t> shape = packed.getShape();
  return {shape[0], ShapedType::getNumElements(shape.drop_front())};
}

int64_t kernel::turnedTaps(RankedTensorType packed) {
  bool isTurned = packed.getRank() == 4 && packingOf(packed).getDepth() == 0;
  return isTurned ? packed.getDimSize(1) * packed.getDimSize(2) : 1;
}

SmallVector<int64_t> kernel::filterShape(ConvOp op) {
  auto filter = tensorOf(op.getRhs());
  SmallVector<int64_t> shape(filter.getShape());
  if (PackedAttr packing = packingOf(filter); packing && packing.getDepth() == 0)
    std::swap(shape.front(), shape.back());
  return shape;
}
