// Passes for loss scaling and for skipping steps whose gradients are not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LOSSSCALING_PASSES_H
#define AMPC_LOSSSCALING_PASSES_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#include "ampc/LossScaling/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ampc/LossScaling/Passes.h.inc"
} // namespace ampc
#endif
