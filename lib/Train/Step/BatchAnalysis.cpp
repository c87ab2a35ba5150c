// Analysis of the batch dimension: whether rows of a batch are independent until a loss combines
// them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/BatchAnalysis.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

/// Whether the formula combines `batch` with other sizes, e.g. "batch * context".
static bool isMixedWithBatch(StringRef formula) {
  SmallVector<StringRef> words;
  llvm::SplitString(formula, words, " +-*/()");
  return formula != "batch" && llvm::is_contained(words, "batch");
}

std::optional<int64_t> ampc::dimensionOfBatch(StringRef formulas) {
  SmallVector<StringRef> dims;
  formulas.split(dims, ',');
  for (StringRef &dim : dims)
    dim = dim.trim();
  if (llvm::any_of(dims, isMixedWithBatch))
    return std::nullopt;
  auto found = llvm::find(dims, "batch");
  return found == dims.end() ? -1 : found - dims.begin();
}

/// Dimension of the iteration domain along dimension `dim` of an operand, or -1.
static int64_t dimensionOfSpace(ScalarOpInterface op, unsigned operand, int64_t dim) {
  SmallVector<int64_t> space = op.getSpace();
  ArrayRef<int64_t> shape = tensorOf(op->getOperand(operand)).getShape();
  // a loss with its reduction, about which rows would have to agree
  if (shape.size() > space.size())
    return -1;
  auto position = dyn_cast<AffineDimExpr>(op.getOperandMap(operand).getResult(dim));
  return position && shape[dim] == space[position.getPosition()] ? int64_t(position.getPosition())
                                                                 : -1;
}

/// Dimension of the result that is the batch dimension, or -1: each element is computed from
/// elements of the same row. Along the last dimension of the domain, scalar code may read the whole
/// row. Example: [batch, 8] + [8] -> 0.
static int64_t dimensionOfResult(ScalarOpInterface op, unsigned result,
                                 BatchDimension dimensionOf) {
  int64_t row = -1;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    int64_t dim = dimensionOf(operand);
    if (dim < 0)
      continue;
    int64_t position = dimensionOfSpace(op, i, dim);
    if (position < 0 || (row >= 0 && position != row))
      return -1;
    row = position;
  }
  if (row + 1 == int64_t(op.getSpace().size()) && op->hasTrait<ReducesRow>())
    return -1;
  ArrayRef<AffineExpr> exprs = op.getResultMap(result).getResults();
  auto found = llvm::find(exprs, getAffineDimExpr(row, op.getContext()));
  return found == exprs.end() ? -1 : found - exprs.begin();
}

static int64_t dimensionOfResult(BatchedOpInterface op, BatchDimension dimensionOf) {
  auto isBatched = [&](Value v) { return dimensionOf(v) >= 0; };
  bool areLeading = llvm::all_of(op->getOperands(), [&](Value v) { return dimensionOf(v) <= 0; });
  if (areLeading && op.keepsLeadingDimension(isBatched))
    return 0;
  auto elsewhere = dyn_cast<BatchDimensionOpInterface>(*op);
  return elsewhere ? elsewhere.getBatchDimension(dimensionOf) : -1;
}

/// Number of blocks common to all batched operands; 0 if the numbers differ.
static int64_t commonBlocks(Operation *op, BatchPlaces placeOf) {
  int64_t blocks = 0;
  for (Value operand : op->getOperands()) {
    std::optional<BatchLayout> place = placeOf(operand);
    if (place && blocks && place->outer != blocks)
      return 0;
    if (place)
      blocks = place->outer;
  }
  return blocks;
}

