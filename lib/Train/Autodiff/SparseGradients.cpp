// Sparse gradients of tables that only lookups read: the touched rows in place of a dense tensor
// that is mostly 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Autodiff/SparseGradients.h"
#include "ampc/Train/BatchAnalysis.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"
#include "mlir-dialects/Train/Program/ValidRows.h"

using namespace mlir;
using namespace ampc;

namespace {
class SparseGradient {
public:
  SparseGradient(train::FuncOp func, const DenseMap<StringAttr, BlockArgument> &states,
                 OpOperand &returned, OptimizerAttrInterface optimizer)
      : func(func), returned(returned), optimizer(optimizer),
        mark(returned.get().getDefiningOp<train::GradientOp>()), builder(mark),
        table(mark.getType()) {
    BlockArgument param = states.lookup(mark.getParamAttr().getAttr());
    isWidened = param && getElementTypeOrSelf(param) != table.getElementType();
    onlyLookups = collect(mark.getX());
  }
  bool isWanted() const;
  bool hasLookups() const { return !lookups.empty(); }
  /// Reason why the gradient of a table is dense although lookups contribute; empty if there is
  /// none.
  StringRef reasonForDense() const;
  void rewrite();

private:
  /// A summand of the gradient with the factors on the way to the sum, outermost first, such as the
  /// share of a micro-batch.
  struct Lookup {
    RowSumsOpInterface op;
    SmallVector<ScalingOpInterface> scaling;
  };
  static int64_t numUpdates(const Lookup &lookup) {
    return tensorOf(RowSumsOpInterface(lookup.op).getIndex()).getNumElements();
  }
  bool collect(Value sum);
  Value updatesOf(GradBuilder &b, const Lookup &lookup);
  /// Key of a lookup's row numbers: lookups of equal keys touch the same rows in the same order.
  using RowsKey = std::pair<Value, std::optional<int64_t>>;
  static RowsKey rowsKeyOf(RowSumsOpInterface lookup) {
    return {lookup.getIndex(), lookup.getPadding()};
  }
  Value indexOf(GradBuilder &b, RowSumsOpInterface lookup);
  BlockArgument batchedInput(Value value);
  int64_t dimensionOfRows(RowSumsOpInterface lookup, int64_t rows);
  Value validRows(GradBuilder &b, BlockArgument valid, BlockArgument input);

  train::FuncOp func;
  OpOperand &returned;
  OptimizerAttrInterface optimizer;
  train::GradientOp mark;
  OpBuilder builder;
  RankedTensorType table; ///< in the type of the gradient
  bool isWidened;         ///< from the parameter's 16 bits
  SmallVector<Lookup> lookups;
  // isDoubled: sums that are summands of further sums too often
  bool onlyLookups, isDoubled = false;
};
} // namespace

/// Finds the lookups in a sum of gradients; false if there are other summands. A sum may be a
/// summand twice, but n doublings have 2^n lookups: such a gradient stays dense. The gradient of a
/// 16-bit table is f32, so the search looks through the cast behind the sums.
bool SparseGradient::collect(Value sum) {
  constexpr unsigned mostAgain = 64;
  unsigned again = 0;
  bool found = true;
  DenseSet<Value> sums;
  SmallVector<std::pair<Value, SmallVector<ScalingOpInterface>>> open;
  open.push_back({sum, {}});
  while (!open.empty()) {
    auto [part, scaling] = open.pop_back_val();
    Operation *op = part.getDefiningOp();
    if (auto lookup = dyn_cast_or_null<RowSumsOpInterface>(op); lookup && !lookup.getRowNumbers()) {
      lookups.push_back({lookup, scaling});
      continue;
    }
    if (auto cast = dyn_cast_or_null<train::CastOp>(op); cast && isWidened) {
      open.push_back({cast.getX(), std::move(scaling)});
      continue;
    }
    again += !sums.insert(part).second;
    if (isDoubled = again > mostAgain; isDoubled)
      return false;
    auto scale = dyn_cast_or_null<ScalingOpInterface>(op);
    if (Value scaled = scale ? scale.getScaled() : Value()) {
      scaling.push_back(scale);
      open.push_back({scaled, std::move(scaling)});
      continue;
    }
    if (!op || !op->hasTrait<SumsOperands>() || llvm::any_of(op->getOperandTypes(), [&](Type type) {
          return tensorOf(type).getShape() != table.getShape();
        })) {
      found = false;
      continue;
    }
    for (Value summand : llvm::reverse(op->getOperands()))
      open.push_back({summand, scaling});
  }
  return found;
}

