// Analysis of micro-batches: relation of each value to the corresponding value of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/MicroBatchAnalysis.h"
#include "lib/Train/Autodiff/Reverse.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/ValidRows.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ampc;

bool ampc::isStatistic(OpOperand &operand) {
  auto op = dyn_cast<StatisticsOpInterface>(operand.getOwner());
  return op && op.isStatistic(operand.getOperandNumber());
}

DenseSet<Value> ampc::valuesOfRows(train::FuncOp func) {
  DenseSet<Value> found;
  Signature signature(func);
  for (BlockArgument argument : func.getArguments()) {
    auto input = signature.argument<train::InputAttr>(argument);
    if ((input && input.isBatched()) || signature.argument<train::ControlAttr>(argument))
      found.insert(argument);
  }
  found.insert_range(readRowStates(func, func.getBatch().value_or(0)));
  auto isOfRows = [&](Value v) { return found.contains(v); };
  auto mark = [&](Operation *op) {
    if (isa<RandomOpInterface>(op) ||
        (!isLoopBoundary(op) && llvm::any_of(op->getOperands(), isOfRows)))
      found.insert(op->result_begin(), op->result_end());
    for (OpOperand &operand : op->getOpOperands())
      if (isOfRows(operand.get()))
        found.insert_range(flowsTo(operand));
  };
  // A carried value may depend on rows from a later round on.
  for (size_t known = found.size() + 1; known != found.size();) {
    known = found.size();
    func.getBody().walk<WalkOrder::PreOrder>(mark);
  }
  return found;
}

static MicroBatchValue mixedRowsOf(Operation *op) {
  MicroBatchValue mixed;
  mixed.of = BatchRelation::Mixed;
  mixed.cause = op;
  return mixed;
}

MicroBatchAnalysis::MicroBatchAnalysis(train::FuncOp func, Facts given) : facts(std::move(given)) {
  Signature signature(func);
  for (BlockArgument argument : func.getArguments()) {
    MicroBatchValue value;
    auto input = signature.argument<train::InputAttr>(argument);
    if (input && input.isBatched())
      value.of = BatchRelation::Rows;
    if (argument == signature.findControl(train::Control::Valid))
      value.of = BatchRelation::Valid;
    if (llvm::is_contained(facts.written, argument))
      value.of = BatchRelation::Mixed; // the cause is the consumer
    value.isLearned = llvm::is_contained(facts.learned, argument);
    value.varies = allDimensions(argument);
    values[argument] = value;
  }
  for (Value rows : readRowStates(func, facts.rows))
    values[rows].of = BatchRelation::Rows;
  for (Operation &op : func.getBody().front().without_terminator())
    visit(&op);
}

const MicroBatchValue &MicroBatchAnalysis::of(Value value) const {
  return values.find(value)->second;
}

ArrayRef<MicroBatchChange> MicroBatchAnalysis::getChanges(Operation *op) const {
  auto found = changes.find(op);
  return found == changes.end() ? ArrayRef<MicroBatchChange>()
                                : ArrayRef<MicroBatchChange>(found->second);
}

// ---- Loops ----

static bool isEqual(const MicroBatchValue &a, const MicroBatchValue &b) {
  return a.of == b.of && a.place.dim == b.place.dim && a.place.outer == b.place.outer &&
         a.isLearned == b.isLearned && a.isDrawn == b.isDrawn && a.isLiteral == b.isLiteral &&
         a.varies == b.varies;
}

/// Row of a sequence. A loop over the rows of a batch mixes rows.
static MicroBatchValue inRound(MicroBatchValue sequence, Operation *loop) {
  if (sequence.of == BatchRelation::Rows && --sequence.place.dim < 0)
    return mixedRowsOf(loop);
  sequence.varies >>= 1;
  return sequence;
}

/// Rows of all rounds.
static MicroBatchValue ofAllRounds(MicroBatchValue row, Operation *loop) {
  if (row.of == BatchRelation::Valid)
    return mixedRowsOf(loop);
  ++row.place.dim;
  row.varies = row.varies << 1 | 1;
  return row;
}