std::optional<BatchLayout> ampc::placeOfResult(OpResult result, int64_t batch,
                                               BatchPlaces placeOf) {
  Operation *op = result.getOwner();
  int64_t blocks = commonBlocks(op, placeOf);
  auto own = dyn_cast<BatchDimensionOpInterface>(op);
  if (own && op->getNumOperands() == 1)
    if (std::optional<BatchLayout> place = own.getPlaceInOrder(*placeOf(op->getOperand(0)), batch))
      return place;
  auto batched = dyn_cast<BatchedOpInterface>(op);
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  // Other ops may rely on a single block if the leading dimension changes size.
  bool keepsBlocks = scalar || (own && own.keepsBlocks());
  if (blocks == 0 || (blocks > 1 && !keepsBlocks))
    return std::nullopt;
  auto dimensionOf = [&](Value v) {
    std::optional<BatchLayout> place = placeOf(v);
    return place ? place->dim : -1;
  };
  int64_t dim = batched  ? dimensionOfResult(batched, dimensionOf)
                : scalar ? dimensionOfResult(scalar, result.getResultNumber(), dimensionOf)
                         : -1;
  ArrayRef<int64_t> shape = tensorOf(result).getShape();
  if (dim < 0 || dim >= int64_t(shape.size()) || shape[dim] % (blocks * batch) != 0)
    return std::nullopt;
  return BatchLayout{dim, blocks};
}

namespace {
/// Walks the ops of a function in block order.
class BatchDimensionAnalysis {
public:
  BatchDimensionAnalysis(train::FuncOp func, int64_t batch, CanCombine canCombine);
  /// Records the batch dimensions of the op's results; false if the op mixes rows of the batch in a
  /// way that a short batch would change.
  bool visit(Operation *op);
  void note(Value v, BatchLayout place) { places[v] = place; }
  BatchDimensions getDimensions() const;
  /// Number of facts, which only grows.
  size_t size() const { return places.size() + combined.size(); }

private:
  std::optional<BatchLayout> placeOf(Value v) const {
    auto found = places.find(v);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }
  /// Batch dimension of a value with a single block, or -1.
  int64_t dimensionOf(Value v) const {
    std::optional<BatchLayout> place = placeOf(v);
    return place && place->outer == 1 ? place->dim : -1;
  }
  bool visitGradient(train::GradOp op);
  bool visitFlow(OpOperand &operand);
  bool visitWrite(train::WriteOp op) const;
  int64_t combinedDimension(Operation *op);
  bool isDifferentiatedSum(Operation *op) const;

  int64_t batch;
  CanCombine canCombine;
  DenseMap<StringAttr, StateOpInterface> rowStates;
  DenseMap<Value, BatchLayout> places;
  DenseSet<Value> combined; // depend on a combination of the valid rows
  DenseSet<Value> sums;     // sums over all rows, valid or not
};
} // namespace

BatchDimensionAnalysis::BatchDimensionAnalysis(train::FuncOp func, int64_t batch,
                                               CanCombine canCombine)
    : batch(batch), canCombine(canCombine), rowStates(rowStatesOf(func)) {
  for (BlockArgument argument : func.getArguments())
    if (auto input = Signature(func).argument<train::InputAttr>(argument);
        input && input.isBatched())
      note(argument, {});
  for (Value rows : readRowStates(func, batch))
    note(rows, {});
}

BatchDimensions BatchDimensionAnalysis::getDimensions() const {
  BatchDimensions dims;
  for (auto [value, place] : places)
    if (place.outer == 1)
      dims[value] = place.dim;
  return dims;
}

/// Whether the op is a sum over rows whose only consumer is train.grad. The gradient of a row does
/// not depend on other rows.
bool BatchDimensionAnalysis::isDifferentiatedSum(Operation *op) const {
  auto reduce = dyn_cast<ReduceOpInterface>(op);
  return reduce && reduce.getCombine() == "sum" &&
         llvm::is_contained(reduce.getDims(), dimensionOf(op->getOperand(0))) &&
         !combined.contains(op->getOperand(0)) && llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<train::GradOp>(use.getOwner()) && use.getOperandNumber() == 0;
         });
}

