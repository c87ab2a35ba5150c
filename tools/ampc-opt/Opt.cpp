// ampc-opt: runs passes separately.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Support/Terminal.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/Drivers.h"
#include "tools/Version.h"
#include "llvm/Support/CommandLine.h"

int ampc::runOpt(int argc, char **argv) {
  setVersionPrinter();
  llvm::cl::list<std::string> load("load",
                                   llvm::cl::desc("shared library with ops of other dialects"),
                                   llvm::cl::value_desc("LIB.so"));
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "ampc pass driver\n", registry);
  if (llvm::Error error = loadOpLibraries(load)) {
    ampc::messages() << "ampc-opt: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  registerLoadedDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