/// A carried value that is `a` in some rounds, and `b` in others. A value common to all
/// micro-batches is a row per row if the rows are equal, or a term of a sum.
static MicroBatchValue joinOf(MicroBatchValue a, MicroBatchValue b, Operation *loop) {
  if (a.of == BatchRelation::Mixed || b.of == BatchRelation::Mixed)
    return a.of == BatchRelation::Mixed ? a : b;
  if (a.of == BatchRelation::Same && b.of != BatchRelation::Same)
    std::swap(a, b);
  bool isSame = a.of == b.of && (a.of != BatchRelation::Rows ||
                                 (a.place.dim == b.place.dim && a.place.outer == b.place.outer));
  bool isRow = a.of == BatchRelation::Rows && !(b.varies >> a.place.dim & 1);
  bool isTerm = a.of == BatchRelation::Sum && !b.isDrawn;
  if (!isSame && (b.of != BatchRelation::Same || (!isRow && !isTerm)))
    return mixedRowsOf(loop);
  a.isLearned |= b.isLearned;
  a.isDrawn = a.of != BatchRelation::Rows && (a.isDrawn || b.isDrawn);
  a.isLiteral &= b.isLiteral;
  a.varies |= b.varies;
  return a;
}

/// Drops the changes inside of a loop before another visit.
void MicroBatchAnalysis::forget(train::ScanOp scan) {
  scan.getBody().walk([&](Operation *op) {
    changes.erase(op);
    rowCounts.erase(op);
  });
}

/// Visits the block; returns whether a carried value has a relation of more rounds now.
bool MicroBatchAnalysis::visitRounds(train::ScanOp scan) {
  forget(scan);
  for (Operation &op : scan.getBody().front().without_terminator())
    visit(&op);
  bool changed = false;
  for (auto [argument, passed] : llvm::zip(scan.getCarried(), scan.getNext().getCarried())) {
    MicroBatchValue joined = joinOf(of(argument), of(passed), scan);
    changed |= !isEqual(joined, of(argument));
    values[argument] = joined;
  }
  return changed;
}

void MicroBatchAnalysis::visitLoop(train::ScanOp scan) {
  if (Value index = scan.getIndex())
    values[index].isLiteral = true;
  for (auto [argument, init] : llvm::zip(scan.getCarried(), scan.getInits()))
    values[argument] = MicroBatchValue(of(init));
  for (auto [argument, sequence] : llvm::zip(scan.getRows(), scan.getSequences()))
    values[argument] = inRound(of(sequence), scan);
  while (visitRounds(scan))
    ;
  train::NextOp next = scan.getNext();
  auto addTerm = [&](OpOperand &operand) {
    if (of(operand.get()).of == BatchRelation::Same && !isZero(operand.get()))
      changes[operand.getOwner()].push_back({&operand, false});
  };
  for (auto [k, argument] : llvm::enumerate(scan.getCarried())) {
    values[scan.getResult(k)] = MicroBatchValue(of(argument));
    if (of(argument).of == BatchRelation::Sum) {
      addTerm(scan->getOpOperand(k));
      addTerm(next->getOpOperand(k));
    }
  }
  for (auto [k, kept] : llvm::enumerate(next.getEach()))
    values[scan.getResult(scan.getInits().size() + k)] = ofAllRounds(of(kept), scan);
}

// ---- Ops ----

void MicroBatchAnalysis::visit(Operation *op) {
  if (auto scan = dyn_cast<train::ScanOp>(op))
    return visitLoop(scan);
  if (isa<train::GradOp>(op))
    return visitGradient(op);
  MicroBatchValue joined;
  joined.isLiteral = true;
  bool hasRows = false, hasSum = false, hasValid = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isStatistic(operand))
      continue;
    const MicroBatchValue &value = of(operand.get());
    joined.isLearned |= value.isLearned;
    joined.isDrawn |= value.isDrawn;
    joined.isLiteral &= value.isLiteral;
    hasRows |= value.of == BatchRelation::Rows;
    hasSum |= value.of == BatchRelation::Sum;
    hasValid |= value.of == BatchRelation::Valid;
    if (value.of == BatchRelation::Mixed && joined.of != BatchRelation::Mixed)
      joined = mixedRowsOf(value.cause ? value.cause : op);
  }
  MicroBatchValue result = joined;
  if (joined.of == BatchRelation::Mixed)
    result = joined;
  else if (isa<train::CountOp>(op))
    result = ofCount(op);
  else if (hasValid)
    result = ofValid(op, joined);
  else if (hasRows)
    return visitRows(op, joined);
  else if (hasSum)
    result = ofSums(op, joined);
  else
    result = ofConstants(op, joined);
  for (OpResult value : op->getResults()) {
    result.varies = variesAlong(value, [&](Value operand) { return of(operand).varies; });
    values[value] = result;
  }
}

