// Emission of kernels for the target of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CODEGEN_PASSES_H
#define AMPC_CODEGEN_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {
#define GEN_PASS_DECL
#include "ampc/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "ampc/Codegen/Passes.h.inc"
} // namespace ampc
#endif
