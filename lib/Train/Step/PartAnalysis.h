// How values of the function of one part of a batch relate to those of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_PARTANALYSIS_H
#define LIB_TRAIN_STEP_PARTANALYSIS_H

#include "ampc/Train/BatchAnalysis.h"

namespace ampc {
/// What the value of the whole batch is, given those of the parts.
enum class OfWhole {
  Same,  ///< that of any part: parameters, constants
  Rows,  ///< the rows of all parts, one after the other
  Sum,   ///< their sum
  Valid, ///< of `valid`, the number of rows that count: their sum, where no mask is made with it
  Mixed, ///< no part tells
};

struct PartValue {
  OfWhole of = OfWhole::Same;
  BatchPlace place = {};       ///< of Rows
  bool isLearned = false;      ///< depends on a parameter that the step changes
  bool isDrawn = false;        ///< Same, but for random numbers, of which each part has its own
  bool isLiteral = false;      ///< Same, and made of constants alone
  uint64_t varies = 0;         ///< of Same: a bit per dimension along which elements differ
  mlir::Operation *cause = {}; ///< of Mixed: the first op that mixed rows
};

/// An operand that an op of the part needs as that of the whole batch (`train.total`), or as a term
/// of a sum (times `train.share`).
struct PartChange {
  mlir::OpOperand *operand;
  bool isTotal;
};

/// Walks the ops of a function in their order, with the changes that make the most values those of
/// the whole batch.
class PartAnalysis {
public:
  struct Facts {
    int64_t rows;                           ///< of a part
    llvm::SmallVector<mlir::Value> learned; ///< parameters of the step
    llvm::SmallVector<mlir::Value> written; ///< state that goes from part to part
    bool hasLearnedTotals = false; ///< whether totals may depend on parameters: nothing is learned
  };
  PartAnalysis(train::FuncOp func, Facts facts);
  const PartValue &of(mlir::Value value) const;
  llvm::ArrayRef<PartChange> getChanges(mlir::Operation *op) const;
  /// Whether a `train.count` is of rows.
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

/// Values that depend on an input with rows, on how many of them count, or on random numbers.
llvm::DenseSet<mlir::Value> valuesOfRows(train::FuncOp func);
/// Whether an operand is a statistic of the rows of one part.
bool isStatistic(mlir::OpOperand &operand);
} // namespace ampc
#endif
