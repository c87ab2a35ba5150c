// The arithmetic of a wgmma, separate from when it happens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_WGMMA_H
#define PTXSIM_MACHINE_WGMMA_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Computes one warp's 16 rows and writes them to the accumulators.
void executeWgmma(Warp &w, const WgmmaItem &item);

} // namespace ptxsim
#endif
