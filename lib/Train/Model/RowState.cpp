// Buffers per row of the batch in steps, evaluations and exports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/RowState.h"
#include "ampc/Train/RowState.h"
#include "lib/Train/Model/InlineCalls.h"
#include "lib/Train/Model/LowerMode.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/ValidRows.h"
#include "mlir-dialects/Train/Text/Sizes.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Reads and writes of one buffer in a function.
struct Accesses {
  SmallVector<train::ReadOp> reads;
  SmallVector<train::WriteOp> writes;
};
} // namespace

static Accesses accessesOf(train::FuncOp func, StateOpInterface state) {
  Accesses found;
  func.walk([&](Operation *op) {
    auto read = dyn_cast<train::ReadOp>(op);
    auto write = dyn_cast<train::WriteOp>(op);
    if (read && read.getState() == state.getSymName())
      found.reads.push_back(read);
    if (write && write.getState() == state.getSymName())
      found.writes.push_back(write);
  });
  return found;
}

/// Buffers per row of the batch, in declaration order.
static SmallVector<StateOpInterface> rowStatesInOrder(train::FuncOp func) {
  SmallVector<StateOpInterface> found;
  for (auto state : func->getParentOfType<train::ModelOp>().getOps<StateOpInterface>())
    if (isRowState(state))
      found.push_back(state);
  return found;
}

// ---- Passed rows ----

/// Name of the input and of the result, which no other input has.
static StringAttr passedName(StateOpInterface state) {
  return StringAttr::get(state->getContext(), RowState::prefix + state.getSymName());
}

/// Adds the formulas of a last argument with rows of the batch, if the text has sizes.
static void recordFormulas(train::FuncOp func, RankedTensorType type) {
  auto sizes = func->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto known = sizes ? sizes.getAs<ArrayAttr>("arguments") : ArrayAttr();
  if (!known)
    return;
  std::string formulas = "batch";
  for (int64_t size : type.getShape().drop_front())
    formulas += ", " + std::to_string(size);
  SmallVector<Attribute> all(known.getValue());
  Builder builder(func.getContext());
  all.push_back(builder.getStringAttr(formulas));
  func->setAttr(Sizes::key, builder.getDictionaryAttr(
                                builder.getNamedAttr("arguments", builder.getArrayAttr(all))));
}

/// Replaces the reads by an input.
static void readFromInput(train::FuncOp func, StateOpInterface state,
                          MutableArrayRef<train::ReadOp> reads) {
  auto type = cast<RankedTensorType>(reads.front().getType());
  BlockArgument rows = Signature(func).insertArgument(
      func.getNumArguments(), type, train::InputAttr::get(passedName(state)), state->getLoc());
  recordFormulas(func, type);
  for (train::ReadOp read : reads) {
    read.replaceAllUsesWith(Value(rows));
    read.erase();
  }
}

static LogicalResult returnRows(train::FuncOp func, StateOpInterface state,
                                MutableArrayRef<train::WriteOp> writes) {
  train::WriteOp write = writes.front();
  if (writes.size() > 1)
    return writes[1].emitOpError()
           << "expected one value of @" << state.getSymName()
           << ", which evaluations and exports return, but got a second value";
  Signature(func).addResult(
      write.getValue(),
      train::OutputAttr::get(func.getContext(), train::Output::Named, passedName(state), -1));
  write.erase();
  return success();
}

LogicalResult ampc::passRowState(train::FuncOp func) {
  for (StateOpInterface state : rowStatesInOrder(func)) {
    if (!isPassedRowState(state))
      continue;
    Accesses found = accessesOf(func, state);
    if (!found.reads.empty())
      readFromInput(func, state, found.reads);
    if (!found.writes.empty() && failed(returnRows(func, state, found.writes)))
      return failure();
  }
  return success();
}

// ---- First values, and short batches ----

/// Checks the first value, which evaluations and exports of any batch begin with.
static LogicalResult checkFirstValue(StateOpInterface state) {
  InitAttrInterface init = state.getInit();
  if (init.getMissingFans().empty() && init.getInitializer().kind == Initializer::Constant)
    return success();
  return state->emitError() << "expected #train.zeros, #train.ones or #train.fill<...> of @"
                            << state.getSymName()
                            << ", with which evaluations and exports of any batch begin, but got "
                            << init;
}

static void readFirstValue(train::ReadOp read, StateOpInterface state) {
  replaceByExpansion(read, [&](GradBuilder &b) -> SmallVector<Value> {
    Value number = b.real(state.getInit().getInitializer().a, read.getType());
    return {b.broadcastTo(number, read.getType())};
  });
}

/// Rows that a short batch lacks keep their state: select(row < valid, new, old).
static void keepInvalidRows(train::WriteOp write, Value valid) {
  OpBuilder builder(write);
  GradBuilder b(builder, write);
  Value rows = write.getValue();
  Value old = b.op<train::ReadOp>(cast<RankedTensorType>(rows.getType()), write.getStateAttr());
  Value isValid = validMask(b, rows.getType(), valid, std::nullopt);
  write.getValueMutable().assign(b.select(isValid, rows, old));
}

/// Names results without a name before states follow as further results: "out", or "out0", "out1".
static void nameResults(train::FuncOp func) {
  Signature signature(func);
  unsigned count = func.getNumResults();
  for (unsigned i = 0; i < count; ++i)
    if (!signature.result(i)) {
      auto name =
          StringAttr::get(func.getContext(), count == 1 ? "out" : "out" + std::to_string(i));
      signature.setResult(
          i, train::OutputAttr::get(func.getContext(), train::Output::Named, name, -1));
    }
}

LogicalResult ampc::callRowState(train::FuncOp func) {
  SmallVector<StateOpInterface> states = rowStatesInOrder(func);
  if (states.empty())
    return success();
  SymbolTable symbols(func->getParentOfType<train::ModelOp>());
  nameResults(func);
  if (failed(inlineCalls(func, symbols)) || failed(passRowState(func)))
    return failure();
  for (StateOpInterface state : states) {
    if (failed(checkFirstValue(state)))
      return failure();
    for (train::ReadOp read : accessesOf(func, state).reads)
      readFirstValue(read, state);
  }
  return success();
}

/// Checks that rows of the buffer are rows of the function's batch.
static LogicalResult checkBatch(train::FuncOp func, StateOpInterface state, Value rows) {
  int64_t leading = tensorOf(rows).getDimSize(0), batch = func.getBatch().value_or(leading);
  if (leading == batch)
    return success();
  return state->emitError() << "expected @" << state.getSymName() << " to have the " << batch
                            << " rows of the batch of @" << func.getSymName() << ", but got "
                            << leading;
}

LogicalResult ampc::lowerRowState(train::FuncOp func, bool training) {
  Value valid = func.getShortBatch() ? Signature(func).findControl(train::Control::Valid) : Value();
  for (StateOpInterface state : rowStatesInOrder(func)) {
    Accesses found = accessesOf(func, state);
    for (train::WriteOp write : found.writes)
      if (failed(checkBatch(func, state, write.getValue())))
        return failure();
    for (train::ReadOp read : found.reads)
      if (failed(checkBatch(func, state, read.getResult())))
        return failure();
    if (failed(checkFirstValue(state)))
      return failure();
    for (train::ReadOp read : found.reads)
      if (!training)
        readFirstValue(read, state);
    for (train::WriteOp write : found.writes)
      if (training && valid)
        keepInvalidRows(write, valid);
  }
  return success();
}
