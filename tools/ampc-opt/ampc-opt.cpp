// Every pass by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Pipelines/Pipelines.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::list<std::string> load("load",
                                        llvm::cl::desc("shared library with ops of other dialects"),
                                        llvm::cl::value_desc("LIB.so"));

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ampc::registerDialects(registry);
  ampc::registerPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "ampc pass driver\n", registry);
  if (llvm::Error error = ampc::loadOpLibraries(load)) {
    llvm::errs() << "ampc-opt: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  ampc::registerLoadedDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
