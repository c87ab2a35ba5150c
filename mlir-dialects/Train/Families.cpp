// The dialect, including op families with separate headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Families.h"
#include "mlir-dialects/Train/CompositeNorm.h"
#include "mlir-dialects/Train/Einsum.h"
#include "mlir-dialects/Train/Gradients.h"
#include "mlir-dialects/Train/Indexing.h"
#include "mlir-dialects/Train/Modules.h"
#include "mlir-dialects/Train/Parts.h"
#include "mlir-dialects/Train/Sampling.h"
#include "mlir-dialects/Train/Update.h"
#include "mlir-dialects/Train/Windows.h"

void ampc::registerTrainDialect(mlir::DialectRegistry &registry) {
  registry.insert<train::TrainDialect>();
  registerModuleOps(registry);
  registerGradientOps(registry);
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
