// Products and sums of all rounds of a loop at once: in front of the loop, or behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/MergeRounds.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// A carried value to which every round adds a term.
struct Sum {
  unsigned number; ///< among the carried values
  Operation *add;  ///< carried value + term
  Operation *term; ///< adds up the leading dimension of its operands
  Operation *cast; ///< of the term to the type of the sum, or null
};

/// Moves the sums of one loop behind the loop.
class SumMerger {
public:
  explicit SumMerger(ScanOp scan) : scan(scan), body(scan.getBody().front()) {}
  void run();

private:
  void findSums();
  bool isSummed(Value carried, Operation *add);
  bool isMerged(Operation *term);
  void keepOperands();
  void eraseSums();
  ScanOp rebuild();
  Value stackOfRows(ScanOp merged, Value operand);
  Value total(GradBuilder &b, ScanOp merged, const Sum &sum);

  ScanOp scan;
  Block &body;
  SmallVector<Sum> sums;
};
} // namespace

/// Whether an op adds up the leading dimension of all of its operands: A^T D of A: [rows, m] and
/// D: [rows, n], or a sum over dimensions with the first.
static bool addsRows(Operation *op) {
  if (auto product = dyn_cast<MatmulOp>(op))
    return product.getTransposeLhs() && !product.getTransposeRhs() &&
           product.getLhs().getType().getRank() == 2 && product.getRhs().getType().getRank() == 2;
  auto sum = dyn_cast<ReduceSumOp>(op);
  return sum && llvm::is_contained(sum.getDims(), 0);
}

/// Whether the op adds a term to a carried value, which is not used otherwise.
bool SumMerger::isSummed(Value carried, Operation *add) {
  return add && add->getBlock() == &body && isa<AddOp>(add) && add->hasAttr("train.fan_in") &&
         llvm::is_contained(add->getOperands(), carried) && carried.hasOneUse() && add->hasOneUse();
}

/// Whether the term adds up rows of the round.
bool SumMerger::isMerged(Operation *term) {
  return term && addsRows(term) &&
         llvm::all_of(term->getOperands(), [&](Value v) { return v.getParentBlock() == &body; });
}

void SumMerger::findSums() {
  for (auto [i, carried, passed] :
       llvm::enumerate(scan.getCarried(), scan.getNext().getCarried())) {
    Operation *add = passed.getDefiningOp();
    if (!isSummed(carried, add))
      continue;
    Operation *term = add->getOperand(add->getOperand(0) == carried).getDefiningOp();
    Operation *cast = dyn_cast_or_null<CastOp>(term);
    if (cast)
      term = cast->getOperand(0).getDefiningOp();
    if (isMerged(term) && tensorOf(term->getResult(0)).getShape() == tensorOf(carried).getShape())
      sums.push_back({unsigned(i), add, term, cast});
  }
}

/// Operands of terms that are no rows of a sequence are kept of every round.
void SumMerger::keepOperands() {
  NextOp next = scan.getNext();
  for (const Sum &sum : sums)
    for (Value operand : sum.term->getOperands())
      if (!llvm::is_contained(scan.getRows(), operand) &&
          !llvm::is_contained(next.getEach(), operand))
        next.getEachMutable().append(operand);
}

/// The block without the sums.
void SumMerger::eraseSums() {
  NextOp next = scan.getNext();
  for (const Sum &sum : llvm::reverse(sums)) {
    next.getCarriedMutable().erase(sum.number);
    sum.add->erase();
    body.eraseArgument(scan.getIndexed() + sum.number);
  }
}

/// The loop of the block without sums, in front of the scan, whose other results it replaces.
ScanOp SumMerger::rebuild() {
  auto isMergedResult = [&](unsigned i) {
    return llvm::any_of(sums, [i](const Sum &sum) { return sum.number == i; });
  };
  SmallVector<Value> inits;
  SmallVector<unsigned> from;
  for (unsigned i = 0; i < scan->getNumResults(); ++i) {
    if (isMergedResult(i))
      continue;
    from.push_back(i);
    if (i < scan.getInits().size())
      inits.push_back(scan.getInits()[i]);
  }
  SmallVector<Value> sequences(scan.getSequences());
  IRRewriter rewriter(scan.getContext());
  return rebuildLoop(rewriter, scan, inits, sequences, from);
}

