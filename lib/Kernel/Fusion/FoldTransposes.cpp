// Transpose folding: if all consumers of a map's result are the same permuting copy, the map stores
// the permuted layout and the copies are erased.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/Views.h"
#include "mlir-dialects/Train/Program/Origin.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELFOLDTRANSPOSES
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Results of the map without dimensions of size 1.
static SmallVector<AffineExpr> placesOf(AffineMap permutation) {
  return llvm::filter_to_vector(permutation.getResults(),
                                [](AffineExpr e) { return !isa<AffineConstantExpr>(e); });
}

/// Permutation from the elements of the value to the elements of the copy, if the reader is a
/// permuting copy; else null. Example: [m, n] copied to [n, m] gives (d0, d1) -> (d1, d0).
static AffineMap permutationOf(BlockRewriter &rewriter, Operation *consumer, Value value) {
  auto copy = dyn_cast<kernel::MapOp>(consumer);
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
  AffineMap permutation = normalized(mapAt(copy.getResultMaps(), 0).compose(point), shapeOf(value));
  SmallVector<AffineExpr> places = placesOf(permutation);
  bool isOrder = llvm::all_of(places, llvm::IsaPred<AffineDimExpr>);
  bool isSame =
      isOrder && llvm::is_sorted(places, [](AffineExpr a, AffineExpr b) {
        return cast<AffineDimExpr>(a).getPosition() < cast<AffineDimExpr>(b).getPosition();
      });
  return isOrder && !isSame ? permutation : AffineMap();
}

static SmallVector<Operation *> consumersInOrder(BlockRewriter &rewriter, Value value) {
  llvm::SmallSetVector<Operation *, 4> consumers;
  findConsumers(value, consumers);
  SmallVector<Operation *> sorted = llvm::to_vector(consumers);
  llvm::sort(sorted, [&](Operation *a, Operation *b) { return rewriter.isBefore(a, b); });
  return sorted;
}

/// Permutation common to all consumers, in the shape of the first copy; null if there is none.
static AffineMap commonPermutation(BlockRewriter &rewriter, OpResult result) {
  if (result.getOwner()->hasAttr("kernel.barrier") || kernel::packingOf(result.getType()))
    return {};
  AffineMap common;
  for (Operation *consumer : consumersInOrder(rewriter, result)) {
    AffineMap permutation = permutationOf(rewriter, consumer, result);
    if (!permutation || (common && placesOf(permutation) != placesOf(common)))
      return {};
    if (!common)
      common = permutation;
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
static kernel::MapOp foldTranspose(BlockRewriter &rewriter, kernel::MapOp op, unsigned number,
                                   AffineMap permutation) {
  Value old = op->getResult(number);
  SmallVector<Operation *> copies = consumersInOrder(rewriter, old);
  auto type = cast<RankedTensorType>(copies[0]->getResult(0).getType());
  AffineMap map = normalized(permutation.compose(mapAt(op.getResultMaps(), number)), op.getSpace());
  kernel::MapOp now = withResult(op, number, type, map);
  OpBuilder builder(now->getContext());
  builder.setInsertionPointAfter(now);
  for (Operation *copy : copies) {
    joinOrigins(now, {now, copy});
    Value transposed = now->getResult(number), was = copy->getResult(0);
    was.replaceAllUsesWith(
        builder.createOrFold<kernel::ViewOp>(copy->getLoc(), was.getType(), transposed));
    rewriter.eraseOp(copy);
  }
  for (auto [from, to] : llvm::zip(op->getResults(), now->getResults()))
    from.replaceAllUsesWith(to);
  rewriter.eraseOp(op);
  return now;
}

namespace {
struct KernelFoldTransposes : ampc::impl::KernelFoldTransposesBase<KernelFoldTransposes> {
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
      if (AffineMap permutation = commonPermutation(rewriter, op->getResult(number)))
        op = foldTranspose(rewriter, op, number, permutation);
  }
};
} // namespace
