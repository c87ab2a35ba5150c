// MLIR's reducer with the dialects of models: finds a small model that a test still accepts as
// interesting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Support/TaskPool.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "tools/Drivers.h"
#include "tools/LoadOption.h"
#include "tools/StandardError.h"
#include "tools/Version.h"
#include "tools/ampc-reduce/ReduceModel.h"

int ampc::runReduce(int argc, char **argv) {
  spellStandardError();
  setVersionPrinter();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  registerReduceModel();
  TaskPool pool;
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.setThreadPool(pool);
  LoadOption load([&](const auto &loaded) { context.appendDialectRegistry(loaded); });
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
