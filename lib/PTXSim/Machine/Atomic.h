// Read-modify-write, shared by atom, red and bulk reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_ATOMIC_H
#define PTXSIM_MACHINE_ATOMIC_H

#include "lib/PTXSim/Machine/Program.h"

namespace ptxsim {

/// *p = op(*p, b, c); the previous value goes to `old`.
void atomicUpdate(uint8_t *p, AtomicOp op, Type type, const void *b, const void *c, void *old);
float halfBitsToFloat(uint16_t h, bool brain);
uint16_t floatToHalfBits(float f, bool brain);

} // namespace ptxsim
#endif
