// Inlining of function calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/InlineCalls.h"
#include "mlir-dialects/Train/Limits.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Inlines all calls of a function, with limits on depth and number of ops.
class CallInliner {
public:
  explicit CallInliner(SymbolTable &symbols) : symbols(symbols) {}
  LogicalResult inlineCalls(train::FuncOp func);

private:
  LogicalResult inlineCall(train::CallOp call);

  SymbolTable &symbols;
  llvm::StringSet<> active;
  static constexpr size_t mostActive = 100;
  int64_t ops = 0;
};
} // namespace

/// Origin of an inlined op: the call's name as prefix, so that two calls of a function draw
/// different random numbers. Each call has checkpoint segments of its own; a call with `checkpoint`
/// is a single segment around all nested segments.
static train::OriginAttr originInCall(train::OriginAttr origin, train::CallOp call) {
  StringAttr outer = originOf(call).getName(), segment = origin.getSegment();
  auto prefixed = [&](StringAttr name) {
    return StringAttr::get(name.getContext(), outer.getValue() + "/" + name.getValue());
  };
  if (call.getCheckpoint())
    segment = outer;
  else if (segment)
    segment = prefixed(segment);
  return origin.withName(prefixed(origin.getName()).getValue()).withSegment(segment);
}

LogicalResult CallInliner::inlineCall(train::CallOp call) {
  auto callee = symbols.lookup<train::FuncOp>(call.getCallee());
  if (!active.insert(call.getCallee()).second)
    return call.emitOpError() << "expected no recursion, but " << call.getCalleeAttr()
                              << " calls itself";
  if (active.size() > mostActive)
    return call.emitOpError() << "expected calls nested at most " << mostActive << " deep";
  OwningOpRef<train::FuncOp> copy(callee.clone());
  if (failed(inlineCalls(*copy)))
    return failure();
  active.erase(call.getCallee());
  Block &inner = copy->getBody().front();
  inner.walk([&](Operation *) { ++ops; });
  if (ops > mostOps)
    return call.emitOpError() << "expected at most " << mostOps << " ops in place of calls";
  for (auto [argument, operand] : llvm::zip(inner.getArguments(), call.getOperands()))
    argument.replaceAllUsesWith(operand);
  inner.walk([&](Operation *op) {
    if (train::OriginAttr origin = originOf(op); origin && originOf(call))
      setOrigin(op, originInCall(origin, call));
  });
  for (Operation &op : llvm::make_early_inc_range(inner.without_terminator()))
    op.moveBefore(call);
  call.replaceAllUsesWith(llvm::to_vector(inner.getTerminator()->getOperands()));
  call.erase();
  return success();
}

LogicalResult CallInliner::inlineCalls(train::FuncOp func) {
  SmallVector<train::CallOp> calls;
  func.walk([&](train::CallOp call) { calls.push_back(call); });
  for (train::CallOp call : calls)
    if (failed(inlineCall(call)))
      return failure();
  return success();
}

LogicalResult ampc::inlineCalls(train::FuncOp func, SymbolTable &symbols) {
  return CallInliner(symbols).inlineCalls(func);
}
