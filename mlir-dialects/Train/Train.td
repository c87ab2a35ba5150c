// Umbrella of the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN
#define AMPC_TRAIN
include "mlir-dialects/Train/Program/Origin.td"
include "mlir-dialects/Train/Program/Initializer.td"
include "mlir-dialects/Train/Optimizer/Optimizer.td"
include "mlir-dialects/Train/Optimizer/Schedule.td"
include "mlir-dialects/Train/Program/Model.td"
include "mlir-dialects/Train/Ops/Pointwise.td"
include "mlir-dialects/Train/Ops/Functions.td"
include "mlir-dialects/Train/Ops/Activation.td"
include "mlir-dialects/Train/Ops/Shape.td"
include "mlir-dialects/Train/Ops/Moves.td"
include "mlir-dialects/Train/Ops/Table.td"
include "mlir-dialects/Train/Ops/Reduction.td"
include "mlir-dialects/Train/Ops/Scan.td"
include "mlir-dialects/Train/Ops/Contraction.td"
include "mlir-dialects/Train/Ops/Attention.td"
include "mlir-dialects/Train/Ops/Convolution.td"
include "mlir-dialects/Train/Ops/Loss.td"
include "mlir-dialects/Train/Ops/CompositeLoss.td"
include "mlir-dialects/Train/Ops/Norm.td"
include "mlir-dialects/Train/Ops/Pool.td"
include "mlir-dialects/Train/Ops/Random.td"
#endif
