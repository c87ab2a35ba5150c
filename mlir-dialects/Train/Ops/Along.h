// Dimensions that ops look along, moved to the end: see AlongOpInterface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_ALONG_H
#define MLIR_DIALECTS_TRAIN_OPS_ALONG_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The results of an op that does the same along the last dimension.
llvm::SmallVector<mlir::Value> moveAlongLast(GradBuilder &b, AlongOpInterface op);
} // namespace ampc
#endif
