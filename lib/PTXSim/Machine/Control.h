// Handlers without variants per host instruction set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_CONTROL_H
#define PTXSIM_MACHINE_CONTROL_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

Handler selectControl(const Inst &i);
Handler selectCollective(const Inst &i);
Handler selectBarrier(const Inst &i);
Handler selectAtomic(const Inst &i);
Handler selectCopy(const Inst &i);
Handler selectMbarrier(const Inst &i);
Handler selectBulk(const Inst &i);
Handler selectWgmma(const Inst &i);

/// vprintf. count: 1 if a result goes to local memory. List: local offsets of the format's address,
/// the arguments' address, and the result.
void executePrintf(Warp &w, const Inst &i);
/// Removes an exited warp from all barrier counts.
void warpExited(Warp &w);
/// Performs a pending bulk copy of the cluster and removes the copy from the list.
void completePending(Cluster &cluster, size_t index);
/// Completes cp.async groups until at most `keep` committed groups are left.
void completeCopies(Warp &w, size_t keep, bool open);
/// Faults if asynchronous work without a wait is left at the end of a warp.
void checkAsyncAtExit(Warp &w);

} // namespace ptxsim
#endif
