// Marks on programs: the attributes by which passes hand on what a function, its arguments and its
// results are for. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRAINMARKS_H
#define MLIR_DIALECTS_TRAIN_TRAINMARKS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ampc {
/// Checks the attributes `train.*` of a train.func or kernel.program. They are discardable, so a
/// misspelt one would be without effect; passes rely on what is checked here.
llvm::LogicalResult verifyMarks(mlir::FunctionOpInterface program);
} // namespace ampc
#endif
