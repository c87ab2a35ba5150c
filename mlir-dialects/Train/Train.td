// Umbrella of the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN
#define AMPC_TRAIN
include "mlir-dialects/Train/Origin.td"
include "mlir-dialects/Train/Initializer.td"
include "mlir-dialects/Train/Optimizer.td"
include "mlir-dialects/Train/Schedule.td"
include "mlir-dialects/Train/Model.td"
include "mlir-dialects/Train/Pointwise.td"
include "mlir-dialects/Train/Functions.td"
include "mlir-dialects/Train/Activation.td"
include "mlir-dialects/Train/Shape.td"
include "mlir-dialects/Train/Moves.td"
include "mlir-dialects/Train/Table.td"
include "mlir-dialects/Train/Reduction.td"
include "mlir-dialects/Train/Scan.td"
include "mlir-dialects/Train/Contraction.td"
include "mlir-dialects/Train/Attention.td"
include "mlir-dialects/Train/Convolution.td"
include "mlir-dialects/Train/Loss.td"
include "mlir-dialects/Train/CompositeLoss.td"
include "mlir-dialects/Train/Norm.td"
include "mlir-dialects/Train/Pool.td"
include "mlir-dialects/Train/Random.td"
#endif
