// Adjoint of a loop: the block is copied into a loop in the other direction and differentiated
// there; then the copy's values are replaced by values that the forward loop keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Autodiff/ReversedLoop.h"
#include "lib/Train/Autodiff/BlocksOfRounds.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;

ReversedLoop::ReversedLoop(train::ScanOp scan, const DenseSet<Value> &varied,
                           const Cotangents &cotangents, const Reverse::Purpose &purpose)
    : scan(scan), varied(varied), cotangents(cotangents), purpose(purpose) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(scan.getBody(), used);
  for (Value value : used)
    if (varied.contains(value) && isReal(value))
      captured.push_back(value);
  unsigned count = scan.getInits().size();
  for (auto [k, argument] : llvm::enumerate(scan.getCarried()))
    if (varied.contains(argument) && isReal(argument))
      carried.push_back(k);
  for (auto [k, value] : llvm::enumerate(scan.getNext().getEach()))
    if (cotangents.contains(scan.getResult(count + k)))
      kept.push_back(k);
}

bool ReversedLoop::isActive() const {
  return !captured.empty() || llvm::any_of(scan->getOperands(), [&](Value v) {
    return varied.contains(v) && isReal(v);
  });
}

static Value fill(GradBuilder &b, double value, Type type) {
  return b.broadcastTo(b.real(value, type), cast<RankedTensorType>(type));
}

static Value zerosOf(GradBuilder &b, Type type) { return fill(b, 0.0, type); }

/// The neutral element of addition: -0 + x has the bits of x for every x, 0 + -0 has not. An
/// unrolled loop takes the first term in place of the sum (`onlyTerm`), and so has the loop's bits.
static Value emptySum(GradBuilder &b, Type type) { return fill(b, -0.0, type); }

Value ReversedLoop::cotangentOrZeros(GradBuilder &b, Value value) {
  Value known = cotangents.lookup(value);
  return known ? known : zerosOf(b, value.getType());
}

/// A loop without results yet: index, cotangents of carried values, cotangents of kept values; then
/// the arguments of the copy.
void ReversedLoop::openAdjoint(GradBuilder &b) {
  unsigned count = scan.getInits().size();
  for (unsigned k : carried)
    inits.push_back(cotangentOrZeros(b, scan.getResult(k)));
  for (unsigned k : kept)
    sequences.push_back(cotangents.lookup(scan.getResult(count + k)));
  adjoint = train::ScanOp::create(b.builder, b.loc, TypeRange(), inits, sequences,
                                  b.builder.getI64IntegerAttr(scan.getRounds()), !scan.getReverse(),
                                  scan.getIndexed(), scan.getCheckpointAttr());
  b.stamp(adjoint);
  block = &adjoint.getBody().emplaceBlock();
  auto addArgument = [&](Type type) { return block->addArgument(type, b.loc); };
  if (Value index = scan.getIndex())
    copies.map(index, addArgument(index.getType()));
  for (Value init : inits)
    addArgument(init.getType());
  for (Value sequence : sequences)
    addArgument(rowOf(sequence.getType()));
  for (Value argument : scan.getCarried())
    copies.map(argument, addArgument(argument.getType()));
  for (Value row : scan.getRows())
    copies.map(row, addArgument(row.getType()));
}

void ReversedLoop::cloneBody() {
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  for (Operation &op : scan.getBody().front().without_terminator()) {
    builder.clone(op, copies);
    ++copiedOps;
  }
  end = train::NextOp::create(builder, scan.getNext().getLoc(), ValueRange(), ValueRange());
}

/// Ops of the copy after differentiation: loops inside have been replaced, in place.
static auto firstOps(Block *block, size_t count) {
  return llvm::make_range(block->begin(), std::next(block->begin(), count));
}

