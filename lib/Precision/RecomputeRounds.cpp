// Rematerialization between loops: values that a loop keeps of every round for its adjoint are
// computed again in the rounds of the adjoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Recomputation.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Recomputation for one loop of the forward pass. Example: of m = s * t the loop keeps s and t
/// anyway, so its adjoint multiplies the rows of s and t in place of reading a third stack.
class RoundRecomputation {
public:
  explicit RoundRecomputation(train::ScanOp forward)
      : forward(forward), body(forward.getBody().front()) {}
  void run();

private:
  train::NextOp next() { return forward.getNext(); }
  /// Stack of a value that the loop keeps, or null.
  Value stackOf(Value v);
  bool isKept(Value v);
  train::ScanOp findAdjoint(Value stack);
  bool mayRepeat(Operation *op, train::ScanOp adjoint);
  int64_t bytesToKeep(Value v);
  void repeat(Operation *op, Value stack, train::ScanOp adjoint);
  Value inAdjoint(Value v, train::ScanOp adjoint);
  Value rowIn(train::ScanOp adjoint, Value sequence);
  void keep(Value v);
  void rebuild(ArrayRef<Value> each, ArrayRef<unsigned> from);
  void dropUnreadStacks();

  train::ScanOp forward;
  Block &body;
};
} // namespace

static bool isReadByBackward(Value v) {
  return llvm::any_of(v.getUsers(), [](Operation *user) { return !isForward(user); });
}

Value RoundRecomputation::stackOf(Value v) {
  auto each = next().getEach();
  auto found = llvm::find(each, v);
  return found == each.end()
             ? Value()
             : forward.getResult(forward.getInits().size() + std::distance(each.begin(), found));
}

bool RoundRecomputation::isKept(Value v) {
  Value stack = stackOf(v);
  return stack && isReadByBackward(stack);
}

/// The loop of the backward pass that goes over the stack, if no other op reads the stack.
train::ScanOp RoundRecomputation::findAdjoint(Value stack) {
  train::ScanOp adjoint;
  for (OpOperand &use : stack.getUses()) {
    auto scan = dyn_cast<train::ScanOp>(use.getOwner());
    if (!scan || isForward(scan) || scan->getBlock() != forward->getBlock() ||
        use.getOperandNumber() < scan.getInits().size() || (adjoint && adjoint != scan))
      return {};
    adjoint = scan;
  }
  return adjoint;
}

/// Bytes that are kept in addition if the adjoint reads the value. A widened value is widened
/// again.
int64_t RoundRecomputation::bytesToKeep(Value v) {
  if (auto cast = v.getDefiningOp<train::CastOp>();
      cast && v.getParentBlock() == &body && bytesOf(cast.getX()) < bytesOf(v))
    v = cast.getX();
  if (llvm::is_contained(forward.getRows(), v))
    v = flowsFrom(v).front();
  Operation *op = v.getDefiningOp();
  if (v == forward.getIndex() || (op && op->hasTrait<OpTrait::ConstantLike>()))
    return 0;
  if (v.getParentBlock() == &body)
    return isKept(v) ? 0 : bytesOf(v) * forward.getRounds();
  return !op || isReadByBackward(v) ? 0 : bytesOf(v);
}

bool RoundRecomputation::mayRepeat(Operation *op, train::ScanOp adjoint) {
  if (!isMemoryEffectFree(op) || op->getNumRegions() > 0 || op->getNumResults() != 1 ||
      isChunked(op) || adjoint.getIndexed() != forward.getIndexed())
    return false;
  if (forward.getCheckpoint())
    return true;
  int64_t more = 0;
  for (Value operand : llvm::SetVector<Value>(op->operand_begin(), op->operand_end()))
    more += bytesToKeep(operand);
  return isCheapToRecompute(op) && more < bytesOf(op->getResult(0)) * forward.getRounds();
}

/// A new loop with the block of the old; result `i` of the new loop replaces result `from[i]`.
void RoundRecomputation::rebuild(ArrayRef<Value> each, ArrayRef<unsigned> from) {
  OpBuilder builder(next());
  SmallVector<Value> passed(next().getCarried());
  auto end = train::NextOp::create(builder, next().getLoc(), passed, each);
  end->setDiscardableAttrs(next()->getDiscardableAttrDictionary());
  next()->erase();
  SmallVector<Type> types(forward.getInits().getTypes());
  for (Value value : each)
    types.push_back(ampc::stackOf(value.getType(), forward.getRounds()));
  builder.setInsertionPoint(forward);
  auto whole =
      train::ScanOp::create(builder, forward.getLoc(), types, forward.getInits(),
                            forward.getSequences(), forward.getTimesAttr(), forward.getReverse(),
                            forward.getIndexed(), forward.getCheckpointAttr());
  whole->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
  whole.getBody().takeBody(forward.getBody());
  for (auto [to, old] : llvm::enumerate(from))
    forward.getResult(old).replaceAllUsesWith(whole.getResult(to));
  forward.erase();
  forward = whole;
}

