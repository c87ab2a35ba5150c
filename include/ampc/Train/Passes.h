// Passes that lower a model to the programs of its steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_PASSES_H
#define AMPC_TRAIN_PASSES_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#include "ampc/Train/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
#endif
