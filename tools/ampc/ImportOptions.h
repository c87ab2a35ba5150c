// What the command line says of a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_IMPORTOPTIONS_H
#define TOOLS_AMPC_IMPORTOPTIONS_H

#include "ampc/Import/ONNX.h"
#include "llvm/Support/CommandLine.h"

namespace ampc {
/// The options; one instance per command.
struct OnnxOptions {
  explicit OnnxOptions(llvm::cl::SubCommand &command);
  llvm::Expected<ImportOptions> read() const;

  llvm::cl::opt<std::string> loss, optimizer;
  llvm::cl::list<std::string> freeze;
  llvm::cl::opt<int64_t> batch;
  llvm::cl::list<std::string> dims;
};
} // namespace ampc
#endif