/// All rounds of a term's operand, [rounds, ...].
Value SumMerger::stackOfRows(ScanOp merged, Value operand) {
  ValueRange rows = merged.getRows();
  if (auto found = llvm::find(rows, operand); found != rows.end())
    return merged.getSequences()[found - rows.begin()];
  auto each = merged.getNext().getEach();
  auto kept = llvm::find(each, operand);
  return merged.getResult(merged.getInits().size() + (kept - each.begin()));
}

/// The initial value plus one sum over the rows of all rounds, [rounds, rows, m] -> [rounds * rows,
/// m].
Value SumMerger::total(GradBuilder &b, ScanOp merged, const Sum &sum) {
  IRMapping rows;
  for (Value operand : sum.term->getOperands()) {
    SmallVector<int64_t> shape(tensorOf(operand).getShape());
    shape[0] *= scan.getRounds();
    rows.map(operand, b.reshape(stackOfRows(merged, operand), tensorOf(operand).clone(shape)));
  }
  Value init = scan.getInits()[sum.number];
  Value all = b.castTo(b.builder.clone(*sum.term, rows)->getResult(0), getElementTypeOrSelf(init));
  return isZero(init) ? all : b.add(init, all);
}

void SumMerger::run() {
  findSums();
  if (sums.empty())
    return;
  keepOperands();
  eraseSums();
  ScanOp merged = rebuild();
  OpBuilder builder(scan);
  for (const Sum &sum : sums) {
    GradBuilder b(builder, sum.term);
    scan.getResult(sum.number).replaceAllUsesWith(total(b, merged, sum));
    for (Operation *op : {sum.cast, sum.term})
      if (op && op->use_empty())
        op->erase();
  }
  scan.erase();
}

void ampc::mergeSums(ScanOp scan) { SumMerger(scan).run(); }

// ---- Products ----

/// Whether the op multiplies rows of the round, [rows, k], by a matrix from outside of the loop.
static MatmulOp productOfRows(Operation &op, ScanOp scan) {
  auto product = dyn_cast<MatmulOp>(op);
  bool isPlain = product && !product.getTransposeLhs() &&
                 product.getLhs().getType().getRank() == 2 &&
                 product.getRhs().getType().getRank() == 2;
  return isPlain && !scan.getBody().isAncestor(product.getRhs().getParentRegion()) ? product
                                                                                   : MatmulOp();
}

std::optional<MergedProduct> ampc::mergedProductOf(Value sequence) {
  MergedProduct found;
  RankedTensorType all = tensorOf(sequence);
  if (all.getRank() != 3)
    return std::nullopt;
  Operation *op = sequence.getDefiningOp();
  for (; isa_and_present<CastOp, ReshapeOp>(op); op = op->getOperand(0).getDefiningOp())
    if (isa<CastOp>(op))
      found.casts.insert(found.casts.begin(), op);
  auto product = dyn_cast_or_null<MatmulOp>(op);
  if (!product || product.getTransposeLhs() || product.getLhs().getType().getRank() != 2)
    return std::nullopt;
  found.product = op;
  found.x = product.getLhs();
  found.w = product.getRhs();
  int64_t shape[] = {all.getDimSize(0) * all.getDimSize(1), all.getDimSize(2)};
  return product.getType().getShape() == ArrayRef(shape) ? std::optional(found) : std::nullopt;
}

/// The product of all rounds, [rounds, rows, k] -> [rounds, rows, n].
static Value productOfAll(GradBuilder &b, MatmulOp product, Value stack) {
  int64_t rounds = tensorOf(stack).getDimSize(0);
  RankedTensorType rows = product.getLhs().getType();
  IRMapping all;
  all.map(product.getLhs(),
          b.reshape(stack, rows.clone({rounds * rows.getDimSize(0), rows.getDimSize(1)})));
  Operation *copy = b.builder.clone(*product, all);
  RankedTensorType type = product.getType();
  Value result = copy->getResult(0);
  result.setType(type.clone({rounds * type.getDimSize(0), type.getDimSize(1)}));
  return b.reshape(result, stackOf(type, rounds));
}

