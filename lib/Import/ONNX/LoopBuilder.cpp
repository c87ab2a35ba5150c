// Builder of loops: train.scan from the ops of one round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/LoopBuilder.h"
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

LoopBuilder::LoopBuilder(Converter &c, ValueRange inits, ValueRange sequences, int64_t rounds)
    : c(c), inits(inits), sequences(sequences), rounds(rounds) {
  block = new Block;
  region.push_back(block);
  Location loc = c.b.getUnknownLoc();
  block->addArgument(RankedTensorType::get({}, c.b.getI32Type()), loc);
  for (Value init : inits)
    block->addArgument(init.getType(), loc);
  for (Value sequence : sequences)
    block->addArgument(rowOf(sequence.getType()), loc);
  guard.emplace(c.b);
  c.b.setInsertionPointToStart(block);
}

ValueRange LoopBuilder::carried() { return block->getArguments().slice(1, inits.size()); }
ValueRange LoopBuilder::rows() { return block->getArguments().drop_front(1 + inits.size()); }

/// Moves ops without operands, which are the same in every round, in front of the loop.
static void hoistConstants(Block &block, OpBuilder &b) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<train::ReadOp, train::ConstantOp>(op))
      op.moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
}

SmallVector<Value> LoopBuilder::finish(ValueRange next, ValueRange each, bool isReverse) {
  if (llvm::is_contained(next, Value()) || llvm::is_contained(each, Value()))
    return {};
  train::NextOp::create(c.b, c.b.getUnknownLoc(), next, each);
  SmallVector<mlir::Type> types = llvm::map_to_vector(inits, [](Value v) { return v.getType(); });
  for (Value value : each)
    types.push_back(stackOf(value.getType(), rounds));
  guard.reset();
  eraseDead(*block);
  hoistConstants(*block, c.b);
  bool isIndexed = !index().use_empty();
  if (!isIndexed)
    block->eraseArgument(0);
  IntegerAttr times = sequences.empty() ? c.b.getI64IntegerAttr(rounds) : IntegerAttr();
  auto scan = train::ScanOp::create(c.b, c.b.getUnknownLoc(), types, inits, sequences, times,
                                    isReverse, isIndexed, IntegerAttr());
  scan.getBody().takeBody(region);
  if (succeeded(mlir::verify(scan)))
    return scan.getResults();
  scan.erase();
  c.fail("expected carried values of one type in all rounds");
  return {};
}
