// Runs the clusters of a launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_SCHEDULER_H
#define PTXSIM_MACHINE_SCHEDULER_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Prepares a worker's storage for the launch: once, before its first cluster.
void prepareWorker(Worker &worker, Launch &launch);
/// Runs one cluster to its end. Throws Error.
void runCluster(Worker &worker, uint64_t index);

} // namespace ptxsim
#endif
