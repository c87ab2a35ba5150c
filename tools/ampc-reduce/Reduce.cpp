// MLIR's reducer with the dialects of models: finds a small model that a test still accepts as
// interesting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "tools/Drivers.h"
#include "tools/LoadOption.h"
#include "tools/Version.h"
#include "tools/ampc-reduce/ReduceModel.h"

int ampc::runReduce(int argc, char **argv) {
  setVersionPrinter();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  registerReduceModel();
  mlir::MLIRContext context(registry);
  LoadOption load([&](const auto &loaded) { context.appendDialectRegistry(loaded); });
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
