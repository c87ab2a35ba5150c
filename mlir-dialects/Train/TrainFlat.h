// Passes that see one flat block per function say so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRAINFLAT_H
#define MLIR_DIALECTS_TRAIN_TRAINFLAT_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace ampc {
/// An error at every op with regions in a function of `module`, so that no pass drops what is in
/// them. Every pass that goes through the block of a train.func, and no deeper, begins with this;
/// `pass` is its name on the command line. amp.autocast has been dissolved by then.
llvm::LogicalResult checkIsFlat(mlir::Operation *module, llvm::StringRef pass);
} // namespace ampc
#endif
