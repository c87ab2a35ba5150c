// Reduction of models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_REDUCE_REDUCEMODEL_H
#define TOOLS_AMPC_REDUCE_REDUCEMODEL_H

namespace ampc {
/// Registers the pass `reduce-model` for MLIR's reducer.
void registerReduceModel();
} // namespace ampc
#endif
