// Smaller models out of larger ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_REDUCE_REDUCEMODEL_H
#define TOOLS_AMPC_REDUCE_REDUCEMODEL_H

namespace ampc {
/// The pass `reduce-model`, for MLIR's reducer.
void registerReduceModel();
} // namespace ampc
#endif
