// What a target made of every kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_EXPLAINKERNELS_H
#define TOOLS_AMPC_EXPLAINKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
/// Of every target, program by program: a line per kernel with its op, shape, code, launches and
/// the user's ops that it computes. The module is one behind `emit`.
void explainKernels(mlir::ModuleOp module, llvm::raw_ostream &os);

/// An error at every 16-bit contraction, convolution or attention whose code for a GPU is the plain
/// one.
llvm::LogicalResult refusePlainForms(mlir::ModuleOp module);
} // namespace ampc
#endif