/// Count of the whole batch, which does not depend on the elements.
MicroBatchValue MicroBatchAnalysis::ofCount(Operation *op) {
  auto count = cast<train::CountOp>(op);
  const MicroBatchValue &x = of(count.getX());
  if (x.of == BatchRelation::Rows && llvm::is_contained(count.getDims(), x.place.dim))
    rowCounts.insert(op);
  return {};
}

MicroBatchValue MicroBatchAnalysis::ofConstants(Operation *op, MicroBatchValue joined) {
  if (isa<RandomOpInterface>(op)) {
    ArrayRef<int64_t> shape = tensorOf(op->getResult(0)).getShape();
    joined.isLiteral = false;
    if (!shape.empty() && shape[0] == facts.rows)
      joined.of = BatchRelation::Rows; // a draw per row, as of latent variables
    else
      joined.isDrawn = true;
    return joined;
  }
  // Literals may be a batch or not: no fact tells whether a dimension of that size is the batch.
  auto reduce = dyn_cast<ReduceOpInterface>(op);
  if (reduce && joined.isLiteral && facts.rows > 1 &&
      llvm::any_of(reduce.getDims(), [&](int64_t dim) {
        return tensorOf(op->getOperand(0)).getDimSize(dim) % facts.rows == 0;
      }))
    return mixedRowsOf(op);
  return joined;
}

/// A count of rows, or the mask of the valid rows.
MicroBatchValue MicroBatchAnalysis::ofValid(Operation *op, MicroBatchValue joined) {
  MicroBatchValue result = joined;
  if (auto cast = dyn_cast<train::CastOp>(op); cast && isReal(cast.getResult())) {
    result.of = BatchRelation::Sum;
  } else if (scalesCount(op)) {
    result.of = BatchRelation::Valid;
  } else if (std::optional<int64_t> dim = dimensionOfMask(op)) {
    result.of = BatchRelation::Rows;
    result.place = {*dim};
  } else {
    return mixedRowsOf(op);
  }
  return result;
}

/// Replaces an operand by the total over all micro-batches, if the total is known before the first
/// micro-batch.
bool MicroBatchAnalysis::total(OpOperand &operand) {
  if (of(operand.get()).isLearned && !facts.hasLearnedTotals)
    return false;
  changes[operand.getOwner()].push_back({&operand, true});
  return true;
}

bool MicroBatchAnalysis::isSummand(Operation *op, unsigned index, unsigned other) const {
  auto linear = dyn_cast<SummandsOpInterface>(op);
  return linear && linear.isSummandWith(index, other);
}

MicroBatchValue MicroBatchAnalysis::ofSums(Operation *op, MicroBatchValue joined) {
  auto operands = op->getOpOperands();
  auto isSum = [&](OpOperand &operand) { return of(operand.get()).of == BatchRelation::Sum; };
  // Operand that stays a sum: a sum that cannot be known before, if there is any.
  OpOperand *sum = nullptr;
  for (OpOperand &operand : operands)
    if (isSum(operand) && (!sum || (of(operand.get()).isLearned && !of(sum->get()).isLearned)))
      sum = &operand;
  unsigned index = sum->getOperandNumber();
  bool isLinear = isSummand(op, index, index);
  bool hasOther = llvm::any_of(operands, [&](OpOperand &operand) {
    return !isSum(operand) && isSummand(op, index, operand.getOperandNumber());
  });
  if (!isLinear || (hasOther && !of(sum->get()).isLearned)) {
    for (OpOperand &operand : operands)
      if (isSum(operand) && !total(operand))
        return mixedRowsOf(op);
    return joined;
  }
  for (OpOperand &operand : operands) {
    bool isTerm = isSummand(op, index, operand.getOperandNumber());
    if (isSum(operand) ? !isTerm && !total(operand) : of(operand.get()).isDrawn)
      return mixedRowsOf(op);
    if (!isSum(operand) && isTerm && !matchPattern(operand.get(), m_AnyZeroFloat()))
      changes[op].push_back({&operand, false});
  }
  joined.of = BatchRelation::Sum;
  return joined;
}

