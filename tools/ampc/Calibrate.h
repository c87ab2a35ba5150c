// Rates of this machine (operations and bytes per second), measured by small programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_CALIBRATE_H
#define TOOLS_AMPC_CALIBRATE_H

#include "ampc/Kernel/Cost.h"

namespace ampc {
/// Measures each tier that the machine supports; takes some seconds and needs an idle machine.
llvm::Expected<cost::Machine> calibrateMachine();
} // namespace ampc
#endif
