// Explanation of the code that each target chose per kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_EXPLAINKERNELS_H
#define TOOLS_AMPC_EXPLAINKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
/// Prints for every target and program a line per kernel: op, shape, code, launches and the user's
/// ops in the kernel. `module` is the result of phase `emit`.
void explainKernels(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Reports an error at every 16-bit contraction, convolution or attention that runs plain code on a
/// GPU instead of tensor cores.
llvm::LogicalResult refusePlainForms(mlir::ModuleOp module);
} // namespace ampc
#endif
