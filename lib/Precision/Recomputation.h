// What the backward pass makes again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_RECOMPUTATION_H
#define LIB_PRECISION_RECOMPUTATION_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
inline int64_t bytesOf(mlir::Value v) {
  auto type = mlir::cast<mlir::RankedTensorType>(v.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

/// In a loop over the rows of a loss the backward pass runs as soon as the forward pass does.
inline bool runsInParts(mlir::Operation *op) { return op->hasAttr("amp.in_parts"); }

/// One element from one element per operand: casts, masks, additions. No sums, no exponentials.
bool isCheapToRepeat(mlir::Operation *op);

/// Ops that the backward pass repeats.
struct RecomputationPlan {
  llvm::SmallVector<mlir::Operation *> ops; ///< in the order of the block
  int64_t peak = 0; ///< most bytes of values of the forward pass, kept or made again, at a time
  double cost = 0;  ///< in operations; nothing for cheap ops
};

/// Chooses ops of a step's forward pass.
class RecomputationPlanner {
public:
  /// `isBackward` tells what reads values that are kept.
  RecomputationPlanner(mlir::Block &body, llvm::function_ref<bool(mlir::Operation *)> isBackward);
  /// Only cheap ops.
  RecomputationPlan withoutBudget() const;
  /// The least work with a peak of at most `bytes`; if there is no such plan, the one with the
  /// least peak that was met.
  RecomputationPlan withBudget(int64_t bytes) const;

private:
  /// An op of the forward pass, as places in `ops` and `values`.
  struct Op {
    mlir::Operation *op;
    int64_t position; ///< in the block
    double cost;
    bool isCheap, mayRepeat;
    llvm::SmallVector<int> reads, gives;
  };
  struct Value {
    int op;
    int64_t bytes;
    llvm::SmallVector<int> readers;                ///< among `ops`
    int64_t firstBackward = -1, lastBackward = -1; ///< positions of readers; -1: none
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
  int64_t length = 0; ///< of the block
};
} // namespace ampc
#endif
