// Precondition of passes on flat functions: one block without nested regions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRAINFLAT_H
#define MLIR_DIALECTS_TRAIN_TRAINFLAT_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace ampc {
/// Emits an error at every op with regions in a function of `module`, so that no pass drops nested
/// ops. Every pass that visits only the top-level block of a train.func calls this function first;
/// `pass` is the pass's command-line name. amp.autocast has been dissolved before.
llvm::LogicalResult checkIsFlat(mlir::Operation *module, llvm::StringRef pass);
/// Emits an error at every op with regions that is no train.scan, for passes that look into loops.
llvm::LogicalResult checkHasOnlyLoops(mlir::Operation *module, llvm::StringRef pass);
} // namespace ampc
#endif
