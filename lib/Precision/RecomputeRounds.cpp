// Rematerialization between loops: values that a loop keeps of every round for its adjoint are
// computed again in the rounds of the adjoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Recomputation.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/MergeRounds.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
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
  void repeatIfPaying(Operation *op);
  void repeat(ArrayRef<OpResult> results, train::ScanOp adjoint);
  Value inAdjoint(Value v, train::ScanOp adjoint);
  Value rowIn(train::ScanOp adjoint, Value sequence);
  Value productIn(train::ScanOp adjoint, Value sequence);
  void dropUnreadStacks();

  train::ScanOp forward;
  Block &body;
  DenseMap<Value, Value> products; ///< rows of sequences that the adjoint multiplies again
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

/// With a checkpoint everything is repeated, the rounds of a loop inside as well.
bool RoundRecomputation::mayRepeat(Operation *op, train::ScanOp adjoint) {
  if (!isMemoryEffectFree(op) || isChunked(op) || adjoint.getIndexed() != forward.getIndexed())
    return false;
  if (forward.getCheckpoint())
    return true;
  if (op->getNumRegions() > 0 || op->getNumResults() != 1)
    return false;
  int64_t more = 0;
  for (Value operand : llvm::SetVector<Value>(op->operand_begin(), op->operand_end()))
    more += bytesToKeep(operand);
  return isCheapToRecompute(op) && more < bytesOf(op->getResult(0)) * forward.getRounds();
}

void RoundRecomputation::dropUnreadStacks() {
  unsigned carried = forward.getInits().size();
  SmallVector<Value> each, inits(forward.getInits()), sequences(forward.getSequences());
  SmallVector<unsigned> from = llvm::to_vector(llvm::seq(0u, carried));
  for (auto [k, value] : llvm::enumerate(next().getEach()))
    if (!forward.getResult(carried + k).use_empty()) {
      each.push_back(value);
      from.push_back(carried + k);
    }
  if (from.size() == forward.getNumResults() || from.empty())
    return;
  next().getEachMutable().assign(each);
  IRRewriter rewriter(forward.getContext());
  train::ScanOp smaller = rebuildLoop(rewriter, forward, inits, sequences, from);
  forward.erase();
  forward = smaller;
}

/// Marks the op, and the ops of a loop, as recomputed by the backward pass.
static void markCopy(Operation *copy) {
  copy->walk([](Operation *op) {
    if (train::OriginAttr origin = originOf(op))
      setOrigin(op, origin.withStage(train::Stage::Backward));
    if (!op->hasTrait<OpTrait::IsTerminator>() && !op->hasTrait<OpTrait::ConstantLike>())
      op->setAttr("amp.recompute", UnitAttr::get(op->getContext()));
  });
}

Value RoundRecomputation::rowIn(train::ScanOp adjoint, Value sequence) {
  auto sequences = adjoint.getSequences();
  if (auto found = llvm::find(sequences, sequence); found != sequences.end())
    return adjoint.getRows()[std::distance(sequences.begin(), found)];
  adjoint.getSequencesMutable().append(sequence);
  return adjoint.getBody().addArgument(rowOf(sequence.getType()), sequence.getLoc());
}

