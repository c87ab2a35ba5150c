// Root of the dialect's reference pages, including ops without a header shared with other families.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir-dialects/Train/Train.td"
include "mlir-dialects/Train/Modules.td"
include "mlir-dialects/Train/Gradients.td"
include "mlir-dialects/Train/Parts.td"
include "mlir-dialects/Train/Update.td"
include "mlir-dialects/Train/CompositeNorm.td"
include "mlir-dialects/Train/Indexing.td"
include "mlir-dialects/Train/Sampling.td"
include "mlir-dialects/Train/Windows.td"
include "mlir-dialects/Train/Einsum.td"
