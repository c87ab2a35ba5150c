// A kernel put together from the code of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/Merge.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ampc;

Merge::Merge(FusedKernelOpInterface kind) : kind(kind), body(std::make_unique<Region>()) {
  Block *block = new Block;
  body->push_back(block);
  for (BlockArgument lead :
       kind.getBody().front().getArguments().take_front(kind.getNumLeadingArguments()))
    block->addArgument(lead.getType(), lead.getLoc());
}

Value Merge::argumentFor(Value input, AffineMap map) {
  unsigned lead = kind.getNumLeadingArguments();
  map = normalized(map, kind.getSpace());
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (inputs[i] == input && normalized(maps[i], kind.getSpace()) == map)
      return body->getArgument(lead + i);
  inputs.push_back(input);
  maps.push_back(map);
  return body->front().addArgument(getElementTypeOrSelf(input), input.getLoc());
}

SmallVector<Value> Merge::append(FusedKernelOpInterface op, AffineMap via,
                                 const DenseMap<unsigned, Value> &known) {
  IRMapping values;
  Block &from = op.getBody().front();
  unsigned lead = op.getNumLeadingArguments();
  for (unsigned i = 0; i < lead; ++i)
    values.map(from.getArgument(i), body->getArgument(i));
  for (auto [i, input] : llvm::enumerate(OperandRange(op.getInputsMutable()))) {
    auto value = known.find(i);
    values.map(from.getArgument(lead + i),
               value != known.end() ? value->second
                                    : argumentFor(input, mapAt(op.getInputMaps(), i).compose(via)));
  }
  OpBuilder builder(kind->getContext());
  builder.setInsertionPointToEnd(&body->front());
  for (Operation &inner : from.without_terminator())
    builder.clone(inner, values);
  return llvm::map_to_vector(from.getTerminator()->getOperands(),
                             [&](Value v) { return values.lookup(v); });
}

void Merge::addResult(Value value, Value old, AffineMap map) {
  yields.push_back(value);
  replaced.push_back(old);
  resultMaps.push_back(map);
}

FusedKernelOpInterface Merge::finish(Operation *position, Operation *other) {
  OpBuilder builder(position);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body->front());
    kernel::YieldOp::create(builder, kind->getLoc(), yields);
  }
  OperationState state(builder.getFusedLoc({kind->getLoc(), other->getLoc()}), kind->getName());
  unsigned lead = kind->getNumOperands() - kind.getInputMaps().size();
  state.addOperands(kind->getOperands().take_front(lead));
  state.addOperands(inputs);
  for (Value old : replaced)
    state.addTypes(old.getType());
  NamedAttrList attrs(kind->getAttrDictionary());
  attrs.set("input_maps", builder.getAffineMapArrayAttr(maps));
  attrs.set("result_maps", builder.getAffineMapArrayAttr(resultMaps));
  state.attributes = attrs;
  state.addRegion(std::move(body));
  auto merged = cast<FusedKernelOpInterface>(builder.create(state));
  joinOrigins(merged, {kind, other});
  for (auto [old, now] : llvm::zip(replaced, merged->getResults()))
    old.replaceAllUsesWith(now);
  return merged;
}
