// Integer inputs that select rows and classes: limits that the runtime checks, and i32 indices for
// programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/IndexRanges.h"
#include "lib/Train/Model/LowerMode.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;

/// Range of a signed integer: 32 -> [-2^31, 2^31).
static IndexRange rangeOf(unsigned width) {
  int64_t limit = int64_t(1) << (width - 1);
  return {limit, 0, -limit};
}

static IntegerType integerOf(Value v) {
  return dyn_cast<IntegerType>(getElementTypeOrSelf(v.getType()));
}

/// Accepted indices of the op. Numbers beyond i32 are refused even if the op takes any number.
static IndexRange acceptedBy(IndexOpInterface op) {
  int64_t limit = op.getIndexLimit();
  if (!limit)
    return integerOf(op.getIndices()).getWidth() > 32 ? rangeOf(32) : IndexRange();
  return {limit, op.getIgnoredIndex().value_or(0), op.countsFromEnd() ? -limit : 0};
}

/// Numbers that a cast preserves. A cast to i1 takes any number.
static IndexRange acceptedBy(train::CastOp op) {
  IntegerType from = integerOf(op.getX()), to = integerOf(op.getResult());
  if (!from || !to || op.getIsUnsigned() || from.isInteger(1) || to.isInteger(1))
    return {};
  if (from.getWidth() + from.isUnsigned() <= to.getWidth())
    return {};
  return rangeOf(to.getWidth());
}

static train::InputAttr inputOf(train::FuncOp func, Value value) {
  BlockArgument argument = programArgument(value);
  return argument ? Signature(func).argument<train::InputAttr>(argument) : train::InputAttr();
}

static void addLimits(IndexRanges &limits, Block &block);

/// Limits of the carried arguments hold for the values that the round before has passed on, so that
/// the block is visited until nothing changes: once per round at most.
static void addLimitsOfLoop(IndexRanges &limits, train::ScanOp scan) {
  train::NextOp next = scan.getNext();
  for (auto [result, passed] : llvm::zip(scan.getResults(), next->getOperands()))
    limits.passBack(result, passed);
  bool changed = true;
  for (int64_t round = 0; changed && round < scan.getRounds(); ++round) {
    changed = false;
    addLimits(limits, scan.getBody().front());
    for (auto [argument, passed] : llvm::zip(scan.getCarried(), next.getCarried()))
      changed |= limits.passBack(argument, passed);
  }
  for (OpOperand &operand : scan->getOpOperands())
    limits.passBack(flowsTo(operand).front(), operand.get());
}

/// Limits that an op imposes on its operands, and the limits of its results.
static void addLimitsOf(IndexRanges &limits, Operation &op) {
  if (auto scan = dyn_cast<train::ScanOp>(op))
    return addLimitsOfLoop(limits, scan);
  if (auto index = dyn_cast<IndexOpInterface>(op)) {
    if (index.getIndices())
      limits.tighten(index.getIndices(), acceptedBy(index));
    for (auto [numbers, limit] : index.getOtherIndices())
      limits.tighten(numbers, IndexRange{limit});
  }
  if (auto cast = dyn_cast<train::CastOp>(op))
    limits.tighten(cast.getX(), acceptedBy(cast));
  limits.passToOperands(op);
}

static void addLimits(IndexRanges &limits, Block &block) {
  for (Operation &op : llvm::reverse(block))
    addLimitsOf(limits, op);
}

/// Records the limits that ops impose on the elements of integer inputs, directly or through ops
/// that only move elements. Returns the inputs whose limits differ from row to row, which the
/// runtime cannot check.
static llvm::DenseSet<Value> recordLimits(train::FuncOp func) {
  IndexRanges limits;
  addLimits(limits, func.getBody().front());
  llvm::DenseSet<Value> unchecked;
  for (BlockArgument argument : func.getArguments()) {
    train::InputAttr input = inputOf(func, argument);
    if (!input || !integerOf(argument) || integerOf(argument).isInteger(1))
      continue;
    bool isSame = true;
    SmallVector<train::LimitsAttr> runs =
        limits.runsOf(argument, input.isBatched() ? tensorOf(argument).getShape()[0] : 1, isSame);
    if (!isSame)
      unchecked.insert(argument);
    Signature(func).setArgument(argument.getArgNumber(), input.withRuns(runs));
  }
  return unchecked;
}

