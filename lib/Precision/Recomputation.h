// Choice of the forward ops that the backward pass recomputes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_RECOMPUTATION_H
#define LIB_PRECISION_RECOMPUTATION_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
inline int64_t bytesOf(mlir::Value v) {
  auto type = mlir::cast<mlir::RankedTensorType>(v.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

/// Ops of a chunked loss: the backward pass of each chunk of rows runs right after the chunk's
/// forward pass, so nothing is kept.
inline bool isChunked(mlir::Operation *op) { return op->hasAttr("amp.in_parts"); }

/// Whether the op maps an element per operand to an element at low cost: casts, masks, additions.
/// No sums, no exponentials.
bool isCheapToRecompute(mlir::Operation *op);

/// Computes values that loops of the forward pass keep of every round again in the rounds of their
/// adjoints: all values but the carried ones for a loop with `checkpoint`, else (if `cheap`) cheap
/// ops whose operands take fewer bytes than the result, or are kept anyway.
void recomputeRounds(mlir::Block &block, bool cheap);

/// Ops that the backward pass recomputes.
struct RecomputationPlan {
  llvm::SmallVector<mlir::Operation *> ops; ///< in the order of the block
  int64_t peak = 0; ///< most bytes of forward values, kept or recomputed, that are live at a time
  double cost = 0;  ///< recomputed work in operations; cheap ops cost nothing
};

/// Chooses the ops of a step's forward pass to recompute within an activation budget.
class RecomputationPlanner {
public:
  /// `isBackward` tells which ops read residuals.
  RecomputationPlanner(mlir::Block &body, llvm::function_ref<bool(mlir::Operation *)> isBackward);
  /// Plan of cheap ops alone: rematerialization without a budget.
  RecomputationPlan withoutBudget() const;
  /// Plan with the least work and a peak of at most `bytes`; if no plan fits, the plan with the
  /// smallest peak found.
  RecomputationPlan withBudget(int64_t bytes) const;

private:
  /// An op of the forward pass; `reads` and `gives` are indices into `values`.
  struct Op {
    mlir::Operation *op;
    int64_t position; ///< index in the block
    double cost;
    bool isCheap, mayRepeat;
    llvm::SmallVector<int> reads, gives;
  };
  struct Value {
    int op;
    int64_t bytes;
    llvm::SmallVector<int> consumers;              ///< indices into `ops`
    int64_t firstBackward = -1, lastBackward = -1; ///< positions of the consumers in the backward
                                                   ///< pass; -1: no consumer
  };
  using Choice = llvm::SmallVector<bool>;

  void addReaders(int value, mlir::Value result,
                  const llvm::DenseMap<mlir::Operation *, int> &places,
                  const llvm::DenseMap<mlir::Operation *, int64_t> &positions);
  llvm::SmallVector<int> findBoundaries() const;
  Choice cut(double price, const Choice &stays) const;
  RecomputationPlan planOf(const Choice &repeated) const;
  int64_t peakOf(const Choice &repeated, Choice &isNeeded) const;
  RecomputationPlan cheapestWithin(int64_t bytes, const Choice &stays) const;

  std::vector<Op> ops;
  std::vector<Value> values;
  int64_t length = 0; ///< number of ops in the block
};
} // namespace ampc
#endif
