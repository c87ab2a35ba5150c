// Options of the commands that run a model: how processors do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_HOSTOPTIONS_H
#define TOOLS_AMPC_HOSTOPTIONS_H

#include "ampc/Runtime/Common.h"
#include "tools/ampc/CommandLine.h"
#include "llvm/Support/CommandLine.h"

namespace ampc {
/// An instance per command, beside the definition of the command.
struct HostOptions {
  WholeOption<int> threads;
  llvm::cl::opt<ampc_shares> shares;
  llvm::cl::opt<bool> pin;
  llvm::cl::opt<ampc_denormals> denormals;

  explicit HostOptions(llvm::cl::SubCommand &command);
  void apply(ampc_options &options) const;
};
} // namespace ampc
#endif
