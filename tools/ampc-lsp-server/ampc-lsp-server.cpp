// Diagnostics, definitions and completion of models in editors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ampc::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
