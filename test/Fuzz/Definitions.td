// All that a model is written with, for the generator of random models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir-dialects/Train/Train.td"
include "mlir-dialects/Train/Ops/CompositeNorm.td"
include "mlir-dialects/Train/Ops/Indexing.td"
include "mlir-dialects/Train/Ops/Sampling.td"
include "mlir-dialects/Train/Ops/Windows.td"
include "mlir-dialects/Train/Ops/Einsum.td"
include "mlir-dialects/Train/Ops/Recurrent.td"
include "mlir-dialects/Amp/Amp.td"
