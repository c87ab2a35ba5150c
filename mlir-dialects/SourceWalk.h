// Walks the def-use chains backwards, from values to the operands of their ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_SOURCEWALK_H
#define MLIR_DIALECTS_SOURCEWALK_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>

namespace ampc {

/// Number of values visited by all walks of this process: a machine-independent measure of compile
/// cost.
inline std::atomic<int64_t> numVisitedSources = 0;

/// Depth-first walk in post-order: sources before the values computed from them, operands from left
/// to right. A value is visited once in the life of the walk, even with many paths: x1 = x0 * x0,
/// x2 = x1 * x1, ... has 2^n paths. The stack is on the heap, because models are chains of up to
/// 100 000 ops.
class SourceWalk {
public:
  using Value = mlir::Value;
  /// Predicate on unvisited values; false prunes the sources of the value.
  using Enters = llvm::function_ref<bool(Value value)>;
  using Leave = llvm::function_ref<void(Value value)>;

  void visit(Value root, Enters enters, Leave leave = [](Value) {}) {
    enter(root, enters);
    while (!stack.empty()) {
      auto [value, operand] = stack.back();
      mlir::Operation *op = value.getDefiningOp();
      if (op && operand < op->getNumOperands()) {
        ++stack.back().second;
        enter(op->getOperand(operand), enters);
      } else {
        stack.pop_back();
        leave(value);
      }
    }
  }

private:
  void enter(Value value, Enters enters) {
    if (!visited.contains(value) && enters(value)) {
      numVisitedSources.fetch_add(1, std::memory_order_relaxed);
      visited.insert(value);
      stack.push_back({value, 0});
    }
  }

  llvm::SmallDenseSet<Value, 16> visited;
  llvm::SmallVector<std::pair<Value, unsigned>, 16> stack; // a value and its next operand
};

} // namespace ampc
#endif
