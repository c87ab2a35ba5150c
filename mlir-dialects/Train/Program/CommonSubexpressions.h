// Common subexpression elimination (CSE) of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_COMMONSUBEXPRESSIONS_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_COMMONSUBEXPRESSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace ampc {

/// Replaces every op without effects by the first equal op of its block or of an enclosing block,
/// and erases dead ops: the result of mlir::eliminateCommonSubExpressions for programs, whose
/// regions have one block each. Blocks of larger regions stay unchanged. Equal ops have equal
/// names, operands, attributes, types and regions; locations may differ.
///
/// Every op is hashed once. MLIR's hash table stores no hashes: growth, probes, and the end of a
/// scope hash each op again, 16 % of the compile time of a model of 10^5 ops.
void removeCommonSubexpressions(mlir::RewriterBase &rewriter, mlir::Operation *program);

} // namespace ampc
#endif
