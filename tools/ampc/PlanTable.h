// Table of a compilation's kernels with predicted times on a machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PLANTABLE_H
#define TOOLS_AMPC_PLANTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
/// Prints program by program, a line per kernel in the order of the schedule. The module is behind
/// phase `emit`; of several targets the first counts. `machine`: a file, or empty.
llvm::Error printPlan(mlir::ModuleOp module, llvm::StringRef machine, llvm::raw_ostream &os);
} // namespace ampc
#endif
