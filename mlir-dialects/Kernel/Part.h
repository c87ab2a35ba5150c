// Programs that other programs call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_PART_H
#define MLIR_DIALECTS_KERNEL_PART_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::kernel {
/// Creates a program of role part with an empty block in front of `caller`. The name is the
/// caller's with a suffix, `fit.train.loop`, and a number if another symbol has the name. Arguments
/// are inputs in0, in1, ... and results are outputs out0, out1, ...
ProgramOp createCalledProgram(ProgramOp caller, llvm::StringRef suffix, mlir::TypeRange arguments,
                              mlir::TypeRange results);
} // namespace ampc::kernel
#endif
