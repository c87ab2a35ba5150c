// Operations on mbarrier objects, shared by instructions and by the copies that signal the object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_MBARRIER_H
#define PTXSIM_MACHINE_MBARRIER_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

struct MbarrierRef {
  Block *block;
  MBarrier *object;
};

/// Initialised object at a shared, shared::cluster or generic address; faults if there is no
/// object.
MbarrierRef findMbarrier(Warp &w, uint64_t address, unsigned lane, const char *what);
/// Adds `expect` transaction bytes, then `count` arrivals.
void arriveMbarrier(Warp &w, MbarrierRef ref, uint32_t count, int64_t expect, bool release,
                    unsigned lane);
/// Counts arrived bytes; `w`: warp that issued the copy, for messages.
void completeTransaction(Warp &w, MbarrierRef ref, int64_t bytes);

} // namespace ptxsim
#endif
