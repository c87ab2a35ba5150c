// Sums, maxima and minima across the lanes of vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_COMBINE_H
#define LIB_CODEGEN_CPU_COMBINE_H

#include "lib/Codegen/CPU/KernelEmitter.h"
#include "lib/Codegen/Common/Combine.h"

namespace ampc::cpu {

using target::combine;
using target::neutral;

/// `x` in the active lanes, `instead` in all other lanes.
mlir::Value keepActive(KernelEmitter &e, mlir::Value x, mlir::Value instead, int64_t active);
/// Combines the lanes in a fixed order by halving. Example: 4 lanes -> (x0 + x2) + (x1 + x3).
mlir::Value combineLanes(KernelEmitter &e, kernel::Combine kind, mlir::Value vector);

} // namespace ampc::cpu
#endif
