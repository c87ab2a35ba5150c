// Loops around random ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir/Transforms/RegionUtils.h"
#include "test/Fuzz/Generator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

/// [rounds, batch, n]: a value, or an input whose leading dimension is the batch.
Value Generator::makeSequence(int64_t rounds) {
  RankedTensorType row = makeRowsType();
  if (loops.chance(0.2))
    row = RankedTensorType::get({sampler.extents[0]}, builder.getI32Type());
  RankedTensorType type = stackOf(row, rounds);
  if (loops.chance(0.4) && !row.getElementType().isInteger())
    return makeLeaf(type);
  SmallVector<int64_t> planes(type.getShape()), order = {1, 0, 2};
  std::swap(planes[0], planes[1]);
  order.resize(type.getRank());
  return create("train.transpose", makeInput(type.clone(planes)),
                named("permutation", builder.getDenseI64ArrayAttr(order)), type);
}

/// The value that a round passes to the next: of about 1, however many rounds there are.
Value Generator::makePassed(Value argument, ArrayRef<Value> made) {
  auto type = cast<RankedTensorType>(argument.getType());
  auto isOfType = [&](Value v) { return v.getType() == type && v != argument; };
  SmallVector<Value> fitting = llvm::to_vector(llvm::make_filter_range(made, isOfType));
  Value value = fitting.empty() ? makeLeaf(type) : Value(loops.pick(fitting));
  if (!isa<FloatType>(type.getElementType()))
    return loops.chance(0.8) ? value : argument;
  if (fitting.empty() || loops.chance(0.3))
    value = create("train.add", {argument, value}, {}, type);
  return create("train.tanh", value, {}, type);
}

/// One to six ops, or a loop in the loop; returns their results.
SmallVector<Value> Generator::fillRound(int depth) {
  SmallVector<Value> made;
  for (int64_t count = loops.between(1, 6); count > 0; --count) {
    if (depth == 0 && loops.chance(0.05)) {
      made.push_back(makeLoop(depth + 1));
      pool.push_back(made.back());
      continue;
    }
    const OpDefinition &definition = loops.pick(definitions.ops);
    // A norm over the batch writes its statistics once per step.
    Operation *op =
        definition.name == "train.batch_norm" ? nullptr : sampler.sample(definition, builder);
    if (!op)
      continue;
    llvm::append_range(made, op->getResults());
    llvm::append_range(pool, op->getResults());
  }
  return made;
}

/// The end of a round, around a block whose arguments are the index, the carried values and rows.
train::NextOp Generator::closeRound(Block &block, size_t carried, size_t first,
                                    ArrayRef<Value> made) {
  SmallVector<Value> passed, kept;
  for (size_t k = 0; k < carried; ++k)
    passed.push_back(makePassed(block.getArgument(first + k), made));
  for (Value value : made)
    if (kept.size() < 2 && loops.chance(0.5))
      kept.push_back(value);
  if (kept.empty() && passed.empty())
    kept.push_back(made.empty() ? Value(block.getArgument(0)) : made.back());
  return train::NextOp::create(builder, builder.getUnknownLoc(), passed, kept);
}

/// Values that the loop reads from outside have uses behind, so that their gradients are sums.
void Generator::readAgain(train::ScanOp scan) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(scan.getBody(), captured);
  for (Value value : captured)
    if (getElementTypeOrSelf(value).isF32() && loops.chance(0.3))
      pool.push_back(create("train.sin", value, {}, value.getType()));
}

/// A loop with carried values and sequences in either direction; returns one of its results.
Value Generator::makeLoop(int depth) {
  int64_t rounds = loops.between(1, 4);
  SmallVector<Value> inits, sequences;
  for (int64_t count = loops.between(0, 2); count > 0; --count)
    inits.push_back(makeLeaf(loops.chance(0.15)
                                 ? RankedTensorType::get({sampler.extents[0]}, builder.getI32Type())
                                 : makeRowsType()));
  for (int64_t count = loops.between(inits.empty(), 2); count > 0; --count)
    sequences.push_back(makeSequence(rounds));
  bool isIndexed = loops.chance(0.3);
  auto block = std::make_unique<Block>();
  if (isIndexed)
    block->addArgument(RankedTensorType::get({}, builder.getI32Type()), builder.getUnknownLoc());
  for (Value init : inits)
    block->addArgument(init.getType(), init.getLoc());
  for (Value sequence : sequences)
    block->addArgument(rowOf(sequence.getType()), sequence.getLoc());
  SmallVector<Value> outer(pool);
  OpBuilder::InsertPoint behind = builder.saveInsertionPoint();
  builder.setInsertionPointToStart(block.get());
  pool.append(block->args_begin(), block->args_end());
  SmallVector<Value> made = fillRound(depth);
  train::NextOp next = closeRound(*block, inits.size(), isIndexed, made);
  pool = std::move(outer);
  builder.restoreInsertionPoint(behind);
  SmallVector<Type> types(next.getCarried().getTypes());
  for (Value kept : next.getEach())
    types.push_back(stackOf(kept.getType(), rounds));
  bool isCounted = sequences.empty() || loops.chance(0.2);
  bool isCheckpoint = loops.chance(0.2);
  auto scan = train::ScanOp::create(
      builder, builder.getUnknownLoc(), types, inits, sequences,
      isCounted ? builder.getI64IntegerAttr(rounds) : IntegerAttr(), loops.chance(0.4), isIndexed,
      isCheckpoint ? builder.getI64IntegerAttr(loops.between(1, 3)) : IntegerAttr());
  scan.getBody().push_back(block.release());
  readAgain(scan);
  if (depth == 0)
    llvm::append_range(pool, scan.getResults().drop_back());
  return scan.getResults().back();
}
