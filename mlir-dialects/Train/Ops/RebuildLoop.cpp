// Loops with other carried values, sequences or kept values than the loop that they replace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

/// The number of rounds is written down only where no sequence tells it.
static ScanOp createLoop(OpBuilder &builder, ScanOp scan, NextOp next, ValueRange inits,
                         ValueRange sequences) {
  SmallVector<Type> types(inits.getTypes());
  for (Value each : next.getEach())
    types.push_back(stackOf(each.getType(), scan.getRounds()));
  auto times =
      sequences.empty() ? builder.getI64IntegerAttr(scan.getRounds()) : scan.getTimesAttr();
  auto loop = ScanOp::create(builder, scan.getLoc(), types, inits, sequences, times,
                             scan.getReverse(), scan.getIndexed(), scan.getCheckpointAttr());
  loop->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  return loop;
}

ScanOp ampc::createLoop(OpBuilder &builder, ScanOp scan, ValueRange inits, ValueRange sequences,
                        std::unique_ptr<Block> block) {
  auto loop = ::createLoop(builder, scan, cast<NextOp>(block->getTerminator()), inits, sequences);
  loop.getBody().push_back(block.release());
  return loop;
}

ScanOp ampc::rebuildLoop(RewriterBase &rewriter, ScanOp scan, ValueRange inits,
                         ValueRange sequences, ArrayRef<unsigned> from) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(scan);
  ScanOp loop = ::createLoop(rewriter, scan, scan.getNext(), inits, sequences);
  rewriter.inlineRegionBefore(scan.getBody(), loop.getBody(), loop.getBody().end());
  for (auto [result, old] : llvm::zip(loop.getResults(), from))
    rewriter.replaceAllUsesWith(scan.getResult(old), result);
  return loop;
}

ScanOp ampc::keepOfEveryRound(ScanOp scan, ValueRange values) {
  NextOp next = scan.getNext();
  next.getEachMutable().append(values);
  IRRewriter rewriter(scan.getContext());
  SmallVector<Value> inits(scan.getInits()), sequences(scan.getSequences());
  ScanOp loop = rebuildLoop(rewriter, scan, inits, sequences,
                            llvm::to_vector(llvm::seq(0u, unsigned(scan->getNumResults()))));
  scan.erase();
  return loop;
}
