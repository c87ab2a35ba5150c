// Counters of memory requests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_STATS_H
#define PTXSIM_MACHINE_STATS_H

#include "lib/PTXSim/Machine/Access.h"

namespace ptxsim {

/// One warp-wide request to global memory: 32-byte sectors touched against the minimum.
void countGlobal(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes,
                 AccessKind kind);
/// Bytes of global memory that a bulk copy moves.
void countBulk(Warp &w, uint64_t address, unsigned bytes, bool isStore);
/// One warp-wide request to shared memory: passes over the 32 banks against the minimum.
void countShared(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes);

} // namespace ptxsim
#endif
