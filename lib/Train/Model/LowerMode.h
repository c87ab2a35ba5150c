// Lowering of a function for training or inference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_LOWERMODE_H
#define LIB_TRAIN_MODEL_LOWERMODE_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// Axis normalization: transposes ops so that each works along the last dimension, as all later
/// passes expect. Softmax over C of [N, C, H, W] runs on a transpose whose last dimension is C.
void moveAlongLast(train::FuncOp func);

/// Lowers ops whose meaning depends on the mode, e.g. dropout, then composite ops. With
/// `keepCounts`, divisors of means stay `train.count`.
void lowerMode(train::FuncOp func, bool training, bool keepCounts);

/// Reads the random state at the front of the function; the buffer is declared on demand.
Value readRandomState(train::FuncOp func, train::ModelOp model);
/// Key of a random op, the hash of the op's name.
int32_t randomKey(mlir::Operation *op);
/// Gives random ops their state, read from a buffer that is declared on demand, and a key, the hash
/// of the op's name.
void attachRandomState(train::FuncOp func, train::ModelOp model);

/// Records the limits of integer inputs, which the runtime checks, and gives ops that select rows
/// or classes i32 indices. Inputs of type ui8 become i8; casts of such inputs keep an `unsigned`
/// flag.
llvm::LogicalResult prepareIndices(train::FuncOp func);

/// Marks the batched inputs, whose batch dimension is first for callers wherever the function has
/// the batch, and records the facts that the runtime checks: the size of the batch, and whether
/// short batches are supported. Ops that combine rows get the number of valid rows, a control
/// argument.
void prepareBatch(train::FuncOp func);

/// Buffers per row of the batch in an evaluation or an export: gives the function an input and a
/// result for a buffer with `train.passed`, before `prepareBatch`.
llvm::LogicalResult passRowState(train::FuncOp func);
/// After `prepareBatch`: a step keeps the rows that a short batch lacks; other functions read the
/// first values of buffers that are not passed.
llvm::LogicalResult lowerRowState(train::FuncOp func, bool training);

/// Warns of every input that no instance of its function reads.
void warnOfUnreadInputs(train::ModelOp model);
} // namespace ampc
#endif
