// Sums, products and lookups of all rounds of a loop at once, outside of the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_MERGEROUNDS_H
#define MLIR_DIALECTS_TRAIN_OPS_MERGEROUNDS_H

#include "mlir-dialects/Train/Ops/Loops.h"
#include <optional>

namespace ampc {
/// Replaces sums that a loop carries, of terms that add up the rows of the round (A^T D of A:
/// [B, m] and D: [B, n]), by one sum behind the loop over the rows of all rounds, [rounds * B, m].
/// The order of the sum changes.
void mergeSums(train::ScanOp scan);

/// Moves products of rows of the round, [B, k], with a matrix from outside to all rounds at once,
/// [rounds * B, k]: in front of the loop if the rows belong to a sequence, behind if the result is
/// only kept. Moves lookups of rows of tables in front.
void mergeProducts(train::ScanOp scan);
/// For a loop that becomes a loop over blocks of rounds: the products in front remain, to be merged
/// per block and computed again with the block. Moves lookups in front, and products behind.
void mergeAroundBlocks(train::ScanOp scan);

/// A sequence [rounds, rows, n] that mergeProducts has built, a product x W, x: [rounds * rows, k]
/// and W: [k, n], with casts behind the product.
struct MergedProduct {
  mlir::Operation *product;
  Value x, w;
  llvm::SmallVector<mlir::Operation *> casts; ///< in order
};
/// Nothing if the sequence is no such product.
std::optional<MergedProduct> mergedProductOf(Value sequence);
} // namespace ampc
#endif
