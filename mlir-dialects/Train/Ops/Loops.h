// Loops inside functions, until train-unroll-scans replaces the ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_LOOPS_H
#define MLIR_DIALECTS_TRAIN_OPS_LOOPS_H

#include "mlir-dialects/Train/Train.h"
#include <memory>

#define GET_OP_CLASSES
#include "mlir-dialects/Train/LoopsOps.h.inc"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace ampc {
/// Type of a row: [35, 4, 8] -> [4, 8]. Null for a scalar.
mlir::RankedTensorType rowOf(mlir::Type sequence);
/// Type of the rows of all rounds: [4, 8] -> [35, 4, 8].
mlir::RankedTensorType stackOf(mlir::Type row, int64_t rounds);
/// Sets the types of the block's arguments from the operands, before types inside are inferred.
void inferArguments(train::ScanOp scan);
/// Sets the types of the results from the end of the block.
void inferResults(train::ScanOp scan);

/// Values that a value flows to unchanged, or row by row, from an operand of a loop or of its end:
/// an init, to the carried argument; a sequence, to the row; a value passed on, to the carried
/// argument and the result; a kept value, to the result. Empty for operands of other ops.
llvm::SmallVector<Value, 2> flowsTo(mlir::OpOperand &operand);
/// Inverse of flowsTo. Of a carried argument, the value passed on and then the init; of a row, the
/// sequence; of a result, the value passed on or kept. Empty for other values.
llvm::SmallVector<Value, 2> flowsFrom(Value value);
/// Whether the op is a loop or the end of a loop: results and arguments depend on single operands.
bool isLoopBoundary(mlir::Operation *op);
/// Position of a dimension of the operand in the values that the operand flows to: -1 from a
/// sequence to the row, 1 from a kept value to the rows of all rounds, else 0.
int64_t shiftOfDimensions(mlir::OpOperand &operand);

/// Number of times that loops around the op run the op; at most 2^40.
int64_t runsOf(mlir::Operation *op);

/// Number of ops after unrolling, loops inside included; at most `limit` + 1.
int64_t countUnrolled(train::ScanOp scan, int64_t limit);
/// Builds the rounds of a loop one after the other at `b`, loops inside included; returns the
/// values of the results. An op NAME is called NAME@row in the round of that row. The scan stays.
llvm::SmallVector<Value> unroll(GradBuilder &b, train::ScanOp scan);
/// Replaces a loop by its rounds.
void replaceByRounds(train::ScanOp scan);
/// The outermost loop around an op, which may be the op itself; null outside of loops.
train::ScanOp outermostLoop(mlir::Operation *op);

/// Creates a loop of the scan's direction, rounds and attributes at the builder's position, over
/// other operands, with `block`: index if the scan has one, carried values, rows, train.next.
train::ScanOp createLoop(mlir::OpBuilder &builder, train::ScanOp scan, mlir::ValueRange inits,
                         mlir::ValueRange sequences, std::unique_ptr<mlir::Block> block);
/// Rebuilt loop in front of the scan, with the scan's own block, whose arguments and end the caller
/// has changed. Result i of the new loop replaces result `from[i]` of the scan; later results are
/// new. The caller erases the scan. Example: without the first of two carried values, {1, 2, ...}.
train::ScanOp rebuildLoop(mlir::RewriterBase &rewriter, train::ScanOp scan, mlir::ValueRange inits,
                          mlir::ValueRange sequences, llvm::ArrayRef<unsigned> from);
/// Replaces the scan by a loop that keeps further values of every round, as its last results.
train::ScanOp keepOfEveryRound(train::ScanOp scan, mlir::ValueRange values);

/// Drops what no result depends on from the loops inside of the scan's block: kept values without
/// readers, carried values, sequences. Canonicalization does the same.
void dropDeadValuesInside(train::ScanOp scan);

/// Whether every element is known to be 0.
bool isZero(Value tensor);

/// For the registry of a program that reads models.
void registerLoopOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
