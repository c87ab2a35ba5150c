// Arithmetic of wgmma, independent of scheduling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_WGMMA_H
#define PTXSIM_MACHINE_WGMMA_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Computes the 16 rows of a warp into the accumulators.
void executeWgmma(Warp &w, const WgmmaItem &item);

} // namespace ptxsim
#endif
