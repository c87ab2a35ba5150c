// Products of all rounds of a loop at once, as mergeProducts builds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_MERGEROUNDS_H
#define MLIR_DIALECTS_TRAIN_OPS_MERGEROUNDS_H

#include "mlir-dialects/Train/Train.h"
#include <optional>

namespace ampc {
/// A sequence [rounds, rows, n] that is a product x W, x: [rounds * rows, k] and W: [k, n], with
/// casts behind the product.
struct MergedProduct {
  mlir::Operation *product;
  Value x, w;
  llvm::SmallVector<mlir::Operation *> casts; ///< in order
};
/// Nothing if the sequence is no such product.
std::optional<MergedProduct> mergedProductOf(Value sequence);
} // namespace ampc
#endif
