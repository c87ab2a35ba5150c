// Passes that assign compute types and storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_PASSES_H
#define AMPC_PRECISION_PASSES_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#include "ampc/Precision/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ampc/Precision/Passes.h.inc"
} // namespace ampc
#endif
