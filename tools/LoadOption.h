// Option `--load` of programs whose command line MLIR parses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_LOADOPTION_H
#define TOOLS_LOADOPTION_H

#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Support/Terminal.h"
#include "llvm/Support/CommandLine.h"
#include <functional>

namespace ampc {
/// Loads every library during the parsing of the command line, because MLIR's main functions read
/// the input before returning, and passes the library's dialects to `take`.
class LoadOption {
public:
  explicit LoadOption(std::function<void(const mlir::DialectRegistry &)> take)
      : paths("load", llvm::cl::desc("shared library with ops of other dialects"),
              llvm::cl::value_desc("LIB.so"), llvm::cl::callback([take](const std::string &path) {
                if (llvm::Error error = loadOpLibrary(path)) {
                  messages() << "error: " << llvm::toString(std::move(error)) << "\n";
                  exit(1);
                }
                mlir::DialectRegistry loaded;
                registerLoadedDialects(loaded);
                take(loaded);
              })) {}

private:
  llvm::cl::list<std::string> paths;
};
} // namespace ampc
#endif
