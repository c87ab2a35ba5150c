// Options of the commands that run a model: its threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_THREADOPTIONS_H
#define TOOLS_AMPC_THREADOPTIONS_H

#include "ampc/Runtime/Common.h"
#include "llvm/Support/CommandLine.h"

namespace ampc {
/// One instance per command, beside its definition.
struct ThreadOptions {
  llvm::cl::opt<int> threads;
  llvm::cl::opt<ampc_shares> shares;
  llvm::cl::opt<bool> pin;

  explicit ThreadOptions(llvm::cl::SubCommand &command);
  void apply(ampc_options &options) const;
};
} // namespace ampc
#endif
