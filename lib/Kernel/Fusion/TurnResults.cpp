// Transpose folding: if all consumers of a map's result are the same permuting copy, the map stores
// the permuted layout and the copies are erased.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "ampc/Target/Target.h"
#include "lib/Kernel/Fusion/Views.h"
#include "mlir-dialects/Train/Origin.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELTURNRESULTS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Results of the map without dimensions of size 1.
static SmallVector<AffineExpr> placesOf(AffineMap turn) {
  return llvm::filter_to_vector(turn.getResults(),
                                [](AffineExpr e) { return !isa<AffineConstantExpr>(e); });
}

/// Permutation from the elements of the value to the elements of the copy, if the reader is a
/// permuting copy; else null. Example: [m, n] copied to [n, m] gives (d0, d1) -> (d1, d0).
static AffineMap turnOf(BlockRewriter &rewriter, Operation *reader, Value value) {
  auto copy = dyn_cast<kernel::MapOp>(reader);
  if (!copy || copy->getNumResults() != 1 || copy.getInputs().size() != 1 ||
      copy->hasAttr("kernel.barrier") || kernel::packingOf(copy->getResult(0).getType()))
    return {};
  Block &body = copy.getBody().front();
  if (body.getTerminator()->getOperand(0) != body.getArgument(0))
    return {};
  readThroughUnitViews(rewriter, copy);
  if (copy.getInputs()[0] != value)
    return {};
  AffineMap point = inverseOf(mapAt(copy.getInputMaps(), 0), copy.getSpace(), shapeOf(value));
  if (!point || elements(shapeOf(copy->getResult(0))) != elements(shapeOf(value)))
    return {};
  AffineMap turn = normalized(mapAt(copy.getResultMaps(), 0).compose(point), shapeOf(value));
  SmallVector<AffineExpr> places = placesOf(turn);
  bool isOrder = llvm::all_of(places, llvm::IsaPred<AffineDimExpr>);
  bool isSame =
      isOrder && llvm::is_sorted(places, [](AffineExpr a, AffineExpr b) {
        return cast<AffineDimExpr>(a).getPosition() < cast<AffineDimExpr>(b).getPosition();
      });
  return isOrder && !isSame ? turn : AffineMap();
}

static SmallVector<Operation *> readersInOrder(BlockRewriter &rewriter, Value value) {
  llvm::SmallSetVector<Operation *, 4> readers;
  findReaders(value, readers);
  SmallVector<Operation *> sorted = llvm::to_vector(readers);
  llvm::sort(sorted, [&](Operation *a, Operation *b) { return rewriter.isBefore(a, b); });
  return sorted;
}

/// Permutation common to all consumers, in the shape of the first copy; null if there is none.
static AffineMap commonTurn(BlockRewriter &rewriter, OpResult result) {
  if (result.getOwner()->hasAttr("kernel.barrier") || kernel::packingOf(result.getType()))
    return {};
  AffineMap common;
  for (Operation *reader : readersInOrder(rewriter, result)) {
    AffineMap turn = turnOf(rewriter, reader, result);
    if (!turn || (common && placesOf(turn) != placesOf(common)))
      return {};
    if (!common)
      common = turn;
  }
  return common;
}

static kernel::MapOp withResult(kernel::MapOp op, unsigned number, RankedTensorType type,
                                AffineMap map) {
  OpBuilder builder(op);
  SmallVector<AffineMap> maps = mapsOf(op.getResultMaps());
  maps[number] = map;
  SmallVector<Type> types(op->getResultTypes());
  types[number] = type;
  auto now = kernel::MapOp::create(builder, op.getLoc(), types, op.getInputs(), op.getSpace(),
                                   op.getInputMaps(), builder.getAffineMapArrayAttr(maps));
  now->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  now.getBody().takeBody(op.getBody());
  return now;
}

/// Stores the result in the shape of the first copy; the other copies become views of the result.
static kernel::MapOp turnResult(BlockRewriter &rewriter, kernel::MapOp op, unsigned number,
                                AffineMap turn) {
  Value old = op->getResult(number);
  SmallVector<Operation *> copies = readersInOrder(rewriter, old);
  auto type = cast<RankedTensorType>(copies[0]->getResult(0).getType());
  AffineMap map = normalized(turn.compose(mapAt(op.getResultMaps(), number)), op.getSpace());
  kernel::MapOp now = withResult(op, number, type, map);
  OpBuilder builder(now->getContext());
  builder.setInsertionPointAfter(now);
  for (Operation *copy : copies) {
    joinOrigins(now, {now, copy});
    Value turned = now->getResult(number), was = copy->getResult(0);
    was.replaceAllUsesWith(
        builder.createOrFold<kernel::ViewOp>(copy->getLoc(), was.getType(), turned));
    rewriter.eraseOp(copy);
  }
  for (auto [from, to] : llvm::zip(op->getResults(), now->getResults()))
    from.replaceAllUsesWith(to);
  rewriter.eraseOp(op);
  return now;
}

namespace {
struct KernelTurnResults : ampc::impl::KernelTurnResultsBase<KernelTurnResults> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>()) {
      BlockRewriter rewriter(&getContext());
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(program.getBody().front())))
        if (auto map = dyn_cast<kernel::MapOp>(op))
          visit(rewriter, map);
    }
  }

private:
  static void visit(BlockRewriter &rewriter, kernel::MapOp op) {
    for (unsigned number = 0; number < op->getNumResults(); ++number)
      if (AffineMap turn = commonTurn(rewriter, op->getResult(number)))
        op = turnResult(rewriter, op, number, turn);
  }
};
} // namespace