/// Tensors from which the elements of an integer tensor are moved or cast.
static llvm::SetVector<Value> sourcesOf(Value tensor) {
  llvm::SetVector<Value> visited, sources;
  visited.insert(tensor);
  for (size_t i = 0; i < visited.size(); ++i) {
    Operation *op = visited[i].getDefiningOp();
    SmallVector<Value, 2> inLoop = flowsFrom(visited[i]);
    if (!inLoop.empty())
      visited.insert_range(inLoop);
    else if (op && givesIntegers(op))
      visited.insert(op->operand_begin(), op->operand_end());
    else
      sources.insert(visited[i]);
  }
  return sources;
}

/// Clamps an unchecked index, which may not fit i32, to the accepted range plus a number on either
/// side, so that an index out of range stays out of range and selects nothing.
static Value clampToAccepted(GradBuilder &b, Value index, IndexRange accepted) {
  Value least = b.real(double(std::min(accepted.least, accepted.ignore) - 1), index);
  Value most = b.real(double(std::max(accepted.limit, accepted.ignore + 1)), index);
  index = b.select(b.greater(least, index), least, index);
  return b.select(b.greater(index, most), most, index);
}

static void lowerIndices(train::FuncOp func, IndexOpInterface op,
                         const llvm::DenseSet<Value> &unchecked) {
  Value index = op.getIndices();
  if (!index || (integerOf(index).isInteger(32) && !op.countsFromEnd()))
    return;
  OpBuilder builder(op);
  GradBuilder b(builder, op);
  Type number = builder.getI32Type();
  bool isChecked = llvm::all_of(sourcesOf(index), [&](Value source) {
    return inputOf(func, source) && !unchecked.contains(source);
  });
  if (integerOf(index).getWidth() > 32 && !isChecked)
    index = clampToAccepted(b, index, acceptedBy(op));
  index = b.castTo(index, number);
  if (op.countsFromEnd()) {
    Value moved = b.add(index, b.real(double(op.getIndexLimit()), index));
    index = b.select(b.greater(b.real(0.0, index), index), moved, index);
  }
  op.setStartIndices(index);
}

static bool isUnsigned(Value v) { return integerOf(v) && integerOf(v).isUnsigned(); }

/// Makes ui8 values i8: programs have signless integers, and casts carry an `unsigned` flag.
/// Example: ui8 -> i8.
static void lowerUnsigned(train::FuncOp func) {
  Type byte = IntegerType::get(func.getContext(), 8);
  auto lower = [&](Value value) {
    if (isUnsigned(value))
      value.setType(cast<RankedTensorType>(value.getType()).clone(byte));
  };
  func.walk([&](train::CastOp op) {
    if (isUnsigned(op.getX()))
      op.setIsUnsigned(true);
  });
  for (BlockArgument argument : func.getArguments())
    if (train::InputAttr input = inputOf(func, argument); input && isUnsigned(argument))
      Signature(func).setArgument(argument.getArgNumber(), input.withoutSign());
  func.walk([&](Block *block) {
    llvm::for_each(block->getArguments(), lower);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), lower);
  });
  Signature(func).updateType();
}

/// Classes that a loss reads from a constant. Lookups have zeros for constants out of range, a loss
/// has no value for a class that does not exist.
static LogicalResult checkClasses(IndexOpInterface op) {
  DenseIntElementsAttr classes;
  if (!isa<ValidRowsOpInterface>(*op) || !op.getIndices() ||
      !matchPattern(op.getIndices(), m_Constant(&classes)))
    return success();
  IndexRange accepted = acceptedBy(op);
  for (const APInt &number : classes.getValues<APInt>())
    if (!accepted.accepts(number.getSExtValue()))
      return op->emitOpError() << "expected classes in [0, " << accepted.limit
                               << "), but the constant has " << number.getSExtValue();
  return success();
}

LogicalResult ampc::prepareIndices(train::FuncOp func) {
  SmallVector<IndexOpInterface> ops;
  func.walk([&](IndexOpInterface op) { ops.push_back(op); });
  if (llvm::any_of(ops, [](IndexOpInterface op) { return failed(checkClasses(op)); }))
    return failure();
  llvm::DenseSet<Value> unchecked = recordLimits(func);
  for (IndexOpInterface op : ops)
    lowerIndices(func, op, unchecked);
  lowerUnsigned(func);
  return success();
}
