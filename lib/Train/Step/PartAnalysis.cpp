// Analysis of micro-batches: relation of each value to the corresponding value of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/PartAnalysis.h"
#include "lib/Train/Autodiff/Reverse.h"
#include "mlir-dialects/Train/Gradients.h"
#include "mlir-dialects/Train/Parts.h"
#include "mlir-dialects/Train/ValidRows.h"
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
  for (Operation &op : func.getBody().front())
    if (isa<RandomOpInterface>(op) ||
        llvm::any_of(op.getOperands(), [&](Value v) { return found.contains(v); }))
      found.insert(op.result_begin(), op.result_end());
  return found;
}

static PartValue mixedBy(Operation *op) {
  PartValue mixed;
  mixed.of = OfWhole::Mixed;
  mixed.cause = op;
  return mixed;
}

PartAnalysis::PartAnalysis(train::FuncOp func, Facts given) : facts(std::move(given)) {
  Signature signature(func);
  for (BlockArgument argument : func.getArguments()) {
    PartValue value;
    auto input = signature.argument<train::InputAttr>(argument);
    if (input && input.isBatched())
      value.of = OfWhole::Rows;
    if (argument == signature.findControl(train::Control::Valid))
      value.of = OfWhole::Valid;
    if (llvm::is_contained(facts.written, argument))
      value.of = OfWhole::Mixed; // the cause is the consumer
    value.isLearned = llvm::is_contained(facts.learned, argument);
    value.varies = allDimensions(argument);
    values[argument] = value;
  }
  for (Operation &op : func.getBody().front().without_terminator())
    visit(&op);
}

const PartValue &PartAnalysis::of(Value value) const { return values.find(value)->second; }

ArrayRef<PartChange> PartAnalysis::getChanges(Operation *op) const {
  auto found = changes.find(op);
  return found == changes.end() ? ArrayRef<PartChange>() : ArrayRef<PartChange>(found->second);
}

void PartAnalysis::visit(Operation *op) {
  if (isa<train::GradOp>(op))
    return visitGradient(op);
  PartValue joined;
  joined.isLiteral = true;
  bool hasRows = false, hasSum = false, hasValid = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isStatistic(operand))
      continue;
    const PartValue &value = of(operand.get());
    joined.isLearned |= value.isLearned;
    joined.isDrawn |= value.isDrawn;
    joined.isLiteral &= value.isLiteral;
    hasRows |= value.of == OfWhole::Rows;
    hasSum |= value.of == OfWhole::Sum;
    hasValid |= value.of == OfWhole::Valid;
    if (value.of == OfWhole::Mixed && joined.of != OfWhole::Mixed)
      joined = mixedBy(value.cause ? value.cause : op);
  }
  PartValue result = joined;
  if (joined.of == OfWhole::Mixed)
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
PartValue PartAnalysis::ofCount(Operation *op) {
  auto count = cast<train::CountOp>(op);
  const PartValue &x = of(count.getX());
  if (x.of == OfWhole::Rows && llvm::is_contained(count.getDims(), x.place.dim))
    rowCounts.insert(op);
  return {};
}

