// ampc doctor: the parts of this machine that models, libraries and commands rely on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_DOCTOR_H
#define TOOLS_AMPC_DOCTOR_H

#include "llvm/Support/CommandLine.h"

namespace ampc {
extern llvm::cl::SubCommand doctorCommand;
/// Prints the findings; the exit status is 1 if a part that the environment or the command line
/// requests cannot work.
int runDoctor();
} // namespace ampc
#endif