void ReversedLoop::differentiate(Reverse &inner) {
  OpBuilder builder(end);
  GradBuilder b(builder, end.getLoc(), originOf(scan).differentiated().withStage(purpose.stage));
  SmallVector<Value> passed, rowCotangents;
  for (unsigned k : carried) {
    Value argument = copies.lookup(scan.getCarried()[k]), gradient = inner.gradient(argument);
    passed.push_back(gradient ? gradient : zerosOf(b, argument.getType()));
  }
  for (Value value : sums) // continued inside
    passed.push_back(inner.gradient(value));
  for (Value value : captured)
    if (Value gradient = inner.gradient(value); gradient && !llvm::is_contained(sums, value)) {
      passed.push_back(addToSum(b, value, gradient));
      sums.push_back(value);
    }
  for (auto [k, row] : llvm::enumerate(scan.getRows()))
    if (Value gradient = inner.gradient(copies.lookup(row)); gradient && varied.contains(row)) {
      rows.push_back(k);
      rowCotangents.push_back(gradient);
    }
  auto next = train::NextOp::create(builder, end.getLoc(), passed, rowCotangents);
  b.stamp(next);
  end.erase();
  end = next;
  for (auto [op, copy] :
       llvm::zip(scan.getBody().front().without_terminator(), firstOps(block, copiedOps))) {
    copiedSet.insert(&copy);
    for (auto [result, copied] : llvm::zip(op.getResults(), copy.getResults()))
      copies.map(result, copied);
  }
}

/// Cotangents of the block's ends are the adjoint's arguments.
LogicalResult ReversedLoop::differentiateBody() {
  SmallVector<Value> sources(captured);
  for (Value argument : scan.getBody().getArguments())
    if (varied.contains(argument) && isReal(argument))
      sources.push_back(copies.lookup(argument));
  SmallVector<std::pair<Value, Value>> seeds;
  train::NextOp next = scan.getNext();
  unsigned argument = scan.getIndexed();
  for (unsigned k : carried)
    seeds.emplace_back(copies.lookupOrDefault(next.getCarried()[k]),
                       block->getArgument(argument++));
  for (unsigned k : kept)
    seeds.emplace_back(copies.lookupOrDefault(next.getEach()[k]), block->getArgument(argument++));
  for (Value value : captured)
    if (continuesSum(value)) {
      seeds.emplace_back(value, openSum(value));
      sums.push_back(value);
    }
  Reverse inner(end, sources, purpose);
  if (failed(inner.run(seeds)))
    return failure();
  differentiate(inner);
  return success();
}

/// The gradient in the type of its sum, without a rounding in between.
static Value asTerm(GradBuilder &b, Value gradient, RankedTensorType sum) {
  auto cast = gradient.getDefiningOp<train::CastOp>();
  bool isRounded = cast && getElementTypeOrSelf(cast.getX()) == sum.getElementType();
  return isRounded ? Value(cast.getX()) : b.castTo(gradient, sum.getElementType());
}

/// Whether the sum over the rounds of a block goes on from the sum of the blocks before: the order
/// of the sum is that of the loop without blocks, and the sum is not merged with those of other
/// blocks, for which the terms of all rounds would be kept.
bool ReversedLoop::continuesSum(Value value) {
  return scan->hasAttr(blocksAttribute) && accumulatorsOf(value) == value.getType();
}

/// The cotangent of a value from outside is carried: the sum of the rounds before. Sums of 16-bit
/// terms are f32, because every round would round otherwise.
Value ReversedLoop::openSum(Value value) {
  RankedTensorType type = accumulatorsOf(value);
  Value sum = block->insertArgument(scan.getIndexed() + inits.size(), type, scan.getLoc());
  OpBuilder outside(adjoint);
  GradBuilder before(outside, adjoint.getLoc(),
                     originOf(scan).differentiated().withStage(purpose.stage));
  Value known = cotangents.lookup(value);
  inits.push_back(known ? before.castTo(known, type.getElementType()) : emptySum(before, type));
  return sum;
}

/// Sum of the rounds before + gradient of the round.
Value ReversedLoop::addToSum(GradBuilder &b, Value value, Value gradient) {
  Value sum = openSum(value), total = b.add(sum, asTerm(b, gradient, tensorOf(sum)));
  total.getDefiningOp()->setAttr("train.fan_in", b.builder.getUnitAttr());
  return total;
}

/// A value of the copy that adjoints read is kept by the forward loop, where it is `original`.
void ReversedLoop::save(Value copy, Value original) {
  auto isRead = [&](OpOperand &use) {
    return !copiedSet.contains(block->findAncestorOpInBlock(*use.getOwner()));
  };
  if (llvm::none_of(copy.getUses(), isRead))
    return;
  auto found = llvm::find(each, original);
  saved.push_back(found - each.begin());
  if (found == each.end())
    each.push_back(original);
  Value row = block->addArgument(copy.getType(), copy.getLoc());
  copy.replaceUsesWithIf(row, isRead);
}

