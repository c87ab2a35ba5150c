// Root of the dialect's reference pages, including ops without a header shared with other families.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir-dialects/Train/Train.td"
include "mlir-dialects/Train/Program/Modules.td"
include "mlir-dialects/Train/Ops/Gradients.td"
include "mlir-dialects/Train/Ops/Loops.td"
include "mlir-dialects/Train/Ops/Recurrent.td"
include "mlir-dialects/Train/Ops/Parts.td"
include "mlir-dialects/Train/Optimizer/Update.td"
include "mlir-dialects/Train/Ops/CompositeNorm.td"
include "mlir-dialects/Train/Ops/Indexing.td"
include "mlir-dialects/Train/Ops/Sampling.td"
include "mlir-dialects/Train/Ops/Windows.td"
include "mlir-dialects/Train/Ops/Einsum.td"
