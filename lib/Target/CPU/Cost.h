// How long bodies take, to cut work into tasks, and what caches hold, to choose stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_COST_H
#define LIB_TARGET_CPU_COST_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// Nanoseconds per point of the space, for a vector unit of average width. The same on every tier,
/// so that tasks are.
double pointCost(FusedKernelOpInterface op);
/// Points that make a task worth the 1 to 2 us it takes to hand it to a thread.
int64_t pointsPerTask(FusedKernelOpInterface op);
/// Bytes of a tensor that a processor's caches will not hold beside what a step does until the
/// tensor is read: a gradient until its update, a weight's packed copy until its products.
constexpr int64_t leastStreamed = 4 << 20;

} // namespace ampc::cpu
#endif