/// Values that depend on the round by more than its number. Other values, such as blocks of a
/// weight, are computed again.
llvm::DenseSet<Value> ReversedLoop::varyingCopies() {
  llvm::DenseSet<Value> varying;
  for (Value argument : scan.getBody().getArguments())
    if (argument != scan.getIndex())
      varying.insert(copies.lookup(argument));
  for (Operation &op : firstOps(block, copiedOps)) {
    bool varies = false;
    op.walk([&](Operation *inner) {
      varies |= llvm::any_of(inner->getOperands(), [&](Value v) { return varying.contains(v); });
    });
    if (varies)
      varying.insert_range(op.getResults());
  }
  return varying;
}

/// The forward loop has the ops of the copy, since loops inside keep more values now.
void ReversedLoop::buildForward() {
  auto body = std::make_unique<Block>();
  IRMapping back;
  for (Value argument : scan.getBody().getArguments())
    back.map(copies.lookup(argument), body->addArgument(argument.getType(), argument.getLoc()));
  OpBuilder builder(scan.getContext());
  builder.setInsertionPointToEnd(body.get());
  for (Operation &op : firstOps(block, copiedOps))
    builder.clone(op, back);
  auto inForward = [&](Value v) { return back.lookupOrDefault(copies.lookupOrDefault(v)); };
  train::NextOp next = scan.getNext();
  SmallVector<Value> passed = llvm::map_to_vector(next.getCarried(), inForward);
  each = llvm::map_to_vector(next.getEach(), inForward);
  llvm::DenseSet<Value> varying = varyingCopies();
  for (Value argument : scan.getCarried())
    save(copies.lookup(argument), back.lookup(copies.lookup(argument)));
  for (Operation &op : firstOps(block, copiedOps))
    for (Value result : op.getResults())
      if (varying.contains(result))
        save(result, back.lookup(result));
  auto newNext = train::NextOp::create(builder, next.getLoc(), passed, each);
  newNext->setDiscardableAttrs(next->getDiscardableAttrDictionary());
  builder.setInsertionPoint(scan);
  SmallVector<Value> operands(scan.getSequences());
  forward = createLoop(builder, scan, scan.getInits(), operands, std::move(body));
}

/// Erases the copies that no adjoint reads, and their arguments.
void ReversedLoop::dropDeadCopies() {
  SmallVector<Operation *> copied;
  for (Operation &op : firstOps(block, copiedOps))
    copied.push_back(&op);
  for (Operation *op : llvm::reverse(copied))
    if (isOpTriviallyDead(op))
      op->erase();
  auto erase = [&](Value copy) { block->eraseArgument(cast<BlockArgument>(copy).getArgNumber()); };
  for (Value argument : scan.getCarried())
    erase(copies.lookup(argument));
  for (auto [row, sequence] : llvm::zip(scan.getRows(), scan.getSequences()))
    if (Value copy = copies.lookup(row); copy.use_empty())
      erase(copy);
    else
      sequences.push_back(sequence);
}

void ReversedLoop::closeAdjoint(GradBuilder &b) {
  for (unsigned k : saved)
    sequences.push_back(forward.getResult(scan.getInits().size() + k));
  IRRewriter rewriter(b.builder.getContext());
  train::ScanOp whole = rebuildLoop(rewriter, adjoint, inits, sequences, {});
  b.stamp(whole);
  adjoint.erase();
  adjoint = whole;
  ResultRange results = whole.getResults();
  auto note = [&](SmallVectorImpl<Adjoint> &list, Value value) {
    if (varied.contains(value))
      list.emplace_back(value, b.castTo(results.front(), getElementTypeOrSelf(value)));
    results = results.drop_front();
  };
  for (unsigned k : carried)
    note(adjoints, scan.getInits()[k]);
  for (Value value : sums)
    note(totals, value);
  for (unsigned k : rows)
    note(adjoints, scan.getSequences()[k]);
}

LogicalResult ReversedLoop::build(GradBuilder &b) {
  openAdjoint(b);
  cloneBody();
  if (failed(differentiateBody()))
    return failure();
  buildForward();
  dropDeadCopies();
  closeAdjoint(b);
  return success();
}
