// Analysis of micro-batches: relation of each value to the corresponding value of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_MICROBATCHANALYSIS_H
#define LIB_TRAIN_STEP_MICROBATCHANALYSIS_H

#include "ampc/Train/BatchAnalysis.h"

namespace ampc {
namespace train {
class ScanOp;
} // namespace train

/// Value of the whole batch, in terms of the values of the micro-batches.
enum class BatchRelation {
  Same,  ///< equal to the value of any micro-batch: parameters, constants
  Rows,  ///< concatenation of the rows of all micro-batches
  Sum,   ///< sum over the micro-batches
  Valid, ///< number of valid rows: a sum, except where the number makes a mask
  Mixed, ///< not determined by the micro-batches
};

struct MicroBatchValue {
  BatchRelation of = BatchRelation::Same;
  BatchLayout place = {};      ///< batch dimension, for Rows
  bool isLearned = false;      ///< depends on a parameter that the step changes
  bool isDrawn = false;        ///< Same, but for random numbers, drawn per micro-batch
  bool isLiteral = false;      ///< Same, and computed from constants alone
  uint64_t varies = 0;         ///< for Same: a bit per dimension along which elements differ
  mlir::Operation *cause = {}; ///< for Mixed: the first op that mixed rows
};

/// Operand that an op of a micro-batch needs as the value of the whole batch (`train.total`), or as
/// a term of a sum (times `train.share`).
struct MicroBatchChange {
  mlir::OpOperand *operand;
  bool isTotal;
};

/// Walks the ops of a function in block order, those of a loop until nothing changes, with the
/// changes that turn the most values into values of the whole batch.
class MicroBatchAnalysis {
public:
  struct Facts {
    int64_t rows;                           ///< rows of a micro-batch
    llvm::SmallVector<mlir::Value> learned; ///< parameters of the step
    llvm::SmallVector<mlir::Value> written; ///< state passed from one micro-batch to the next
    bool hasLearnedTotals = false;          ///< totals may depend on parameters: nothing is learned
  };
  MicroBatchAnalysis(train::FuncOp func, Facts facts);
  const MicroBatchValue &of(mlir::Value value) const;
  llvm::ArrayRef<MicroBatchChange> getChanges(mlir::Operation *op) const;
  /// Whether a `train.count` counts rows.
  bool countsRows(mlir::Operation *op) const { return rowCounts.contains(op); }

private:
  void visit(mlir::Operation *op);
  void visitLoop(train::ScanOp scan);
  bool visitRounds(train::ScanOp scan);
  void forget(train::ScanOp scan);
  MicroBatchValue ofCount(mlir::Operation *op);
  MicroBatchValue ofConstants(mlir::Operation *op, MicroBatchValue joined);
  MicroBatchValue ofValid(mlir::Operation *op, MicroBatchValue joined);
  MicroBatchValue ofSums(mlir::Operation *op, MicroBatchValue joined);
  void visitRows(mlir::Operation *op, MicroBatchValue joined);
  void visitGradient(mlir::Operation *op);
  bool combinesPositions(mlir::Operation *op, mlir::OpResult result, BatchLayout place) const;
  bool total(mlir::OpOperand &operand);
  bool isSummand(mlir::Operation *op, unsigned index, unsigned other) const;

  Facts facts;
  llvm::DenseMap<mlir::Value, MicroBatchValue> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<MicroBatchChange, 2>> changes;
  llvm::DenseSet<mlir::Operation *> rowCounts;
};

/// Values that depend on a batched input, on the number of valid rows, or on random numbers.
llvm::DenseSet<mlir::Value> valuesOfRows(train::FuncOp func);
/// Whether an operand is a statistic of the rows of a single micro-batch.
bool isStatistic(mlir::OpOperand &operand);
} // namespace ampc
#endif