/// Whether the sparse gradient pays: fewer rows than the table has, or a lazy rule, which needs the
/// row numbers in any case.
bool SparseGradient::isWanted() const {
  if (!onlyLookups || optimizer.getRowUpdate() == RowUpdate::Whole)
    return false;
  int64_t count = 0;
  for (const Lookup &lookup : lookups)
    count += numUpdates(lookup);
  return optimizer.isLazy() || count < table.getDimSize(0);
}

StringRef SparseGradient::reasonForDense() const {
  if (isDoubled)
    return "the gradient is a sum of sums that are doubled over and over";
  if (!onlyLookups && !lookups.empty())
    return "other ops than lookups read the parameter, too, so that gradients of lookups are added "
           "to a dense gradient in f32";
  if (!onlyLookups)
    return optimizer.isLazy() ? "no lookup reads the parameter" : "";
  return optimizer.getRowUpdate() == RowUpdate::Whole
             ? "the update depends on the whole tensor"
             : "the parameter has no more rows than the step has lookups";
}

/// Batched input on which the value depends; null if there is none.
BlockArgument SparseGradient::batchedInput(Value value) {
  DenseSet<Value> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (BlockArgument argument = programArgument(next)) {
      auto input = Signature(func).argument<train::InputAttr>(argument);
      if (input && input.isBatched())
        return argument;
      continue;
    }
    if (Operation *op = next.getDefiningOp()) // null: argument of a loop, whose operands are open
      op->walk([&](Operation *inner) { llvm::append_range(open, inner->getOperands()); });
  }
  return {};
}

/// Number of valid rows in `input`, which may be a micro-batch of the batch: min(rows, valid - part
/// * rows).
Value SparseGradient::validRows(GradBuilder &b, BlockArgument valid, BlockArgument input) {
  int64_t rows = tensorOf(input).getDimSize(0);
  if (rows == func.getBatch())
    return valid;
  int64_t part = Signature(func).argument<train::InputAttr>(input).getPart();
  Value before = b.real(double(part * rows), valid);
  Value left = b.sub(valid, before), all = b.real(double(rows), valid);
  return b.select(b.greater(left, all), all, left);
}

/// Dimension of the lookup's index that is a multiple of the batch's rows.
int64_t SparseGradient::dimensionOfRows(RowSumsOpInterface lookup, int64_t rows) {
  auto dims = rowsOfBatch(func, rows, [](auto, int64_t) { return false; }, lookup);
  auto found = dims->find(lookup.getIndex());
  return found == dims->end() ? 0 : found->second;
}

/// Row numbers as a vector, -1 for lookups without a gradient: padding, and rows that a short batch
/// leaves out.
Value SparseGradient::indexOf(GradBuilder &b, RowSumsOpInterface lookup) {
  Value index = lookup.getIndex(), nowhere = b.real(-1.0, index);
  if (auto padding = lookup.getPadding()) {
    Value isPadding =
        b.compare(train::ComparePredicate::eq, index, b.real(double(*padding), index));
    index = b.select(isPadding, nowhere, index);
  }
  BlockArgument valid = Signature(func).findControl(train::Control::Valid),
                input = batchedInput(lookup.getIndex());
  if (valid && input) {
    int64_t rows = tensorOf(input).getDimSize(0), dim = dimensionOfRows(lookup, rows);
    index = b.select(validMask(b, index.getType(), validRows(b, valid, input), rows, dim), index,
                     nowhere);
  }
  auto type = tensorOf(index);
  return b.reshape(index, type.clone({type.getNumElements()}));
}

