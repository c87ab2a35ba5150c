// Loops become their rounds in front of the conversion to kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Pipelines/UnrollLoops.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace ampc;

namespace {
struct UnrollLoops : PassWrapper<UnrollLoops, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoops)
  StringRef getName() const override { return "UnrollLoops"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  void runOnOperation() override {
    WalkResult hasLoop =
        getOperation()->walk([](train::ScanOp) { return WalkResult::interrupt(); });
    if (!hasLoop.wasInterrupted())
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createTrainUnrollScans());
    pm.addPass(createTrainSimplify());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> ampc::createUnrollLoops() { return std::make_unique<UnrollLoops>(); }
