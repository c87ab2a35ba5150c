// Canonical form of loops: without kept values that nothing reads, carried values that change in no
// round or reach no result, and sequences that no round reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// Carried values, kept values and sequences of one loop that its results depend on.
class LiveValues {
public:
  explicit LiveValues(ScanOp scan);
  bool all() const { return carried.all() && each.all() && sequences.all(); }
  bool anyResult() const { return carried.any() || each.any(); }

  llvm::BitVector carried, each, sequences;

private:
  void reach(Value value);
  bool isInvariant(unsigned number) {
    return scan.getNext().getCarried()[number] == scan.getCarried()[number];
  }

  ScanOp scan;
  SmallVector<Value> open;
  DenseSet<Value> seen;
};
} // namespace

void LiveValues::reach(Value value) {
  if (value.getParentRegion() == &scan.getBody() && seen.insert(value).second)
    open.push_back(value);
}

/// Walks from the results that have readers to the arguments of the block. A carried value that an
/// argument reaches makes the value passed on for it live in turn.
LiveValues::LiveValues(ScanOp scan)
    : carried(scan.getInits().size()), each(scan.getNext().getEach().size()),
      sequences(scan.getSequences().size()), scan(scan) {
  NextOp next = scan.getNext();
  auto reachOperands = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      llvm::for_each(inner->getOperands(), [&](Value v) { reach(v); });
    });
  };
  auto keep = [&](unsigned number) {
    if (isInvariant(number) || carried.test(number))
      return;
    carried.set(number);
    reach(next.getCarried()[number]);
  };
  for (Operation &op : scan.getBody().front().without_terminator())
    if (!isMemoryEffectFree(&op))
      reachOperands(&op);
  for (unsigned i = 0; i < scan->getNumResults(); ++i) {
    if (scan.getResult(i).use_empty())
      continue;
    if (i < carried.size()) {
      keep(i);
      continue;
    }
    each.set(i - carried.size());
    reach(next.getEach()[i - carried.size()]);
  }
  unsigned first = scan.getIndexed(), rows = first + carried.size();
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned number = argument.getArgNumber();
      if (number >= rows)
        sequences.set(number - rows);
      else if (number >= first)
        keep(number - first);
      continue;
    }
    reachOperands(value.getDefiningOp());
  }
}

namespace {
/// Replaces a loop by one of live values alone.
struct DropDeadValues : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp scan, PatternRewriter &rewriter) const override {
    return dropDeadValues(scan, rewriter);
  }
  static LogicalResult dropDeadValues(ScanOp scan, RewriterBase &rewriter);

private:
  static void eraseDead(ScanOp scan, const LiveValues &live, RewriterBase &rewriter);
  static void replace(ScanOp scan, const LiveValues &live, RewriterBase &rewriter);
};
} // namespace

LogicalResult DropDeadValues::dropDeadValues(ScanOp scan, RewriterBase &rewriter) {
  LiveValues live(scan);
  bool hasReaders = llvm::any_of(scan.getResults(), [](Value v) { return !v.use_empty(); });
  if (live.all() || !hasReaders) // a loop without readers is erased as a whole
    return failure();
  if (!live.anyResult()) { // every result is an init
    rewriter.replaceOp(scan, scan.getInits());
    return success();
  }
  replace(scan, live, rewriter);
  return success();
}

/// Elements with a set bit.
static SmallVector<Value> keptOf(ValueRange values, const llvm::BitVector &isKept) {
  SmallVector<Value> kept;
  for (unsigned i : isKept.set_bits())
    kept.push_back(values[i]);
  return kept;
}

/// Ops of the block that read a dead argument are dead; they read another value of the type until
/// they are erased.
void DropDeadValues::eraseDead(ScanOp scan, const LiveValues &live, RewriterBase &rewriter) {
  NextOp next = scan.getNext();
  rewriter.modifyOpInPlace(next, [&] {
    SmallVector<Value> carried = keptOf(next.getCarried(), live.carried),
                       each = keptOf(next.getEach(), live.each);
    next.getCarriedMutable().assign(carried);
    next.getEachMutable().assign(each);
  });
  Block &body = scan.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(body.without_terminator()))
    ops.push_back(&op);
  for (Operation *op : ops)
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

void DropDeadValues::replace(ScanOp scan, const LiveValues &live, RewriterBase &rewriter) {
  eraseDead(scan, live, rewriter);
  Block &body = scan.getBody().front();
  unsigned first = scan.getIndexed(), rows = first + live.carried.size();
  SmallVector<Value> inits = keptOf(scan.getInits(), live.carried),
                     sequences = keptOf(scan.getSequences(), live.sequences);
  for (unsigned i = live.sequences.size(); i-- > 0;)
    if (!live.sequences.test(i))
      body.eraseArgument(rows + i);
  for (unsigned i = live.carried.size(); i-- > 0;)
    if (!live.carried.test(i)) {
      rewriter.replaceAllUsesWith(body.getArgument(first + i), scan.getInits()[i]);
      body.eraseArgument(first + i);
    }
  SmallVector<unsigned> from(live.carried.set_bits_begin(), live.carried.set_bits_end());
  for (unsigned i : live.each.set_bits())
    from.push_back(live.carried.size() + i);
  rebuildLoop(rewriter, scan, inits, sequences, from);
  for (unsigned i = 0; i < live.carried.size(); ++i)
    if (!live.carried.test(i))
      rewriter.replaceAllUsesWith(scan.getResult(i), scan.getInits()[i]);
  rewriter.eraseOp(scan);
}

void ampc::dropDeadValuesInside(ScanOp scan) {
  SmallVector<ScanOp> loops;
  scan.getBody().walk<WalkOrder::PreOrder>([&](ScanOp inner) { loops.push_back(inner); });
  IRRewriter rewriter(scan.getContext());
  for (ScanOp inner : llvm::reverse(loops))
    (void)DropDeadValues::dropDeadValues(inner, rewriter);
}

void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropDeadValues>(context);
}
