// Options of the commands that run steps on data from files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_RUNOPTIONS_H
#define TOOLS_AMPC_RUNOPTIONS_H

#include "tools/ampc/HostOptions.h"
#include "tools/ampc/Sources.h"

namespace ampc {
/// One instance per command, beside its definition.
struct RunOptions {
  llvm::cl::opt<std::string> input;
  DataOptions data;
  llvm::cl::opt<uint64_t> seed;
  llvm::cl::opt<bool> shuffle;
  HostOptions host;

  explicit RunOptions(llvm::cl::SubCommand &command);
  /// What a new state needs of them.
  ampc_options stateOptions() const;
};
} // namespace ampc
#endif
