// Builder of a fused kernel from the bodies of two kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/Merge.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ampc;

unsigned MergedProvenance::nodeOf(Operation *op) {
  if (std::optional<unsigned> tree = treeOf(op))
    return *tree;
  nodes.push_back({op->getLoc(), SmallVector<train::OriginAttr, 2>(originsOf(op)), std::nullopt});
  return nodes.size() - 1;
}

void MergedProvenance::join(Operation *merged, Operation *first, Operation *second) {
  std::pair<unsigned, unsigned> parts(nodeOf(first), nodeOf(second));
  trees[merged] = nodes.size();
  nodes.push_back({first->getLoc(), {}, parts});
}

std::optional<unsigned> MergedProvenance::treeOf(Operation *op) const {
  auto found = trees.find(op);
  return found == trees.end() ? std::nullopt : std::optional(found->second);
}

void MergedProvenance::write() {
  for (auto [op, tree] : trees) {
    SmallVector<Location> locs;
    SmallVector<train::OriginAttr> origins;
    DenseSet<unsigned> seen;          // a recomputed producer is part of several kernels
    SmallVector<unsigned> open{tree}; // no recursion: a tree may be as deep as a chain is long
    while (!open.empty()) {
      unsigned next = open.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      const Node &node = nodes[next];
      if (node.parts) {
        open.push_back(node.parts->second);
        open.push_back(node.parts->first);
        continue;
      }
      locs.push_back(node.loc);
      llvm::append_range(origins, node.origins);
    }
    op->setLoc(FusedLoc::get(op->getContext(), locs));
    setOrigins(op, origins);
  }
}

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
    if (inputs[i] == input && maps[i] == map)
      return body->getArgument(lead + i);
  inputs.push_back(input);
  maps.push_back(map);
  return body->front().addArgument(getElementTypeOrSelf(input), input.getLoc());
}

SmallVector<Value> Merge::argumentsFor(FusedKernelOpInterface op, AffineMap via,
                                       const Known &known) {
  SmallVector<Value> values =
      llvm::to_vector_of<Value>(body->getArguments().take_front(op.getNumLeadingArguments()));
  for (auto [i, input] : llvm::enumerate(OperandRange(op.getInputsMutable())))
    if (auto value = known.find(i); value != known.end())
      values.push_back(value->second);
    else
      values.push_back(argumentFor(input, composed(mapAt(op.getInputMaps(), i), via)));
  return values;
}

SmallVector<Value> Merge::append(FusedKernelOpInterface op, AffineMap via, const Known &known) {
  IRMapping values;
  Block &from = op.getBody().front();
  values.map(from.getArguments(), argumentsFor(op, via, known));
  OpBuilder builder(kind->getContext());
  builder.setInsertionPointToEnd(&body->front());
  for (Operation &inner : from.without_terminator())
    builder.clone(inner, values);
  return llvm::map_to_vector(from.getTerminator()->getOperands(),
                             [&](Value v) { return values.lookup(v); });
}

SmallVector<Value> Merge::take(FusedKernelOpInterface op, AffineMap via, const Known &known) {
  Block &from = op.getBody().front(), &to = body->front();
  for (auto [argument, value] : llvm::zip_equal(from.getArguments(), argumentsFor(op, via, known)))
    argument.replaceAllUsesWith(value);
  to.getOperations().splice(to.end(), from.getOperations(), from.begin(), std::prev(from.end()));
  return llvm::to_vector(from.getTerminator()->getOperands());
}

void Merge::addResult(Value value, Value old, AffineMap map) {
  yields.push_back(value);
  replaced.push_back(old);
  resultMaps.push_back(map);
}

FusedKernelOpInterface Merge::finish(Operation *position) {
  OpBuilder builder(position);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body->front());
    kernel::YieldOp::create(builder, kind->getLoc(), yields);
  }
  SmallVector<Value> operands(kind->getOperands().drop_back(kind.getInputMaps().size()));
  llvm::append_range(operands, inputs);
  Operation *op = Operation::create(
      kind->getLoc(), kind->getName(), TypeRange(ValueRange(replaced)), operands,
      kind->getDiscardableAttrDictionary(), kind->getPropertiesStorage(), BlockRange(), 1);
  op->setInherentAttr(builder.getStringAttr("input_maps"), builder.getAffineMapArrayAttr(maps));
  op->setInherentAttr(builder.getStringAttr("result_maps"),
                      builder.getAffineMapArrayAttr(resultMaps));
  op->getRegion(0).takeBody(*body);
  auto merged = cast<FusedKernelOpInterface>(builder.insert(op));
  for (auto [old, now] : llvm::zip(replaced, merged->getResults()))
    old.replaceAllUsesWith(now);
  return merged;
}
