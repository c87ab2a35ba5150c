// Execution of bulk copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_BULKTRANSFER_H
#define PTXSIM_MACHINE_BULKTRANSFER_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Number of the next bulk store of a cluster, never 0; groups hold these numbers.
uint64_t nextOperationId(Cluster &cluster);

} // namespace ptxsim
#endif