/// Updates as rows [lookups, width] in the type of the gradient, with all factors applied.
Value SparseGradient::updatesOf(GradBuilder &b, const Lookup &lookup) {
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = numUpdates(lookup);
  Value updates = RowSumsOpInterface(lookup.op).getUpdatesMutable().get();
  Value rows = b.reshape(updates, tensorOf(updates).clone(shape));
  GradBuilder wide(builder, lookup.op);
  wide.compute = table.getElementType();
  rows = wide.castTo(rows, wide.compute);
  for (ScalingOpInterface scaling : llvm::reverse(lookup.scaling))
    rows = scaling.scaleInstead(wide, rows);
  return rows;
}

void SparseGradient::rewrite() {
  GradBuilder b(builder, lookups.front().op);
  SmallVector<Value> updates, indices;
  DenseMap<RowsKey, unsigned> places; // in `updates`
  for (Lookup &lookup : lookups) {
    auto [place, isNew] = places.try_emplace(rowsKeyOf(lookup.op), updates.size());
    Value rows = updatesOf(b, lookup);
    if (isNew) {
      indices.push_back(indexOf(b, lookup.op));
      updates.push_back(rows);
      continue;
    }
    // Micro-batches with an index in common: one sum of rows grows in place of rows per
    // micro-batch.
    Value &sum = updates[place->second];
    sum = GradBuilder(builder, lookup.op).add(sum, rows);
  }
  auto joined = [&](ArrayRef<Value> parts) {
    return parts.size() == 1 ? parts[0] : b.op<train::ConcatOp>(parts, 0);
  };
  Value update = joined(updates), index = joined(indices);
  int64_t count = std::min(tensorOf(index).getDimSize(0), table.getDimSize(0));
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = count;
  auto sums = train::SegmentSumOp::create(builder, b.loc, table.clone(shape),
                                          tensorOf(index).clone({count}), update, index,
                                          table.getDimSize(0));
  b.stamp(sums);
  GradBuilder after(builder, mark);
  returned.set(after.op<train::GradientOp>(sums.getSums(), mark.getParamAttr()));
  Signature(func).addResult(sums.getRows(),
                            train::GradientAttr::get(func.getContext(), mark.getParamAttr(), true));
}

void ampc::makeSparseGradients(train::FuncOp gradient, train::StepOp step, bool explain) {
  Operation *ret = gradient.getBody().front().getTerminator();
  DenseMap<StringAttr, BlockArgument> states = findStates(gradient);
  DenseMap<Attribute, bool> keptRows; // lazy rule -> whether some table has sparse updates
  for (unsigned i = 0, count = ret->getNumOperands(); i < count; ++i) {
    auto mark = ret->getOperand(i).getDefiningOp<train::GradientOp>();
    if (!mark || !Signature(gradient).result<train::GradientAttr>(i))
      continue;
    OptimizerAttrInterface optimizer = step.getOptimizerOf(mark.getParamAttr().getAttr());
    SparseGradient rows(gradient, states, ret->getOpOperand(i), optimizer);
    StringRef reason = rows.reasonForDense();
    if (optimizer.isLazy())
      keptRows[optimizer] |= rows.isWanted();
    if (rows.isWanted()) {
      rows.rewrite();
    } else if (!reason.empty() && (explain || (optimizer.isLazy() && rows.hasLookups()))) {
      gradient.emitRemark() << "the gradient of @" << mark.getParam() << " is dense: " << reason;
    }
  }
  if (llvm::any_of(keptRows, [](auto &rule) { return !rule.second; }))
    gradient.emitWarning() << "expected a parameter that only lookups read for a lazy optimizer, "
                              "but there is none: the optimizer updates whole tensors";
  Signature(gradient).updateType();
}
