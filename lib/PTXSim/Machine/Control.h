// Handlers that are the same for every instruction set of the host.
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

/// vprintf: count is 1 with a result in local memory. List: local offsets of the format's address,
/// the arguments' address, and the result.
void executePrintf(Warp &w, const Inst &i);
/// A warp has exited: it no longer counts at barriers.
void warpExited(Warp &w);
/// Carries out one pending bulk copy of the cluster and removes it from the list.
void completePending(Cluster &cluster, size_t index);
/// Completes cp.async groups until at most `keep` committed ones are left.
void completeCopies(Warp &w, size_t keep, bool open);
/// Faults when asynchronous work that needs a wait is left at the end of a warp.
void checkAsyncAtExit(Warp &w);

} // namespace ptxsim
#endif