/// Ops along which rows stay independent, and sums over rows.
void MicroBatchAnalysis::visitRows(Operation *op, MicroBatchValue joined) {
  auto setAll = [&](MicroBatchValue value) {
    for (Value result : op->getResults())
      values[result] = value;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (!isStatistic(operand) && of(operand.get()).of == BatchRelation::Sum && !total(operand))
      return setAll(mixedRowsOf(op));
  auto placeOf = [&](Value value) -> std::optional<BatchLayout> {
    const MicroBatchValue &known = of(value);
    return known.of == BatchRelation::Rows ? std::optional(known.place) : std::nullopt;
  };
  joined.isDrawn = joined.isLiteral = false;
  for (OpResult result : op->getResults()) {
    std::optional<BatchLayout> place = placeOfResult(result, facts.rows, placeOf);
    auto reduce = dyn_cast<ReduceOpInterface>(op);
    std::optional<BatchLayout> from = placeOf(op->getOperand(0));
    MicroBatchValue value = joined;
    if (place && !combinesPositions(op, result, *place)) {
      value.of = BatchRelation::Rows;
      value.place = *place;
    } else if (!place && reduce && from && reduce.getCombine() == "sum" &&
               llvm::is_contained(reduce.getDims(), from->dim)) {
      value.of = BatchRelation::Sum;
    } else {
      value = mixedRowsOf(op);
    }
    values[result] = value;
  }
}

/// Dimension of the operand along dimension `dim` of the result, or -1.
static int64_t dimensionOfOperand(OpOperand &operand, OpResult result, int64_t dim) {
  unsigned i = operand.getOperandNumber();
  if (auto op = dyn_cast<ScalarOpInterface>(operand.getOwner())) {
    AffineExpr along = op.getResultMap(result.getResultNumber()).getResult(dim);
    ArrayRef<AffineExpr> exprs = op.getOperandMap(i).getResults();
    return llvm::is_contained(exprs, along) ? llvm::find(exprs, along) - exprs.begin() : -1;
  }
  auto type = tensorOf(operand.get());
  bool isAligned = type.getRank() == tensorOf(result).getRank() &&
                   type.getDimSize(dim) == tensorOf(result).getDimSize(dim);
  return isAligned ? dim : -1;
}

/// Whether an operand common to all micro-batches has different values per row, such as row numbers
/// by train.iota or a constant [rows, 1]: rows of another micro-batch would need other values.
bool MicroBatchAnalysis::combinesPositions(Operation *op, OpResult result,
                                           BatchLayout place) const {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    const MicroBatchValue &value = of(operand.get());
    if (isStatistic(operand) || value.of != BatchRelation::Same)
      return false;
    // Ops without scalar code declare which dimensions of state are rows.
    if (!isa<ScalarOpInterface>(op) && !value.isLiteral)
      return false;
    int64_t dim = dimensionOfOperand(operand, result, place.dim);
    return dim >= 0 && tensorOf(operand.get()).getDimSize(dim) > 1 && value.varies >> dim & 1;
  });
}

/// Whether the op, or a loop around the op, is in front of another op in its block.
static bool isInFront(Operation *op, Operation *end) {
  Operation *at = end->getBlock()->findAncestorOpInBlock(*op);
  return at && at->isBeforeInBlock(end);
}

/// Gradients: with respect to rows a row per row, with respect to shared values a sum over rows.
void MicroBatchAnalysis::visitGradient(Operation *op) {
  auto grad = cast<train::GradOp>(op);
  MicroBatchValue value = of(grad.getValue());
  // Totals are constants to a gradient.
  DenseSet<Value> varied = variedValues(llvm::to_vector(grad.getSources()), grad);
  for (auto &[changed, list] : changes)
    for (const MicroBatchChange &change : list)
      if (change.isTotal && isInFront(changed, op) && varied.contains(change.operand->get()))
        value = mixedRowsOf(op);
  for (auto [source, result] : llvm::zip(grad.getSources(), grad.getGradients())) {
    const MicroBatchValue &from = of(source);
    MicroBatchValue gradient = value;
    gradient.isLearned |= from.isLearned;
    if (value.of == BatchRelation::Sum && from.of == BatchRelation::Rows)
      gradient.of = BatchRelation::Rows, gradient.place = from.place;
    else if (value.of != BatchRelation::Mixed && from.of != BatchRelation::Same)
      gradient = mixedRowsOf(from.cause ? from.cause : op);
    values[result] = gradient;
  }
}
