// Precondition of passes on flat functions: one block without nested regions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/TrainFlat.h"
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;

LogicalResult ampc::checkIsFlat(Operation *module, StringRef pass) {
  bool isFlat = true;
  module->walk([&](train::FuncOp func) {
    for (Operation &op : func.getBody().front())
      if (op.getNumRegions() > 0) {
        op.emitOpError() << "expected an op without regions, which " << pass
                         << " would not look into, but got " << op.getNumRegions();
        isFlat = false;
      }
  });
  return success(isFlat);
}
