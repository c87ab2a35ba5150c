// Totals over all batches of a data set, as inputs of an evaluation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/DatasetTotals.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

/// Rows that a batch adds to the total; 1 for a model without short batches, whose batches have
/// equal weight.
Value DatasetTotals::rowsOf(GradBuilder &b, Type element) {
  BlockArgument valid = signature.findControl(train::Control::Valid);
  return valid ? b.castTo(valid, element) : b.real(1.0, element);
}

void DatasetTotals::expandShares() {
  SmallVector<train::ShareOp> shares;
  eval.walk([&](train::ShareOp share) { shares.push_back(share); });
  for (train::ShareOp share : shares) { // totals are outside of loops
    OpBuilder builder(eval.getBody().front().findAncestorOpInBlock(*share));
    GradBuilder b(builder, share.getLoc(), originOf(share.getResult()));
    Value rows = rowsOf(b, b.compute = share.getType().getElementType());
    share.replaceAllUsesWith(b.div(rows, b.op<train::TotalOp>(rows)));
    share.erase();
  }
  // The first total, whatever the loss is, counts rows.
  OpBuilder front = OpBuilder::atBlockBegin(&eval.getBody().front());
  GradBuilder b(front, eval.getLoc(), train::OriginAttr::get(front.getStringAttr("total")));
  b.op<train::TotalOp>(rowsOf(b, b.builder.getF32Type()));
}

/// Turns every total into an input, and the batch's contribution into a result.
void DatasetTotals::makeInputs() {
  unsigned position = 0, number = 0;
  while (position < eval.getNumArguments() && !signature.argument<train::ControlAttr>(position))
    ++position;
  for (auto total : llvm::make_early_inc_range(eval.getBody().getOps<train::TotalOp>())) {
    StringAttr name = StringAttr::get(eval.getContext(), "total:" + llvm::utostr(number++));
    signature.addResult(total.getX(),
                        train::OutputAttr::get(eval.getContext(), train::Output::Named, name, -1));
    if (!total.use_empty())
      total.replaceAllUsesWith(Value(signature.insertArgument(
          position++, total.getType(), train::InputAttr::get(name), total.getLoc())));
    total.erase();
  }
}

static void eraseUnused(train::FuncOp func) {
  Block &body = func.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned i = func.getNumArguments(); i-- > 0;)
    if (func.getArgument(i).use_empty())
      (void)func.eraseArgument(i);
}

/// Clones the evaluation and keeps the last `count` results of the copy.
train::FuncOp DatasetTotals::makeProgram(unsigned count) {
  OpBuilder builder(eval->getContext());
  builder.setInsertionPointAfter(eval);
  auto program = cast<train::FuncOp>(builder.clone(*eval));
  std::string step = eval.getStepName().str();
  program.setSymName(step + ".totals");
  program.setExportName("totals_" + step);
  unsigned own = eval.getNumResults() - count;
  for (unsigned i = own; i-- > 0;)
    Signature(program).eraseResult(i);
  for (unsigned i = eval.getNumResults(); i-- > own;)
    signature.eraseResult(i);
  eraseUnused(program);
  return program;
}

train::FuncOp DatasetTotals::run() {
  unsigned own = eval.getNumResults();
  expandShares();
  makeInputs();
  return makeProgram(eval.getNumResults() - own);
}