/// The row of a sequence x W, multiplied again from the row of x, so that only x is kept: the
/// backward pass reads x for the gradient of W anyway. Null for other sequences, and if keeping x
/// takes no fewer bytes. Example: of x W: [35, 20, 2600] and x: [700, 650] the adjoint's rounds
/// read rows of x, [20, 650].
Value RoundRecomputation::productIn(train::ScanOp adjoint, Value sequence) {
  if (Value known = products.lookup(sequence))
    return known;
  std::optional<MergedProduct> found = mergedProductOf(sequence);
  if (!found || !forward.getCheckpoint() || isReadByBackward(sequence))
    return {};
  Operation *product = found->product;
  Value all = found->x;
  if (bytesToKeep(all) + bytesToKeep(found->w) >= bytesOf(sequence))
    return {};
  RankedTensorType row = rowOf(sequence.getType()), type = cast<RankedTensorType>(all.getType());
  OpBuilder outside(adjoint);
  GradBuilder b(outside, product->getLoc(), originOf(product).withStage(train::Stage::Backward));
  Value stack =
      b.reshape(all, type.clone({forward.getRounds(), row.getDimSize(0), type.getDimSize(1)}));
  IRMapping mapping;
  mapping.map(all, rowIn(adjoint, stack));
  auto builder = OpBuilder::atBlockBegin(&adjoint.getBody().front());
  auto cloneForRow = [&](Operation *op) {
    Value result = builder.clone(*op, mapping)->getResult(0);
    result.setType(row.clone(getElementTypeOrSelf(result)));
    markCopy(result.getDefiningOp());
    return result;
  };
  Value again = cloneForRow(product);
  for (Operation *cast : found->casts) {
    mapping.map(cast->getOperand(0), again);
    again = cloneForRow(cast);
  }
  return products[sequence] = again;
}

/// The value in a round of the adjoint.
Value RoundRecomputation::inAdjoint(Value v, train::ScanOp adjoint) {
  if (v.getParentBlock() != &body)
    return v;
  if (Operation *op = v.getDefiningOp(); op && op->hasTrait<OpTrait::ConstantLike>())
    return OpBuilder::atBlockBegin(&adjoint.getBody().front()).clone(*op)->getResult(0);
  if (v == forward.getIndex())
    return adjoint.getIndex();
  if (llvm::is_contained(forward.getRows(), v)) {
    Value sequence = flowsFrom(v).front(), product = productIn(adjoint, sequence);
    return product ? product : rowIn(adjoint, sequence);
  }
  if (!stackOf(v))
    forward = keepOfEveryRound(forward, v);
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

/// The first op of the block, or around the op in it, that reads one of the rows.
static Operation *firstReader(ArrayRef<Value> rows, Block &block) {
  Operation *first = block.getTerminator();
  for (Value row : rows)
    for (Operation *user : row.getUsers())
      if (Operation *at = block.findAncestorOpInBlock(*user); at->isBeforeInBlock(first))
        first = at;
  return first;
}

/// Computes the op again in front of the first op of the adjoint that reads one of the results,
/// which are then no longer rows of stacks.
void RoundRecomputation::repeat(ArrayRef<OpResult> results, train::ScanOp adjoint) {
  Operation *op = results.front().getOwner();
  SmallVector<Value> rows = llvm::map_to_vector(
      results, [&](OpResult result) { return onlyRowOf(stackOf(result), adjoint); });
  OpBuilder builder(firstReader(rows, adjoint.getBody().front()));
  Operation *copy = builder.clone(*op);
  markCopy(copy);
  copy->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(inAdjoint(operand.get(), adjoint));
  });
  for (auto [result, row] : llvm::zip(results, rows)) {
    row.replaceAllUsesWith(copy->getResult(result.getResultNumber()));
    dropRow(adjoint, cast<BlockArgument>(row));
  }
}

/// Repeats the op if the loop of the backward pass goes over its results.
void RoundRecomputation::repeatIfPaying(Operation *op) {
  train::ScanOp adjoint;
  SmallVector<OpResult> results;
  for (OpResult result : op->getResults())
    if (Value stack = stackOf(result))
      if (train::ScanOp found = findAdjoint(stack); found && (!adjoint || adjoint == found)) {
        adjoint = found;
        results.push_back(result);
      }
  if (adjoint && mayRepeat(op, adjoint))
    repeat(results, adjoint);
}

// In reverse order, because operands of a repeated op may be repeated as well.
void RoundRecomputation::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    repeatIfPaying(op);
  dropUnreadStacks();
}

void ampc::recomputeRounds(Block &block, bool cheap) {
  for (auto scan : llvm::to_vector(block.getOps<train::ScanOp>()))
    if (isForward(scan) && (cheap || scan.getCheckpoint()))
      RoundRecomputation(scan).run();
  for (auto scan : llvm::to_vector(block.getOps<train::ScanOp>())) // of rounds that are repeated
    dropDeadValuesInside(scan);
}
