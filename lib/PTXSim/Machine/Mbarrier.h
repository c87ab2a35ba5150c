// Operations on mbarrier objects, shared by the instructions and the copies that signal them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_MBARRIER_H
#define PTXSIM_MACHINE_MBARRIER_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

struct MbarrierRef {
  Block *block;
  MBarrier *object;
};

/// The initialised object at a shared, shared::cluster or generic address; faults if there is none.
MbarrierRef findMbarrier(Warp &w, uint64_t address, unsigned lane, const char *what);
/// `count` arrivals and `expect` more transaction bytes, in that order of effect: first expect.
void arriveMbarrier(Warp &w, MbarrierRef ref, uint32_t count, int64_t expect, bool release,
                    unsigned lane);
/// Bytes have arrived; `w` is the warp that issued the copy, for messages.
void completeTransaction(Warp &w, MbarrierRef ref, int64_t bytes);

} // namespace ptxsim
#endif
