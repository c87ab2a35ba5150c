// Passes on kernels: fusion, schedule and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_PASSES_H
#define AMPC_KERNEL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc
#endif
