// Integers of callers that choose rows and classes: what the runtime checks, and the i32 that
// programs compute with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/Mode.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Numbers in [least, limit), and `ignore`.
struct Accepted {
  int64_t least, limit, ignore;
};
} // namespace

/// Those of a signed integer.
static Accepted rangeOf(unsigned width) {
  int64_t limit = int64_t(1) << (width - 1);
  return {-limit, limit, 0};
}

static IntegerType integerOf(Value v) {
  return dyn_cast<IntegerType>(getElementTypeOrSelf(v.getType()));
}

/// Those that do not fit into the op's i32 are refused even if it takes any number.
static std::optional<Accepted> acceptedBy(IndexOpInterface op) {
  int64_t limit = op.getIndexLimit();
  if (!limit)
    return integerOf(op.getIndices()).getWidth() > 32 ? std::optional(rangeOf(32)) : std::nullopt;
  return Accepted{op.countsFromEnd() ? -limit : 0, limit, op.getIgnoredIndex().value_or(0)};
}

/// Those that a cast keeps; nothing if it keeps all.
static std::optional<Accepted> acceptedBy(train::CastOp op) {
  IntegerType from = integerOf(op.getX()), to = integerOf(op.getResult());
  if (!from || !to || op.getIsUnsigned() || from.isInteger(1))
    return std::nullopt;
  if (to.isInteger(1))
    return Accepted{0, 2, 0};
  if (from.getWidth() + from.isUnsigned() <= to.getWidth())
    return std::nullopt;
  return rangeOf(to.getWidth());
}

static int64_t countOf(Value v) { return cast<RankedTensorType>(v.getType()).getNumElements(); }

/// Where the elements of a tensor of integers come from; `isWhole`: without what has more elements
/// than are taken from it.
static llvm::SetVector<Value> sourcesOf(Value tensor, bool isWhole) {
  llvm::SetVector<Value> visited, sources;
  visited.insert(tensor);
  for (size_t i = 0; i < visited.size(); ++i) {
    Operation *op = visited[i].getDefiningOp();
    auto cast = dyn_cast_or_null<train::CastOp>(op);
    bool passes = cast ? integerOf(cast.getX()) && !cast.getIsUnsigned()
                       : op && op->hasTrait<GivesElements>();
    // Columns of an input may belong to tables of different sizes.
    for (Value from : passes &&isWhole ? op->getOperands() : OperandRange(nullptr, 0))
      passes &= countOf(visited[i]) >= countOf(from);
    if (passes)
      visited.insert(op->operand_begin(), op->operand_end());
    else
      sources.insert(visited[i]);
  }
  return sources;
}

static train::InputAttr inputOf(train::FuncOp func, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? Signature(func).argument<train::InputAttr>(argument) : train::InputAttr();
}

/// Values that one of several ops refuses are refused. 0 is accepted by all, so it stands for none
/// to ignore.
static void tighten(train::FuncOp func, Value value, Accepted accepted) {
  train::InputAttr input = inputOf(func, value);
  if (!input || !integerOf(value) || integerOf(value).isInteger(1))
    return;
  auto other = input.withLimits(accepted.least, accepted.limit, accepted.ignore);
  if (input.getLimit()) {
    int64_t ignore = 0;
    for (int64_t number : {accepted.ignore, input.getIgnore()})
      if (number && input.accepts(number) && other.accepts(number))
        ignore = number;
    other = input.withLimits(std::max(accepted.least, input.getLeast()),
                             std::min(accepted.limit, input.getLimit()), ignore);
  }
  Signature(func).setArgument(cast<BlockArgument>(value).getArgNumber(), other);
}

static void recordLimits(train::FuncOp func) {
  for (Operation &op : func.getBody().front()) {
    auto index = dyn_cast<IndexOpInterface>(op);
    auto narrowing = dyn_cast<train::CastOp>(op);
    std::optional<Accepted> accepted;
    if (index && index.getIndices())
      accepted = acceptedBy(index);
    else if (narrowing)
      accepted = acceptedBy(narrowing);
    if (accepted)
      for (Value source : sourcesOf(index ? index.getIndices() : narrowing.getX(), bool(index)))
        tighten(func, source, *accepted);
    if (index)
      for (auto [numbers, limit] : index.getOtherIndices())
        for (Value source : sourcesOf(numbers, true))
          tighten(func, source, Accepted{0, limit, 0});
  }
}

/// A number that no caller gave, and that i32 has no place for, chooses nothing.
static Value clampToAccepted(GradBuilder &b, Value index, Accepted accepted) {
  Value least = b.real(double(std::min(accepted.least, accepted.ignore) - 1), index);
  Value most = b.real(double(std::max(accepted.limit, accepted.ignore + 1)), index);
  index = b.select(b.greater(least, index), least, index);
  return b.select(b.greater(index, most), most, index);
}

static void lowerIndices(train::FuncOp func, IndexOpInterface op) {
  Value index = op.getIndices();
  if (!index || (integerOf(index).isInteger(32) && !op.countsFromEnd()))
    return;
  OpBuilder builder(op);
  GradBuilder b(builder, op);
  Type number = builder.getI32Type();
  bool isChecked = llvm::all_of(sourcesOf(index, true),
                                [&](Value source) { return bool(inputOf(func, source)); });
  if (integerOf(index).getWidth() > 32 && !isChecked)
    index = clampToAccepted(b, index, *acceptedBy(op));
  index = b.castTo(index, number);
  if (op.countsFromEnd()) {
    Value moved = b.add(index, b.real(double(op.getIndexLimit()), index));
    index = b.select(b.greater(b.real(0.0, index), index), moved, index);
  }
  op.setStartIndices(index);
}

static bool isUnsigned(Value v) { return integerOf(v) && integerOf(v).isUnsigned(); }

/// Programs have integers without a sign of their own: casts say how they are read.
static void lowerUnsigned(train::FuncOp func) {
  Block &body = func.getBody().front();
  Type byte = IntegerType::get(func.getContext(), 8);
  auto lower = [&](Value value) {
    if (isUnsigned(value))
      value.setType(cast<RankedTensorType>(value.getType()).clone(byte));
  };
  for (auto op : body.getOps<train::CastOp>())
    if (isUnsigned(op.getX()))
      op.setIsUnsigned(true);
  for (BlockArgument argument : body.getArguments()) {
    if (train::InputAttr input = inputOf(func, argument); input && isUnsigned(argument))
      Signature(func).setArgument(argument.getArgNumber(), input.withoutSign());
    lower(argument);
  }
  for (Operation &op : body)
    for (Value result : op.getResults())
      lower(result);
  Signature(func).updateType();
}

void ampc::prepareIndices(train::FuncOp func) {
  recordLimits(func);
  for (auto op : llvm::to_vector(func.getBody().getOps<IndexOpInterface>()))
    lowerIndices(func, op);
  lowerUnsigned(func);
}
