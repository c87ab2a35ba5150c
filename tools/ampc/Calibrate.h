// What this machine does per second, measured by small programs of ampc's own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_CALIBRATE_H
#define TOOLS_AMPC_CALIBRATE_H

#include "ampc/Kernel/Cost.h"

namespace ampc {
/// Takes seconds, on an otherwise idle machine. Of the tiers, those that it runs.
llvm::Expected<cost::Machine> calibrateMachine();
} // namespace ampc
#endif
