// Precondition of passes on flat functions: one block without nested regions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/TrainFlat.h"
#include "mlir-dialects/Train/Ops/Loops.h"

using namespace mlir;
using namespace ampc;

/// Emits an error at every op with regions that `allows` is false for.
static LogicalResult checkRegions(Operation *module, StringRef pass,
                                  llvm::function_ref<bool(Operation *)> allows) {
  bool isGood = true;
  module->walk([&](Operation *op) {
    if (op->getNumRegions() == 0 || !op->getParentOfType<train::FuncOp>() || allows(op))
      return;
    op->emitOpError() << "expected an op without regions, which " << pass
                      << " would not look into, but got " << op->getNumRegions();
    isGood = false;
  });
  return success(isGood);
}

LogicalResult ampc::checkIsFlat(Operation *module, StringRef pass) {
  return checkRegions(module, pass, [](Operation *) { return false; });
}
LogicalResult ampc::checkHasOnlyLoops(Operation *module, StringRef pass) {
  return checkRegions(module, pass, [](Operation *op) { return isa<train::ScanOp>(op); });
}
