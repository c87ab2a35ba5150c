// All that a model is written with, for the generator of random models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir-dialects/Train/Train.td"
include "mlir-dialects/Train/CompositeNorm.td"
include "mlir-dialects/Train/Indexing.td"
include "mlir-dialects/Train/Sampling.td"
include "mlir-dialects/Train/Windows.td"
include "mlir-dialects/Train/Einsum.td"
include "mlir-dialects/Amp/Amp.td"
