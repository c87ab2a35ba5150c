// Emission of the reference target: kernel dialect -> plain loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CODEGEN_REFERENCE_PASSES_H
#define AMPC_CODEGEN_REFERENCE_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#include "ampc/Codegen/Reference/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ampc/Codegen/Reference/Passes.h.inc"
} // namespace ampc
#endif
