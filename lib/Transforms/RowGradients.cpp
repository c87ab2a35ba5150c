// Gradients of tables that only lookups read: the rows that occur, not a tensor of mostly zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowGradients.h"

using namespace mlir;
using namespace ampc;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
class RowGradient {
public:
  RowGradient(train::FuncOp func, OpOperand &returned, OptimizerAttrInterface optimizer)
      : func(func), returned(returned), optimizer(optimizer),
        mark(returned.get().getDefiningOp<train::GradientOp>()), builder(mark),
        table(mark.getType()) {
    Value sum = mark.getX();
    if (auto product = sum.getDefiningOp<train::MulOp>())
      for (auto [whole, number] : {std::pair(product.getLhs(), product.getRhs()),
                                   std::pair(product.getRhs(), product.getLhs())})
        if (tensorOf(number).getRank() == 0) {
          sum = whole;
          factor = number;
        }
    onlyLookups = collect(sum);
  }
  bool isWanted() const;
  bool hasLookups() const { return !lookups.empty(); }
  /// Why the gradient of a table is dense although lookups contribute to it, or nothing.
  StringRef reasonAgainst() const;
  void rewrite();

private:
  bool collect(Value sum);
  Value indexOf(GradBuilder &b, train::ScatterAddOp lookup);
  bool isBatched(Value value);

  train::FuncOp func;
  OpOperand &returned;
  OptimizerAttrInterface optimizer;
  train::GradientOp mark;
  OpBuilder builder;
  RankedTensorType table;
  Value factor; ///< of micro-batches: 1 / their number
  SmallVector<train::ScatterAddOp> lookups;
  bool onlyLookups;
};
} // namespace

/// Finds the lookups in a sum of gradients; false if there are other summands.
bool RowGradient::collect(Value sum) {
  if (auto lookup = sum.getDefiningOp<train::ScatterAddOp>()) {
    lookups.push_back(lookup);
    return true;
  }
  auto add = sum.getDefiningOp<train::AddOp>();
  if (!add || add.getLhs().getType() != table || add.getRhs().getType() != table)
    return false;
  bool left = collect(add.getLhs()), right = collect(add.getRhs());
  return left && right;
}

/// Rows cost less than the table if they are fewer. A lazy rule needs to know them in any case.
bool RowGradient::isWanted() const {
  if (!onlyLookups || optimizer.getRowUpdate() == RowUpdate::Whole)
    return false;
  int64_t count = 0;
  for (train::ScatterAddOp lookup : lookups)
    count += lookup.getIndex().getType().getNumElements();
  return optimizer.isLazy() || count < table.getDimSize(0);
}

StringRef RowGradient::reasonAgainst() const {
  if (!onlyLookups && !lookups.empty())
    return "it is read in other ways than by lookups too, so that their gradients are added to a "
           "dense one in f32";
  if (!onlyLookups)
    return optimizer.isLazy() ? "no lookup reads it" : "";
  return optimizer.getRowUpdate() == RowUpdate::Whole
             ? "its update depends on the whole tensor"
             : "it has no more rows than the step has lookups";
}

/// Whether an argument with a row per row of the batch has a part in the value.
bool RowGradient::isBatched(Value value) {
  DenseSet<Value> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (func.getArgAttr(argument.getArgNumber(), "train.batched"))
        return true;
      continue;
    }
    llvm::append_range(open, next.getDefiningOp()->getOperands());
  }
  return false;
}

/// Row numbers in a line, -1 for those without a gradient: padding, and what a short batch leaves
/// out.
Value RowGradient::indexOf(GradBuilder &b, train::ScatterAddOp lookup) {
  Value index = lookup.getIndex(), nowhere = b.real(-1.0, index);
  if (auto padding = lookup.getPadding()) {
    Value isPadding =
        b.compare(train::ComparePredicate::eq, index, b.real(double(*padding), index));
    index = b.select(isPadding, nowhere, index);
  }
  for (BlockArgument argument : func.getArguments()) {
    auto control = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "train.control");
    if (control && control == "valid" && isBatched(index))
      index = b.select(validMask(b, index.getType(), argument,
                                 func->getAttrOfType<IntegerAttr>("train.batch").getInt()),
                       index, nowhere);
  }
  auto type = tensorOf(index);
  return b.reshape(index, type.clone({type.getNumElements()}));
}

void RowGradient::rewrite() {
  GradBuilder b(builder, lookups.front().getLoc());
  SmallVector<Value> updates, indices;
  for (train::ScatterAddOp lookup : lookups) {
    indices.push_back(indexOf(b, lookup));
    SmallVector<int64_t> shape(table.getShape());
    shape[0] = tensorOf(indices.back()).getDimSize(0);
    updates.push_back(b.reshape(lookup.getUpdates(), lookup.getUpdates().getType().clone(shape)));
  }
  auto joined = [&](ArrayRef<Value> parts) {
    return parts.size() == 1 ? parts[0] : b.op<train::ConcatOp>(parts, 0);
  };
  Value update = joined(updates), index = joined(indices);
  int64_t count = std::min(tensorOf(index).getDimSize(0), table.getDimSize(0));
  SmallVector<int64_t> shape(table.getShape());
  shape[0] = count;
  auto sums =
      train::SumRowsOp::create(builder, b.loc, table.clone(shape), tensorOf(index).clone({count}),
                               update, index, table.getDimSize(0));
  GradBuilder after(builder, mark.getLoc());
  Value gradient = after.op<train::GradientOp>(sums.getSums(), mark.getParam());
  after.compute = table.getElementType();
  if (factor)
    gradient = after.mul(gradient, factor);
  Operation *ret = returned.getOwner();
  returned.set(gradient);
  func.setResultAttr(returned.getOperandNumber(), "train.gradient", mark.getParamAttr());
  ret->insertOperands(ret->getNumOperands(), sums.getRows());
  (void)func.insertResult(
      func.getNumResults(), sums.getRows().getType(),
      builder.getDictionaryAttr(builder.getNamedAttr("train.rows", mark.getParamAttr())));
}

void ampc::keepRowGradients(train::FuncOp gradient, OptimizerAttrInterface optimizer,
                            bool explain) {
  Operation *ret = gradient.getBody().front().getTerminator();
  bool keptRows = false;
  for (unsigned i = 0, count = ret->getNumOperands(); i < count; ++i) {
    auto mark = ret->getOperand(i).getDefiningOp<train::GradientOp>();
    if (!mark || !gradient.getResultAttr(i, "train.gradient"))
      continue;
    RowGradient rows(gradient, ret->getOpOperand(i), optimizer);
    StringRef reason = rows.reasonAgainst();
    if (rows.isWanted()) {
      rows.rewrite();
      keptRows = true;
    } else if (!reason.empty() && (explain || (optimizer.isLazy() && rows.hasLookups()))) {
      gradient.emitRemark() << "the gradient of @" << mark.getParam() << " is dense: " << reason;
    }
  }
  if (optimizer.isLazy() && !keptRows)
    gradient.emitWarning() << "expected a parameter that only lookups read for a lazy optimizer, "
                              "but there is none: it updates whole tensors";
  gradient.setFunctionType(
      Builder(gradient.getContext())
          .getFunctionType(gradient.getArgumentTypes(), ret->getOperandTypes()));
}
