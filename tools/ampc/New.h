// ampc new: a project to begin with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_NEW_H
#define TOOLS_AMPC_NEW_H

#include "llvm/Support/CommandLine.h"

namespace ampc {
extern llvm::cl::SubCommand newCommand;
/// Writes the files of the folder that the command line names; returns the exit status.
int runNew();
} // namespace ampc
#endif
