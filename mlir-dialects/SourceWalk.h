// Walks from values to their sources: the operands of their ops, and so on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_SOURCEWALK_H
#define MLIR_DIALECTS_SOURCEWALK_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>

namespace ampc {

/// Values that all walks of this process have visited: the price of a compile that does not depend
/// on the machine.
inline std::atomic<int64_t> numVisitedSources = 0;

/// Depth-first, in post-order: sources before the values that are computed from them, operands from
/// left to right. A value is visited once in the life of the walk, however many paths lead to it:
/// x1 = x0 * x0, x2 = x1 * x1, ... has 2^n paths. The stack lies on the heap, as models are chains
/// of 100 000 ops.
class SourceWalk {
public:
  using Value = mlir::Value;
  /// Whether to go on to a value that was not visited before; its sources are left out otherwise.
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