PartValue PartAnalysis::ofConstants(Operation *op, PartValue joined) {
  if (isa<RandomOpInterface>(op)) {
    ArrayRef<int64_t> shape = tensorOf(op->getResult(0)).getShape();
    joined.isLiteral = false;
    if (!shape.empty() && shape[0] == facts.rows)
      joined.of = OfWhole::Rows; // a draw per row, as of latent variables
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
    return mixedBy(op);
  return joined;
}

/// A count of rows, or the mask of the valid rows.
PartValue PartAnalysis::ofValid(Operation *op, PartValue joined) {
  PartValue result = joined;
  if (auto cast = dyn_cast<train::CastOp>(op); cast && isReal(cast.getResult())) {
    result.of = OfWhole::Sum;
  } else if (scalesCount(op)) {
    result.of = OfWhole::Valid;
  } else if (std::optional<int64_t> dim = dimensionOfMask(op)) {
    result.of = OfWhole::Rows;
    result.place = {*dim};
  } else {
    return mixedBy(op);
  }
  return result;
}

/// Replaces an operand by the total over all micro-batches, if the total is known before the first
/// micro-batch.
bool PartAnalysis::total(OpOperand &operand) {
  if (of(operand.get()).isLearned && !facts.hasLearnedTotals)
    return false;
  changes[operand.getOwner()].push_back({&operand, true});
  return true;
}

bool PartAnalysis::isSummand(Operation *op, unsigned index, unsigned other) const {
  auto linear = dyn_cast<SummandsOpInterface>(op);
  return linear && linear.isSummandWith(index, other);
}

PartValue PartAnalysis::ofSums(Operation *op, PartValue joined) {
  auto operands = op->getOpOperands();
  auto isSum = [&](OpOperand &operand) { return of(operand.get()).of == OfWhole::Sum; };
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
        return mixedBy(op);
    return joined;
  }
  for (OpOperand &operand : operands) {
    bool isTerm = isSummand(op, index, operand.getOperandNumber());
    if (isSum(operand) ? !isTerm && !total(operand) : of(operand.get()).isDrawn)
      return mixedBy(op);
    if (!isSum(operand) && isTerm && !matchPattern(operand.get(), m_AnyZeroFloat()))
      changes[op].push_back({&operand, false});
  }
  joined.of = OfWhole::Sum;
  return joined;
}

/// Ops along which rows stay independent, and sums over rows.
void PartAnalysis::visitRows(Operation *op, PartValue joined) {
  auto setAll = [&](PartValue value) {
    for (Value result : op->getResults())
      values[result] = value;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (!isStatistic(operand) && of(operand.get()).of == OfWhole::Sum && !total(operand))
      return setAll(mixedBy(op));
  auto placeOf = [&](Value value) -> std::optional<BatchPlace> {
    const PartValue &known = of(value);
    return known.of == OfWhole::Rows ? std::optional(known.place) : std::nullopt;
  };
  joined.isDrawn = joined.isLiteral = false;
  for (OpResult result : op->getResults()) {
    std::optional<BatchPlace> place = placeOfResult(result, facts.rows, placeOf);
    auto reduce = dyn_cast<ReduceOpInterface>(op);
    std::optional<BatchPlace> from = placeOf(op->getOperand(0));
    PartValue value = joined;
    if (place && !combinesPositions(op, result, *place)) {
      value.of = OfWhole::Rows;
      value.place = *place;
    } else if (!place && reduce && from && reduce.getCombine() == "sum" &&
               llvm::is_contained(reduce.getDims(), from->dim)) {
      value.of = OfWhole::Sum;
    } else {
      value = mixedBy(op);
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
bool PartAnalysis::combinesPositions(Operation *op, OpResult result, BatchPlace place) const {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    const PartValue &value = of(operand.get());
    if (isStatistic(operand) || value.of != OfWhole::Same)
      return false;
    // Ops without scalar code declare which dimensions of state are rows.
    if (!isa<ScalarOpInterface>(op) && !value.isLiteral)
      return false;
    int64_t dim = dimensionOfOperand(operand, result, place.dim);
    return dim >= 0 && tensorOf(operand.get()).getDimSize(dim) > 1 && value.varies >> dim & 1;
  });
}

/// Gradients: with respect to rows a row per row, with respect to shared values a sum over rows.
void PartAnalysis::visitGradient(Operation *op) {
  auto grad = cast<train::GradOp>(op);
  PartValue value = of(grad.getValue());
  // Totals are constants to a gradient.
  DenseSet<Value> varied = variedValues(llvm::to_vector(grad.getSources()), grad);
  for (auto &[changed, list] : changes)
    for (const PartChange &change : list)
      if (change.isTotal && changed->isBeforeInBlock(op) && varied.contains(change.operand->get()))
        value = mixedBy(op);
  for (auto [source, result] : llvm::zip(grad.getSources(), grad.getGradients())) {
    const PartValue &from = of(source);
    PartValue gradient = value;
    gradient.isLearned |= from.isLearned;
    if (value.of == OfWhole::Sum && from.of == OfWhole::Rows)
      gradient.of = OfWhole::Rows, gradient.place = from.place;
    else if (value.of != OfWhole::Mixed && from.of != OfWhole::Same)
      gradient = mixedBy(from.cause ? from.cause : op);
    values[result] = gradient;
  }
}
