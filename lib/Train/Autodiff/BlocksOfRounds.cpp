// Checkpoints of k rounds: a loop becomes a loop over blocks of k rounds (Chen et al. 2016,
// Training Deep Nets with Sublinear Memory Cost).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Autodiff/BlocksOfRounds.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Rows of a loop as equally large blocks: rows [first, first + blocks * rounds).
struct Blocks {
  int64_t first, blocks, rounds;
};

/// Replacement of one loop.
class LoopSplitter {
public:
  explicit LoopSplitter(train::ScanOp scan)
      : scan(scan), builder(scan), b(builder, scan), carried(scan.getInits()) {}
  void run();

private:
  Value blocksOf(Value sequence, const Blocks &rows);
  SmallVector<Value> addBlocks(const Blocks &rows);
  void fillBlock(train::ScanOp outer, const Blocks &rows);
  void setIndex(train::ScanOp outer, train::ScanOp inner, const Blocks &rows);

  train::ScanOp scan;
  OpBuilder builder;
  GradBuilder b;
  SmallVector<Value> carried; ///< behind the blocks so far
};
} // namespace

/// [T, ...] -> [blocks, rounds, ...].
Value LoopSplitter::blocksOf(Value sequence, const Blocks &rows) {
  RankedTensorType type = tensorOf(sequence);
  SmallVector<int64_t> from(type.getRank(), 0), sizes(type.getShape()), ones(type.getRank(), 1);
  from[0] = rows.first;
  sizes[0] = rows.blocks * rows.rounds;
  if (sizes[0] != type.getDimSize(0))
    sequence = b.op<train::SliceOp>(sequence, from, sizes, ones);
  return b.reshape(sequence, stackOf(stackOf(rowOf(type), rows.rounds), rows.blocks));
}

/// The number of the row is first + block * rounds + round.
void LoopSplitter::setIndex(train::ScanOp outer, train::ScanOp inner, const Blocks &rows) {
  if (!scan.getIndexed())
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(inner);
  Value block = outer.getIndex();
  Value start =
      b.add(b.mul(block, b.real(double(rows.rounds), block)), b.real(double(rows.first), block));
  Value round = inner.getIndex();
  builder.setInsertionPointToStart(&inner.getBody().front());
  Value row = b.add(start, round);
  round.replaceAllUsesExcept(row, row.getDefiningOp());
}

/// The loop over the rounds of a block, in the block of the outer loop.
void LoopSplitter::fillBlock(train::ScanOp outer, const Blocks &rows) {
  OpBuilder::InsertionGuard guard(builder);
  Block &body = outer.getBody().front();
  builder.setInsertionPointToStart(&body);
  auto rounds =
      scan.getSequences().empty() ? builder.getI64IntegerAttr(rows.rounds) : IntegerAttr();
  SmallVector<Type> types(scan.getInits().getTypes());
  for (Value each : scan.getNext().getEach())
    types.push_back(stackOf(each.getType(), rows.rounds));
  auto inner =
      train::ScanOp::create(builder, scan.getLoc(), types, outer.getCarried(), outer.getRows(),
                            rounds, scan.getReverse(), scan.getIndexed(), IntegerAttr());
  inner->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  IRMapping mapping;
  scan.getBody().cloneInto(&inner.getBody(), mapping);
  setIndex(outer, inner, rows);
  builder.setInsertionPointToEnd(&body);
  size_t count = scan.getInits().size();
  b.stamp(train::NextOp::create(builder, scan.getLoc(), inner.getResults().take_front(count),
                                inner.getResults().drop_front(count)));
}

/// Adds the loop over blocks; returns the kept values of their rows, [rows, ...].
SmallVector<Value> LoopSplitter::addBlocks(const Blocks &rows) {
  SmallVector<Value> sequences = llvm::map_to_vector(
      scan.getSequences(), [&](Value sequence) { return blocksOf(sequence, rows); });
  auto times = sequences.empty() ? builder.getI64IntegerAttr(rows.blocks) : IntegerAttr();
  SmallVector<Type> types(scan.getInits().getTypes());
  for (Value each : scan.getNext().getEach())
    types.push_back(stackOf(stackOf(each.getType(), rows.rounds), rows.blocks));
  auto outer =
      train::ScanOp::create(builder, scan.getLoc(), types, carried, sequences, times,
                            scan.getReverse(), scan.getIndexed(), builder.getI64IntegerAttr(1));
  outer->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  outer->setAttr(blocksAttribute, builder.getUnitAttr());
  Block &body = outer.getBody().emplaceBlock();
  if (scan.getIndexed())
    body.addArgument(scan.getIndex().getType(), scan.getLoc());
  for (Value value : carried)
    body.addArgument(value.getType(), scan.getLoc());
  for (Value sequence : sequences)
    body.addArgument(rowOf(sequence.getType()), scan.getLoc());
  fillBlock(outer, rows);
  carried.assign(outer.getResults().begin(), outer.getResults().begin() + carried.size());
  SmallVector<Value> kept;
  for (auto [stack, each] :
       llvm::zip(outer.getResults().drop_front(carried.size()), scan.getNext().getEach()))
    kept.push_back(b.reshape(stack, stackOf(each.getType(), rows.blocks * rows.rounds)));
  return kept;
}

void LoopSplitter::run() {
  int64_t all = scan.getRounds(), rounds = std::min(*scan.getCheckpoint(), all);
  int64_t blocks = all / rounds, rest = all % rounds;
  bool reverse = scan.getReverse();
  SmallVector<Value> kept = addBlocks({reverse ? rest : 0, blocks, rounds});
  if (rest > 0) {
    SmallVector<Value> last = addBlocks({reverse ? 0 : all - rest, 1, rest});
    for (auto [value, more] : llvm::zip(kept, last))
      value = reverse ? b.op<train::ConcatOp>(ValueRange{more, value}, 0)
                      : b.op<train::ConcatOp>(ValueRange{value, more}, 0);
  }
  llvm::append_range(carried, kept);
  scan->replaceAllUsesWith(carried);
  scan.erase();
}

void ampc::splitCheckpoints(train::FuncOp func) {
  SmallVector<train::ScanOp> loops;
  func.walk([&](train::ScanOp scan) {
    if (scan.getCheckpoint().value_or(1) > 1)
      loops.push_back(scan);
  });
  for (train::ScanOp scan : loops) // a loop inside of a loop first
    LoopSplitter(scan).run();
}
