// What a function becomes in training or in inference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_MODE_H
#define LIB_TRAIN_MODEL_MODE_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// Ops look along the last dimension afterwards, which is what all that follows expects.
void moveAlongLast(train::FuncOp func);

/// Replaces ops that training and inference understand differently, then composite ops. With
/// `keepCounts`, divisors of means stay `train.count`.
void lowerMode(train::FuncOp func, bool training, bool keepCounts);

/// Gives random ops their state, read from a buffer that the model gets if it has none, and a key
/// made of their name.
void attachRandomState(train::FuncOp func, train::ModelOp model);

/// Records the limits of integer inputs, which the runtime checks, and gives ops that choose rows
/// or classes indices of i32. Bytes without a sign become i8, whose casts know.
llvm::LogicalResult prepareIndices(train::FuncOp func);

/// Marks the inputs that hold one row per row of the batch, which callers have first wherever the
/// function has it, and records what the runtime checks: the size of the batch, and whether fewer
/// rows may be valid. Ops that combine rows get the number of valid
/// rows (a control argument), and rows beyond it are zeroed where they enter.
void prepareBatch(train::FuncOp func);

/// A warning at every input that no instance of its function reads.
void warnOfUnreadInputs(train::ModelOp model);
} // namespace ampc
#endif