/// Row numbers in another type, or a lookup of rows of a table from outside, for a row of numbers.
static bool looksUp(Operation &op, ScanOp scan) {
  if (auto cast = dyn_cast<CastOp>(op))
    return getElementTypeOrSelf(cast.getX()).isInteger() &&
           getElementTypeOrSelf(cast.getResult()).isInteger();
  auto lookup = dyn_cast<GatherOp>(op);
  return lookup && !scan.getBody().isAncestor(lookup.getTable().getParentRegion());
}

/// The op of all rounds: the row of its last operand, [...], becomes the sequence, [rounds, ...].
static Value lookupOfAll(GradBuilder &b, Operation &op, Value sequence) {
  IRMapping all;
  all.map(op.getOperands().back(), sequence);
  Operation *copy = b.builder.clone(op, all);
  Value result = copy->getResult(0);
  result.setType(stackOf(result.getType(), tensorOf(sequence).getDimSize(0)));
  return result;
}

/// The sequence whose row is the argument `row` of the loop's block; null for other values.
static Value sequenceOf(Value row, ScanOp scan) {
  ValueRange rows = scan.getRows();
  auto found = llvm::find(rows, row);
  return found == rows.end() ? Value() : scan.getSequences()[found - rows.begin()];
}

/// The lookup for all rounds of a sequence in front of the loop, or null for other ops. The
/// gradient of the table is then one sum over the rows of all rounds.
static Value lookupInFront(Operation &op, ScanOp scan) {
  Value sequence = looksUp(op, scan) ? sequenceOf(op.getOperands().back(), scan) : Value();
  if (!sequence)
    return {};
  OpBuilder builder(scan);
  GradBuilder b(builder, &op);
  return lookupOfAll(b, op, sequence);
}

/// The product x W, or the lookup, for all rounds of a sequence in front of the loop, or null.
static Value productOrLookupInFront(Operation &op, ScanOp scan) {
  MatmulOp product = productOfRows(op, scan);
  Value sequence = product ? sequenceOf(product.getLhs(), scan) : Value();
  if (!sequence)
    return lookupInFront(op, scan);
  OpBuilder builder(scan);
  GradBuilder b(builder, &op);
  return productOfAll(b, product, sequence);
}

/// Replaces ops of a row by the row of a new sequence, which `inFront` builds for all rounds; null
/// for ops that stay.
static void mergeInFront(ScanOp scan, llvm::function_ref<Value(Operation &, ScanOp)> inFront) {
  Block &body = scan.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    Value all = inFront(op, scan);
    if (!all)
      continue;
    scan.getSequencesMutable().append(all);
    Value result = op.getResult(0);
    result.replaceAllUsesWith(body.addArgument(result.getType(), op.getLoc()));
    op.erase();
  }
}

/// Products whose results are only kept are done behind the loop, on the kept rows.
static void mergeBehind(ScanOp scan) {
  NextOp next = scan.getNext();
  for (auto [i, kept] : llvm::enumerate(next.getEachMutable())) {
    Operation *op = kept.get().getDefiningOp();
    MatmulOp product =
        op && op->getBlock() == next->getBlock() ? productOfRows(*op, scan) : nullptr;
    if (!product || !product->hasOneUse() || product.getLhs().getParentBlock() != next->getBlock())
      continue;
    Value result = scan.getResult(scan.getInits().size() + i);
    kept.set(product.getLhs());
    result.setType(stackOf(product.getLhs().getType(), scan.getRounds()));
    OpBuilder builder(scan->getContext());
    builder.setInsertionPointAfter(scan);
    GradBuilder b(builder, product);
    SmallPtrSet<Operation *, 4> users(result.user_begin(), result.user_end());
    Value all = productOfAll(b, product, result);
    result.replaceUsesWithIf(all, [&](OpOperand &use) { return users.contains(use.getOwner()); });
    product.erase();
  }
}

void ampc::mergeProducts(ScanOp scan) {
  mergeInFront(scan, productOrLookupInFront);
  mergeBehind(scan);
}

void ampc::mergeAroundBlocks(ScanOp scan) {
  mergeInFront(scan, lookupInFront);
  mergeBehind(scan);
}
