// Products and sums of all rounds of a loop at once: in front of the loop, or behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// A carried value to which every round adds a term.
struct Sum {
  unsigned number; ///< among the carried values
  Operation *add;  ///< carried value + term
  Operation *term; ///< adds up the leading dimension of its operands
};

/// Moves the sums of one loop behind the loop.
class SumMerger {
public:
  explicit SumMerger(ScanOp scan) : scan(scan), body(scan.getBody().front()) {}
  void run();

private:
  void findSums();
  Operation *termOf(Value carried, Operation *add);
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

/// The term that the op adds to a carried value, which is not used otherwise; null if the term adds
/// up no rows of the round.
Operation *SumMerger::termOf(Value carried, Operation *add) {
  if (!isa<AddOp>(add) || !add->hasAttr("train.fan_in") || !carried.hasOneUse() ||
      !add->hasOneUse())
    return nullptr;
  Operation *term = add->getOperand(add->getOperand(0) == carried).getDefiningOp();
  bool isMerged =
      term && addsRows(term) && term->getResult(0).getType() == carried.getType() &&
      llvm::all_of(term->getOperands(), [&](Value v) { return v.getParentBlock() == &body; });
  return isMerged ? term : nullptr;
}

void SumMerger::findSums() {
  for (auto [i, carried, passed] :
       llvm::enumerate(scan.getCarried(), scan.getNext().getCarried())) {
    Operation *add = passed.getDefiningOp();
    if (!add || add->getBlock() != &body || !llvm::is_contained(add->getOperands(), carried))
      continue;
    if (Operation *term = termOf(carried, add))
      sums.push_back({unsigned(i), add, term});
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
  OpBuilder builder(scan);
  SmallVector<Value> inits;
  SmallVector<unsigned> carried;
  for (unsigned i = 0; i < scan.getInits().size(); ++i)
    if (llvm::none_of(sums, [i](const Sum &sum) { return sum.number == i; })) {
      inits.push_back(scan.getInits()[i]);
      carried.push_back(i);
    }
  SmallVector<Type> types = llvm::map_to_vector(inits, [](Value v) { return v.getType(); });
  auto next = cast<NextOp>(body.getTerminator());
  for (Value each : next.getEach())
    types.push_back(stackOf(each.getType(), scan.getRounds()));
  auto merged = ScanOp::create(builder, scan.getLoc(), types, inits, scan.getSequences(),
                               builder.getI64IntegerAttr(scan.getRounds()), scan.getReverse(),
                               scan.getIndexed(), scan.getCheckpointAttr());
  merged->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  merged.getBody().takeBody(scan.getBody());
  for (auto [i, number] : llvm::enumerate(carried))
    scan.getResult(number).replaceAllUsesWith(merged.getResult(i));
  unsigned before = scan.getInits().size(), after = inits.size();
  for (unsigned i = before; i < scan->getNumResults(); ++i)
    scan.getResult(i).replaceAllUsesWith(merged.getResult(after + i - before));
  return merged;
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
  Value all = b.builder.clone(*sum.term, rows)->getResult(0), init = scan.getInits()[sum.number];
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
    if (sum.term->use_empty())
      sum.term->erase();
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

/// Products of rows of a sequence become a sequence: x W of all rounds.
static void mergeInFront(ScanOp scan) {
  Block &body = scan.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    MatmulOp product = productOfRows(op, scan);
    ValueRange rows = scan.getRows();
    auto row = product ? llvm::find(rows, product.getLhs()) : rows.end();
    if (row == rows.end())
      continue;
    OpBuilder builder(scan);
    GradBuilder b(builder, product);
    Value all = productOfAll(b, product, scan.getSequences()[row - rows.begin()]);
    scan.getSequencesMutable().append(all);
    product.replaceAllUsesWith(Value(body.addArgument(product.getType(), product.getLoc())));
    product.erase();
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
  mergeInFront(scan);
  mergeBehind(scan);
}
