// Analysis of micro-batches: relation of each value to the corresponding value of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_PARTANALYSIS_H
#define LIB_TRAIN_STEP_PARTANALYSIS_H

#include "ampc/Train/BatchAnalysis.h"

namespace ampc {
/// Value of the whole batch, in terms of the values of the micro-batches.
enum class OfWhole {
  Same,  ///< equal to the value of any micro-batch: parameters, constants
  Rows,  ///< concatenation of the rows of all micro-batches
  Sum,   ///< sum over the micro-batches
  Valid, ///< number of valid rows: a sum, except where the number makes a mask
  Mixed, ///< not determined by the micro-batches
};

struct PartValue {
  OfWhole of = OfWhole::Same;
  BatchPlace place = {};       ///< batch dimension, for Rows
  bool isLearned = false;      ///< depends on a parameter that the step changes
  bool isDrawn = false;        ///< Same, but for random numbers, drawn per micro-batch
  bool isLiteral = false;      ///< Same, and computed from constants alone
  uint64_t varies = 0;         ///< for Same: a bit per dimension along which elements differ
  mlir::Operation *cause = {}; ///< for Mixed: the first op that mixed rows
};

/// Operand that an op of a micro-batch needs as the value of the whole batch (`train.total`), or as
/// a term of a sum (times `train.share`).
struct PartChange {
  mlir::OpOperand *operand;
  bool isTotal;
};

/// Walks the ops of a function in block order, with the changes that turn the most values into
/// values of the whole batch.
class PartAnalysis {
public:
  struct Facts {
    int64_t rows;                           ///< rows of a micro-batch
    llvm::SmallVector<mlir::Value> learned; ///< parameters of the step
    llvm::SmallVector<mlir::Value> written; ///< state passed from one micro-batch to the next
    bool hasLearnedTotals = false;          ///< totals may depend on parameters: nothing is learned
  };
  PartAnalysis(train::FuncOp func, Facts facts);
  const PartValue &of(mlir::Value value) const;
  llvm::ArrayRef<PartChange> getChanges(mlir::Operation *op) const;
  /// Whether a `train.count` counts rows.
  bool countsRows(mlir::Operation *op) const { return rowCounts.contains(op); }

private:
  void visit(mlir::Operation *op);
  PartValue ofCount(mlir::Operation *op);
  PartValue ofConstants(mlir::Operation *op, PartValue joined);
  PartValue ofValid(mlir::Operation *op, PartValue joined);
  PartValue ofSums(mlir::Operation *op, PartValue joined);
  void visitRows(mlir::Operation *op, PartValue joined);
  void visitGradient(mlir::Operation *op);
  bool combinesPositions(mlir::Operation *op, mlir::OpResult result, BatchPlace place) const;
  bool total(mlir::OpOperand &operand);
  bool isSummand(mlir::Operation *op, unsigned index, unsigned other) const;

  Facts facts;
  llvm::DenseMap<mlir::Value, PartValue> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<PartChange, 2>> changes;
  llvm::DenseSet<mlir::Operation *> rowCounts;
};

/// Values that depend on a batched input, on the number of valid rows, or on random numbers.
llvm::DenseSet<mlir::Value> valuesOfRows(train::FuncOp func);
/// Whether an operand is a statistic of the rows of a single micro-batch.
bool isStatistic(mlir::OpOperand &operand);
} // namespace ampc
#endif
