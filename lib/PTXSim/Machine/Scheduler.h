// Runs the clusters of a launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_SCHEDULER_H
#define PTXSIM_MACHINE_SCHEDULER_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Allocates a worker's storage for a launch, before the worker's first cluster.
void prepareWorker(Worker &worker, Launch &launch);
/// Runs a cluster to completion. Throws Error.
void runCluster(Worker &worker, uint64_t index);

} // namespace ptxsim
#endif
