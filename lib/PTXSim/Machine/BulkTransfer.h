// Carrying out bulk copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_BULKTRANSFER_H
#define PTXSIM_MACHINE_BULKTRANSFER_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Numbers the bulk stores of a cluster, so that groups can name them. Never 0.
uint64_t nextOperationId(Cluster &cluster);

} // namespace ptxsim
#endif
