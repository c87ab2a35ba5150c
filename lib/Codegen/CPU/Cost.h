// Cost model: time of bodies, which sizes tasks, and cache capacity, which decides on streaming
// stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_COST_H
#define LIB_CODEGEN_CPU_COST_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// Nanoseconds per point of the iteration domain on an average vector unit. The same on every tier,
/// so that the task grid is.
double pointCost(FusedKernelOpInterface op);
/// Instructions per vector for values of a body, without sums that are finished before:
/// a polynomial (exp, tanh) takes about 20. Example: tanh(x + y) -> 21.
int64_t instructionsOf(mlir::ValueRange values);
/// Points per task that outweigh the 1 to 2 us of handing a task to a thread. Example: 1 ns a point
/// -> 12000.
int64_t pointsPerTask(FusedKernelOpInterface op);
/// Least bytes of a tensor for streaming stores: larger tensors leave the caches before their
/// consumer runs (gradient -> update, packed weight -> GEMM).
constexpr int64_t leastStreamed = 4 << 20;

} // namespace ampc::cpu
#endif
