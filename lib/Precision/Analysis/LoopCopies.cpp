// Copies of values at the boundaries of loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/LoopCopies.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;

bool ampc::isCarriedArgument(Value v) { return flowsFrom(v).size() == 2; }

bool ampc::isRow(Value v) { return isa<BlockArgument>(v) && flowsFrom(v).size() == 1; }

/// Whether the value is an argument of the program, a constant, or moved from either.
static bool isFixed(Value v) {
  while (!programArgument(v)) {
    if (isRow(v)) {
      v = flowsFrom(v).front();
      continue;
    }
    Operation *op = v.getDefiningOp();
    if (!op || op->hasTrait<OpTrait::ConstantLike>() || !movesOnly(op))
      return op && op->hasTrait<OpTrait::ConstantLike>();
    v = op->getOperand(0);
  }
  return true;
}

/// The value that `v` is directly a copy of, or null.
static Value copiedBy(Value v) {
  SmallVector<Value, 2> from = flowsFrom(v);
  return from.empty() || (!isRow(v) && isFixed(from.front())) ? Value() : from.front();
}

/// Carried values that rounds only exchange, `train.next %k, %h`, have no source but themselves:
/// the first of the arguments in program order stands for all.
Value LoopCopies::representativeOf(ArrayRef<Value> cycle) const {
  auto arguments = llvm::make_filter_range(cycle, isCarriedArgument);
  return *llvm::min_element(arguments,
                            [&](Value a, Value b) { return order.lookup(a) < order.lookup(b); });
}

void LoopCopies::add(Value v) {
  Value source = v;
  SmallVector<Value> path;
  while (Value next = copiedBy(source)) {
    if (auto seen = llvm::find(path, source); seen != path.end()) {
      source = representativeOf(ArrayRef<Value>(seen, path.end()));
      break;
    }
    path.push_back(source);
    source = next;
  }
  if (source == v)
    return;
  sources[v] = source;
  bySource[source].push_back(v);
  copies.push_back(v);
}

LoopCopies::LoopCopies(train::FuncOp func) {
  func.walk<WalkOrder::PreOrder>([&](train::ScanOp scan) {
    for (Value argument : scan.getCarried())
      order.try_emplace(argument, order.size());
  });
  func.walk<WalkOrder::PreOrder>([&](train::ScanOp scan) {
    for (Value argument : scan.getBody().getArguments())
      add(argument);
    for (Value result : scan.getResults())
      add(result);
  });
}
