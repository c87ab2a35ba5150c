// Conversion passes between dialects, such as train -> kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CONVERSION_PASSES_H
#define AMPC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ampc/Conversion/Passes.h.inc"
} // namespace ampc
#endif
