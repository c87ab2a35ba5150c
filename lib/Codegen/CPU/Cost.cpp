// Cost model of kernel bodies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Cost.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;

static bool isPolynomial(Operation &op) { return isa<math::MathDialect>(op.getDialect()); }

int64_t cpu::instructionsOf(ValueRange values) {
  int64_t count = 0;
  llvm::SmallSetVector<Operation *, 32> needed;
  auto need = [&](ValueRange operands) {
    for (Value operand : operands)
      if (Operation *op = operand.getDefiningOp(); op && !isa<kernel::RowReduceOp>(op))
        needed.insert(op);
  };
  need(values);
  for (size_t i = 0; i < needed.size(); ++i) {
    count += isPolynomial(*needed[i]) ? 20 : 1;
    need(needed[i]->getOperands());
  }
  return count;
}
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
  // Cache bandwidth: 20 bytes per ns.
  for (Operation &bodyOp : op.getBody().front())
    cost += isPolynomial(bodyOp) ? 0.3 : 0.03;
  return cost + bytes / 20;
}
int64_t cpu::pointsPerTask(FusedKernelOpInterface op) {
  return std::max<int64_t>(1024, 12000 / pointCost(op));
}
