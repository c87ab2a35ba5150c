// Buffers per row of the batch: marks, and types for another batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Text/Sizes.h"

using namespace mlir;
using namespace ampc;

static int64_t leadingSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() ? tensor.getDimSize(0) : 0;
}

/// Whether the leading dimension of the written type is the size `batch`.
static bool isWrittenPerRow(StateOpInterface state) {
  auto formulas = state->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto dims = formulas ? formulas.getAs<StringAttr>("type") : StringAttr();
  return dims && dims.getValue().split(',').first.trim() == "batch";
}

bool ampc::isRowState(StateOpInterface state) {
  return isa<train::BufferOp>(*state) && (state->hasAttr(RowState::key) || isWrittenPerRow(state));
}

bool ampc::isPassedRowState(StateOpInterface state) {
  return isRowState(state) && state->hasAttr(RowState::passed);
}

DenseMap<StringAttr, StateOpInterface> ampc::rowStatesOf(train::FuncOp func) {
  DenseMap<StringAttr, StateOpInterface> found;
  if (auto model = func->getParentOfType<train::ModelOp>())
    for (auto buffer : model.getOps<train::BufferOp>())
      if (isRowState(buffer))
        found[buffer.getSymNameAttr()] = buffer;
  return found;
}

SmallVector<Value> ampc::readRowStates(train::FuncOp func, int64_t batch) {
  auto states = rowStatesOf(func);
  SmallVector<Value> found;
  auto note = [&](StringAttr name, Value value) {
    if (name && states.contains(name) && leadingSize(value.getType()) == batch)
      found.push_back(value);
  };
  if (states.empty())
    return found;
  for (BlockArgument argument : func.getArguments())
    note(Signature(func).stateArgument(argument.getArgNumber()), argument);
  func.walk([&](train::ReadOp read) { note(read.getStateAttr().getAttr(), read.getResult()); });
  return found;
}

bool ampc::isOfAnotherBatch(StateOpInterface state, Type type) {
  auto declared = dyn_cast<RankedTensorType>(state.getType()),
       other = dyn_cast<RankedTensorType>(type);
  return isRowState(state) && declared && other && declared.getRank() == other.getRank() &&
         leadingSize(declared) && declared.getElementType() == other.getElementType() &&
         declared.getShape().drop_front() == other.getShape().drop_front();
}

void ampc::markRowState(StateOpInterface state) {
  if (isRowState(state))
    state->setDiscardableAttr(RowState::key, UnitAttr::get(state->getContext()));
  state->removeDiscardableAttr(Sizes::key);
}

std::optional<StringRef> ampc::misfitOfRowState(Operation *op, Attribute value) {
  auto buffer = dyn_cast<train::BufferOp>(op);
  if (!isa<UnitAttr>(value) || !buffer || !leadingSize(buffer.getType()) || buffer.getRole())
    return "no value, on a buffer of a model with at least one dimension";
  if (!isRowState(buffer))
    return "no value, on a buffer whose leading dimension is the size batch";
  return std::nullopt;
}
