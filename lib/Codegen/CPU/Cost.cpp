// Cost model of kernel bodies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Cost.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;

double cpu::pointCost(FusedKernelOpInterface op) {
  double bytes = 0, cost = 0.05;
  unsigned rank = op.getSpace().size();
  auto add = [&](Type type, Attribute attr) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (rank && map.isFunctionOfDim(rank - 1))
      bytes += std::max(1u, bits / 8);
  };
  OperandRange inputs = op.getInputsMutable();
  for (auto [input, map] : llvm::zip(inputs, op.getInputMaps()))
    add(input.getType(), map);
  for (auto [type, map] : llvm::zip(op->getResultTypes(), op.getResultMaps()))
    add(type, map);
  // Cache bandwidth: 20 bytes per ns. A polynomial (exp, tanh) takes about 20 instructions.
  for (Operation &bodyOp : op.getBody().front())
    cost += isa<math::MathDialect>(bodyOp.getDialect()) ? 0.3 : 0.03;
  return cost + bytes / 20;
}
int64_t cpu::pointsPerTask(FusedKernelOpInterface op) {
  return std::max<int64_t>(1024, 12000 / pointCost(op));
}