bool BatchDimensionAnalysis::visitGradient(train::GradOp op) {
  bool isSum = sums.contains(op.getValue());
  for (auto [source, gradient] : llvm::zip(op.getSources(), op.getGradients())) {
    if (std::optional<BatchLayout> place = placeOf(source))
      note(gradient, *place);
    else if (isSum)
      return false;
    if (!isSum)
      combined.insert(gradient);
  }
  return true;
}

/// Dimension of the rows that the op combines without invalid rows, or -1.
int64_t BatchDimensionAnalysis::combinedDimension(Operation *op) {
  auto combining = dyn_cast<ValidRowsOpInterface>(op);
  if (!combining)
    return -1;
  if (llvm::any_of(op->getOperands(), [&](Value v) { return placeOf(v) && dimensionOf(v) < 0; }))
    return -1;
  int64_t dim = commonDimension(op->getOperands(), [&](Value v) { return dimensionOf(v); });
  return dim >= 0 && canCombine(combining, dim) ? dim : -1;
}

/// Rows of the batch from an operand of a loop, or of its end, to arguments and results. A loop
/// over the rows of the batch carries values from row to row.
bool BatchDimensionAnalysis::visitFlow(OpOperand &operand) {
  std::optional<BatchLayout> place = placeOf(operand.get());
  for (Value to : flowsTo(operand)) {
    if (combined.contains(operand.get()))
      combined.insert(to);
    if (!place)
      continue;
    BatchLayout moved{place->dim + shiftOfDimensions(operand), place->outer};
    std::optional<BatchLayout> known = placeOf(to);
    if (moved.dim < 0 || (known && (known->dim != moved.dim || known->outer != moved.outer)))
      return false;
    note(to, moved);
  }
  return true;
}

/// Row i of a buffer per row is the state of row i of the batch.
bool BatchDimensionAnalysis::visitWrite(train::WriteOp op) const {
  std::optional<BatchLayout> place = placeOf(op.getValue());
  return !place || !rowStates.contains(op.getStateAttr().getAttr()) ||
         (place->dim == 0 && place->outer == 1);
}

bool BatchDimensionAnalysis::visit(Operation *op) {
  if (isLoopBoundary(op))
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &x) { return visitFlow(x); });
  if (auto gradient = dyn_cast<train::GradOp>(op))
    return visitGradient(gradient);
  if (auto write = dyn_cast<train::WriteOp>(op))
    return visitWrite(write);
  int64_t along = combinedDimension(op);
  if (along >= 0 || llvm::any_of(op->getOperands(), [&](Value v) { return combined.contains(v); }))
    combined.insert(op->result_begin(), op->result_end());
  if (llvm::none_of(op->getOperands(), [&](Value v) { return placeOf(v).has_value(); }))
    return true;
  if (along >= 0) {
    for (Value result : op->getResults())
      if (ArrayRef<int64_t> shape = tensorOf(result).getShape();
          along < int64_t(shape.size()) && shape[along] % batch == 0)
        note(result, {along});
    return true;
  }
  if (isDifferentiatedSum(op)) {
    sums.insert(op->getResult(0));
    return true;
  }
  return llvm::all_of(op->getResults(), [&](OpResult result) {
    auto place = placeOfResult(result, batch, [&](Value v) { return placeOf(v); });
    if (place)
      note(result, *place);
    return place.has_value();
  });
}

std::optional<BatchDimensions> ampc::rowsOfBatch(train::FuncOp func, int64_t batch,
                                                 CanCombine canCombine, Operation *end,
                                                 Operation **mixing) {
  BatchDimensionAnalysis rows(func, batch, canCombine);
  // A carried value may have rows of the batch from the second round on.
  for (bool again = true; again;) {
    size_t known = rows.size();
    bool isMixed = false, hasLoops = false;
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      hasLoops |= isLoopBoundary(op);
      isMixed = op != end && !isa<train::ReturnOp>(op) && !rows.visit(op) && !end;
      if (isMixed && mixing)
        *mixing = op;
      return op == end || isMixed ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (isMixed)
      return std::nullopt;
    again = hasLoops && rows.size() != known;
  }
  return rows.getDimensions();
}
