// State that rows change, on several ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/RankStates.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

RankStates::RankStates(train::FuncOp func, const DenseSet<Value> &ofRows,
                       ArrayRef<unsigned> written, int64_t ranks)
    : func(func), signature(func), body(func.getBody().front()), ofRows(ofRows), written(written),
      ranks(ranks) {}

InFlightDiagnostic RankStates::refuse(Operation *op, StringAttr state) {
  return op->emitError() << "expected updates of @" << state.getValue() << ", which the rows of "
                         << ranks
                         << " ranks change, to draw no random numbers and to reach no other "
                            "result, but got "
                         << nameOf(op);
}

/// Adds the ops behind `value` to the chain.
LogicalResult RankStates::follow(Value value, StringAttr state) {
  SmallVector<Value> open{value};
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *op = body.findAncestorOpInBlock(*use.getOwner());
      if (op == body.getTerminator()) {
        if (llvm::is_contained(written, use.getOperandNumber()))
          continue;
        Operation *source = use.get().getDefiningOp();
        return refuse(source ? source : op, state);
      }
      if (isa<RandomOpInterface>(op))
        return refuse(op, state);
      if (chain.insert(op).second)
        open.append(op->result_begin(), op->result_end());
    }
  return success();
}

/// Values that the chain, or the state itself, takes from the rows of a part.
void RankStates::findSources() {
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    bool isPart = ofRows.contains(value) || (op && isa<train::ShareOp>(op));
    if (isPart && value.getParentBlock() == &body && !(op && chain.contains(op)))
      sources.insert(value);
  };
  for (Operation &op : body)
    if (chain.contains(&op)) {
      ordered.push_back(&op);
      op.walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), add); });
    }
  for (unsigned result : written)
    add(body.getTerminator()->getOperand(result));
}

LogicalResult RankStates::find() {
  for (unsigned result : written) {
    StringAttr state = signature.stateResult(result);
    if (BlockArgument before = signature.findState(state); before && failed(follow(before, state)))
      return failure();
  }
  findSources();
  return success();
}

/// Gathers values in one exchange per element type: [64] and [2, 3] -> [70] -> [ranks, 70].
void RankStates::gather(OpBuilder &builder, ArrayRef<Value> values) {
  llvm::MapVector<Type, SmallVector<Value>> byType;
  for (Value value : values)
    if (gathered.try_emplace(value).second)
      byType[getElementTypeOrSelf(value)].push_back(value);
  for (auto &[element, all] : byType) {
    GradBuilder b(builder, func.getLoc(), originOf(all.front()));
    SmallVector<Value> flat;
    int64_t size = 0;
    for (Value value : all) {
      int64_t count = cast<RankedTensorType>(value.getType()).getNumElements();
      flat.push_back(b.reshape(value, RankedTensorType::get({count}, element)));
      gathered[value].offset = size;
      size += count;
    }
    Value own = flat.size() == 1 ? flat.front() : b.op<train::ConcatOp>(flat, 0);
    Value rows = b.op<train::GatherRanksOp>(own, ranks);
    for (Value value : all)
      gathered[value].rows = rows;
  }
}

/// The value that a rank has in place of `value`.
Value RankStates::of(OpBuilder &builder, int64_t rank, Value value) {
  GradBuilder b(builder, func.getLoc(), originOf(value));
  auto type = cast<RankedTensorType>(value.getType());
  const Gathered &from = gathered.lookup(value);
  SmallVector<int64_t> first{rank, from.offset}, sizes{1, type.getNumElements()}, ones{1, 1};
  return b.reshape(b.op<train::SliceOp>(from.rows, first, sizes, ones), type);
}

/// Runs the chain on the sources of one part of the whole batch. A part without valid rows changes
/// nothing.
void RankStates::appendPart(OpBuilder &builder, const IRMapping &local, int64_t rank, int64_t part,
                            Value valid, llvm::StringMap<Value> &states) {
  IRMapping values = local;
  for (Value source : sources)
    values.map(source, of(builder, rank, local.lookupOrDefault(source)));
  for (unsigned result : written) {
    StringAttr state = signature.stateResult(result);
    if (BlockArgument before = signature.findState(state); before && states.count(state))
      values.map(before, states.lookup(state));
  }
  for (Operation *op : ordered)
    builder.clone(*op, values)->walk([&](Operation *inner) {
      if (train::OriginAttr origin = originOf(inner))
        setOrigin(inner, origin.withPart(part));
    });
  Value rows = valid ? of(builder, rank, valid) : Value();
  llvm::StringMap<Value> now;
  for (unsigned result : written) {
    StringAttr state = signature.stateResult(result);
    Value value = values.lookupOrDefault(body.getTerminator()->getOperand(result));
    GradBuilder b(builder, func.getLoc(), originOf(value));
    if (rows) {
      Value before = states.count(state) ? states.lookup(state)
                                         : Value(signature.addState(state, value.getType()));
      value = b.select(b.greater(rows, b.real(0.0, rows)), value, before);
    }
    now[state] = value;
  }
  for (auto &entry : now)
    states[entry.getKey()] = entry.getValue();
}

void RankStates::append(OpBuilder &builder, ArrayRef<IRMapping> parts, ArrayRef<Value> validRows,
                        llvm::StringMap<Value> &states) {
  SmallVector<Value> own(validRows);
  for (const IRMapping &part : parts)
    for (Value source : sources)
      own.push_back(part.lookupOrDefault(source));
  gather(builder, own);
  int64_t count = int64_t(parts.size());
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (int64_t part = 0; part < count; ++part)
      appendPart(builder, parts[part], rank, rank * count + part,
                 validRows.empty() ? Value() : validRows[part], states);
}
