// Ops with scalar code (ScalarOpInterface): a kernel.map per op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

static LogicalResult convertScalar(ScalarOpInterface op, Converter &converter) {
  SmallVector<Access> inputs;
  SmallVector<AffineMap> maps, resultMaps;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    inputs.push_back(converter.access(operand));
    maps.push_back(op.getOperandMap(i));
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    resultMaps.push_back(op.getResultMap(i));
  Operation *map =
      converter.map(op.getLoc(), op->getResultTypes(), inputs, maps, op.getSpace(), resultMaps,
                    [&](ScalarBuilder &b, ValueRange x) { return op.buildScalars(b, x); });
  if (!op->hasTrait<ReducesRow>() && !map->getRegion(0).getOps<kernel::RowReduceOp>().empty())
    return op.emitError("expected `reducesRow = 1` in the entry of an op whose scalar code reduces "
                        "along the last dimension");
  for (auto [from, to] : llvm::zip(op->getResults(), map->getResults()))
    converter.set(from, to);
  return success();
}

void ampc::addScalarRules(ConversionRules &families) {
  families.add<ScalarOpInterface>(convertScalar);
}
