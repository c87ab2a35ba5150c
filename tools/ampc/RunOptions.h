// Options of the commands that run steps on data from files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_RUNOPTIONS_H
#define TOOLS_AMPC_RUNOPTIONS_H

#include "tools/ampc/CommandLine.h"
#include "tools/ampc/HostOptions.h"
#include "tools/ampc/Sources.h"

namespace ampc {
/// An instance per command, beside the definition of the command.
struct RunOptions {
  llvm::cl::opt<std::string> input;
  DataOptions data;
  WholeOption<unsigned long long> seed;
  llvm::cl::opt<bool> shuffle;
  HostOptions host;

  explicit RunOptions(llvm::cl::SubCommand &command);
  /// Options of a new state.
  ampc_options stateOptions() const;
};
} // namespace ampc
#endif
