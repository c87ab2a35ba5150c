// Counters of memory requests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_STATS_H
#define PTXSIM_MACHINE_STATS_H

#include "lib/PTXSim/Machine/Access.h"

namespace ptxsim {

/// Warp-wide request to global memory: counts sectors touched, and the minimum. Example: 32 aligned
/// contiguous f32 -> 4 sectors.
void countGlobal(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes,
                 AccessKind kind);
/// Counts bytes that a bulk copy moves in global memory.
void countBulk(Warp &w, uint64_t address, unsigned bytes, bool isStore);
/// Warp-wide request to shared memory: counts passes over the 32 banks, and the minimum.
void countShared(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes);

} // namespace ptxsim
#endif
