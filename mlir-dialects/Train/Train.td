// Umbrella of the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN
#define AMPC_TRAIN
include "mlir-dialects/Train/TrainAttrs.td"
include "mlir-dialects/Train/TrainModelOps.td"
include "mlir-dialects/Train/TrainPointwiseOps.td"
include "mlir-dialects/Train/TrainShapeOps.td"
include "mlir-dialects/Train/TrainReductionOps.td"
include "mlir-dialects/Train/TrainContractionOps.td"
include "mlir-dialects/Train/TrainConvolutionOps.td"
include "mlir-dialects/Train/TrainLossOps.td"
include "mlir-dialects/Train/TrainNormOps.td"
include "mlir-dialects/Train/TrainPoolOps.td"
include "mlir-dialects/Train/TrainRandomOps.td"
#endif
