// The dialect, including op families with separate headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Families.h"
#include "mlir-dialects/Train/Ops/CompositeNorm.h"
#include "mlir-dialects/Train/Ops/Einsum.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Indexing.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Recurrent.h"
#include "mlir-dialects/Train/Ops/Sampling.h"
#include "mlir-dialects/Train/Ops/Windows.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/Modules.h"

void ampc::registerTrainDialect(mlir::DialectRegistry &registry) {
  registry.insert<train::TrainDialect>();
  registerModuleOps(registry);
  registerKnobOps(registry);
  registerFollowOps(registry);
  registerGradientOps(registry);
  registerLoopOps(registry);
  registerRecurrentOps(registry);
  registerPartOps(registry);
  registerUpdateOps(registry);
  registerCompositeNormOps(registry);
  registerIndexingOps(registry);
  registerSamplingOps(registry);
  registerWindowOps(registry);
  registerEinsumOps(registry);
}

void ampc::loadTrainDialect(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registerTrainDialect(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<train::TrainDialect>();
}
