// Checkpoints of k rounds of a loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_AUTODIFF_BLOCKSOFROUNDS_H
#define LIB_TRAIN_AUTODIFF_BLOCKSOFROUNDS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Marks a loop over blocks of rounds, whose block is a loop over the rounds.
constexpr llvm::StringLiteral blocksAttribute = "train.blocks";
/// Replaces each loop of the function with `checkpoint every k`, k > 1, by a loop over blocks of k
/// rounds, `checkpoint every 1`, around a loop of the k rounds: the backward pass then keeps the
/// carried values of every k-th round. The rounds that are left over, which run last, are a block
/// of their own. Example: 35 rounds by 6 are 5 blocks of 6 and a block of 5.
void splitCheckpoints(train::FuncOp func);
} // namespace ampc
#endif