/// Keeps a further value of every round.
void RoundRecomputation::keep(Value v) {
  SmallVector<Value> each(next().getEach());
  each.push_back(v);
  rebuild(each, llvm::to_vector(llvm::seq(0u, forward.getNumResults())));
}

void RoundRecomputation::dropUnreadStacks() {
  unsigned carried = forward.getInits().size();
  SmallVector<Value> each;
  SmallVector<unsigned> from = llvm::to_vector(llvm::seq(0u, carried));
  for (auto [k, value] : llvm::enumerate(next().getEach()))
    if (!forward.getResult(carried + k).use_empty()) {
      each.push_back(value);
      from.push_back(carried + k);
    }
  if (from.size() < forward.getNumResults() && !from.empty())
    rebuild(each, from);
}

Value RoundRecomputation::rowIn(train::ScanOp adjoint, Value sequence) {
  auto sequences = adjoint.getSequences();
  if (auto found = llvm::find(sequences, sequence); found != sequences.end())
    return adjoint.getRows()[std::distance(sequences.begin(), found)];
  adjoint.getSequencesMutable().append(sequence);
  return adjoint.getBody().addArgument(rowOf(sequence.getType()), sequence.getLoc());
}

/// The value in a round of the adjoint.
Value RoundRecomputation::inAdjoint(Value v, train::ScanOp adjoint) {
  if (v.getParentBlock() != &body)
    return v;
  if (Operation *op = v.getDefiningOp(); op && op->hasTrait<OpTrait::ConstantLike>())
    return OpBuilder::atBlockBegin(&adjoint.getBody().front()).clone(*op)->getResult(0);
  if (v == forward.getIndex())
    return adjoint.getIndex();
  if (llvm::is_contained(forward.getRows(), v))
    return rowIn(adjoint, flowsFrom(v).front());
  if (!stackOf(v))
    keep(v);
  return rowIn(adjoint, stackOf(v));
}

/// Drops a row without readers.
static void dropRow(train::ScanOp scan, BlockArgument row) {
  unsigned number = row.getArgNumber() - scan.getIndexed() - scan.getInits().size();
  scan.getSequencesMutable().erase(number);
  scan.getBody().eraseArgument(row.getArgNumber());
}

/// Row of a stack in the loop, which then goes over the stack once.
static Value onlyRowOf(Value stack, train::ScanOp scan) {
  Value only;
  for (int64_t k = scan.getSequences().size() - 1; k >= 0; --k) {
    if (scan.getSequences()[k] != stack)
      continue;
    Value row = scan.getRows()[k];
    if (only) {
      only.replaceAllUsesWith(row);
      dropRow(scan, cast<BlockArgument>(only));
    }
    only = row;
  }
  return only;
}

/// Computes the op again in front of the first op of the adjoint that reads the result, which is
/// then no longer a row of the stack.
void RoundRecomputation::repeat(Operation *op, Value stack, train::ScanOp adjoint) {
  Block &block = adjoint.getBody().front();
  Value row = onlyRowOf(stack, adjoint);
  Operation *first = block.getTerminator();
  for (Operation *user : row.getUsers())
    if (Operation *at = block.findAncestorOpInBlock(*user); at->isBeforeInBlock(first))
      first = at;
  Operation *copy = OpBuilder(first).clone(*op);
  setOrigin(copy, originOf(op).withStage(train::Stage::Backward));
  copy->setAttr("amp.recompute", UnitAttr::get(op->getContext()));
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(inAdjoint(operand.get(), adjoint));
  row.replaceAllUsesWith(copy->getResult(0));
  dropRow(adjoint, cast<BlockArgument>(row));
}

// In reverse order: what a repeated op reads may be repeated in turn.
void RoundRecomputation::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    Value stack = op->getNumResults() == 1 ? stackOf(op->getResult(0)) : Value();
    train::ScanOp adjoint = stack ? findAdjoint(stack) : train::ScanOp();
    if (adjoint && mayRepeat(op, adjoint))
      repeat(op, stack, adjoint);
  }
  dropUnreadStacks();
}

void ampc::recomputeRounds(Block &block, bool cheap) {
  for (auto scan : llvm::to_vector(block.getOps<train::ScanOp>()))
    if (isForward(scan) && (cheap || scan.getCheckpoint()))
      RoundRecomputation(scan).run();
}
