// ampc-opt: runs passes separately.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Thread.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/Drivers.h"
#include "tools/StandardError.h"
#include "tools/Version.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Threading.h"

int ampc::runOpt(int argc, char **argv) {
  spellStandardError();
  setVersionPrinter();
  llvm::cl::list<std::string> load("load",
                                   llvm::cl::desc("shared library with ops of other dialects"),
                                   llvm::cl::value_desc("LIB.so"));
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  // MLIR's driver starts a separate thread pool.
  char withoutThreads[] = "--mlir-disable-threading";
  llvm::SmallVector<char *> words(argv, argv + argc);
  if (!startsThreads(llvm::hardware_concurrency().compute_thread_count()))
    words.insert(words.begin() + 1, withoutThreads);
  argc = words.size();
  words.push_back(nullptr);
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, words.data(), "ampc pass driver\n", registry);
  if (llvm::Error error = loadOpLibraries(load)) {
    ampc::messages() << "ampc-opt: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  registerLoadedDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, words.data(), input, output, registry));
}
