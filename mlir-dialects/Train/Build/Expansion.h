// Expansion of a composite op into the ops that replace the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_BUILD_EXPANSION_H
#define MLIR_DIALECTS_TRAIN_BUILD_EXPANSION_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Builds a value per result of the op that is expanded, of the result's type. No values: the op
/// has no expansion, and nothing has been built. Example: CompositeOpInterface::decompose.
using ExpansionRule = llvm::function_ref<llvm::SmallVector<Value>(GradBuilder &)>;

/// An op beside the ops that compute the same results.
struct Expansion {
  llvm::SmallVector<Value> values; ///< per result; empty if the op has no expansion
  /// The new ops, in front of the op; empty if operands are the values, as of a dropout in
  /// inference.
  llvm::iterator_range<mlir::Block::iterator> ops;
};

/// Builds the expansion in front of `op`. Every new op has the location and origin of `op`: the
/// name for messages and overrides, stage, micro-batch, autocast region, checkpoint and compute
/// type.
Expansion buildExpansion(mlir::Operation *op, ExpansionRule rule);

/// Replaces `op` by the expansion and erases `op`; false, without a change, if there is none. Other
/// attributes of `op`, such as decisions and marks of a later pass, are lost.
bool replaceByExpansion(mlir::Operation *op, ExpansionRule rule);
/// Replaces `op` by the op's own decomposition, which may contain composite ops; false without one.
bool replaceByDecomposition(CompositeOpInterface op);
} // namespace ampc
#endif
