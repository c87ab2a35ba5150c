// Fusion of weight packing: the kernel that writes a matrix also writes the packed copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Planning/ListScheduler.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELFUSEPACKS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
/// Fusion of the packs of a single program.
class PackFusion {
public:
  PackFusion(kernel::ProgramOp program, bool explain)
      : program(program), rewriter(program.getContext()),
        ret(program.getBody().front().getTerminator()), explain(explain) {}
  void run();

private:
  /// Reason why the kernel of the matrix cannot write the packed copy as well; empty if there is no
  /// obstacle.
  std::string obstacle(kernel::PackOp pack);
  bool mustPrecede(Operation *op, kernel::PackOp pack);
  bool delaysPredecessors(kernel::MapOp map, kernel::PackOp pack);
  std::string fuse(kernel::PackOp pack);

  kernel::ProgramOp program;
  BlockRewriter rewriter;
  Operation *ret;
  bool explain;
  SetVector<Operation *> fused; ///< maps with packed results
};
} // namespace

static kernel::MapOp mapOf(kernel::PackOp pack) {
  return kernel::throughViews(pack.getX()).getDefiningOp<kernel::MapOp>();
}

/// Whether neighbours along the last dimension of the domain are not neighbours in the tensor, as
/// under (i, j) -> (j, i).
static bool isStridedAlongRows(AffineMap map, unsigned rank) {
  return map.isFunctionOfDim(rank - 1) &&
         map.getResults().back() != getAffineDimExpr(rank - 1, map.getContext());
}

/// Whether all accesses of the map are linear along the rows of a matrix. The rows of a filter OHWI
/// are all dimensions but the first.
static bool walksRows(kernel::MapOp map) {
  ArrayRef<int64_t> space = map.getSpace();
  auto isRow = [&](AffineMap access, Value tensor) {
    std::optional<LinearForm> form = LinearForm::of(access, shapeOf(tensor));
    std::optional<int64_t> next; // stride of the next outer dimension
    for (unsigned dim = space.size(); form && dim-- > 1;) {
      if (space[dim] == 1)
        continue;
      if (next && form->factors[dim] != *next)
        return false;
      next = form->factors[dim] * space[dim];
    }
    return form.has_value();
  };
  for (auto [i, input] : llvm::enumerate(map.getInputs()))
    if (!isRow(mapAt(map.getInputMaps(), i), input))
      return false;
  for (auto [i, result] : llvm::enumerate(map->getResults()))
    if (!kernel::packingOf(result.getType()) && !isRow(mapAt(map.getResultMaps(), i), result))
      return false;
  return !hasRowOps(map);
}

/// Whether the op must run before the pack: the op reads the old packed copy, or computes the loss,
/// which is checked before state changes.
bool PackFusion::mustPrecede(Operation *op, kernel::PackOp pack) {
  for (OpOperand &use : pack->getUses()) {
    if (use.getOwner() != ret)
      continue;
    StringAttr state = Signature(program).stateResult(use.getOperandNumber());
    for (Value operand : op->getOperands())
      if (auto old = dyn_cast<BlockArgument>(operand);
          old && state && old.getOwner() == ret->getBlock() &&
          Signature(program).stateArgument(old.getArgNumber()) == state)
        return true;
  }
  return llvm::any_of(ret->getOpOperands(), [&](OpOperand &operand) {
    return Signature(program).isOutput(operand.getOperandNumber(), train::Output::Loss) &&
           kernel::throughViews(operand.get()).getDefiningOp() == op;
  });
}

/// Whether an op that must run before the pack depends on the map.
bool PackFusion::delaysPredecessors(kernel::MapOp map, kernel::PackOp pack) {
  SetVector<Operation *> behind;
  behind.insert(map);
  for (unsigned i = 0; i < behind.size(); ++i) {
    if (behind[i] != ret && mustPrecede(behind[i], pack))
      return true;
    behind.insert(behind[i]->user_begin(), behind[i]->user_end());
  }
  return false;
}

std::string PackFusion::obstacle(kernel::PackOp pack) {
  Value matrix = kernel::throughViews(pack.getX());
  Operation *writer = matrix.getDefiningOp();
  kernel::MapOp map = mapOf(pack);
  if (!map)
    return writer ? (writer->getName().getStringRef() + " cannot write packed results").str()
                  : "the matrix is not written here";
  if (kernel::packingOf(pack.getType()).getSide() != kernel::Side::rhs)
    return "the matrix is packed for the left side of products";
  if (!map.getBody().front().getOps<kernel::RowReduceOp>().empty())
    return "the kernel that writes the matrix reduces rows";
  AffineMap written = mapAt(map.getResultMaps(), cast<OpResult>(matrix).getResultNumber());
  if (!isIdentityOn(written, map.getSpace()))
    return "the matrix is written in another order than the iteration domain";
  for (AffineMap read : mapsOf(map.getInputMaps()))
    if (isStridedAlongRows(read, map.getSpace().size()))
      return "the kernel that writes the matrix reads a tensor across its rows";
  if (delaysPredecessors(map, pack))
    return "an op that must run before the pack depends on the matrix";
  return {};
}

/// Clones the map with the given result types, maps and yielded values, and takes the body of
/// `map`.
static kernel::MapOp withResults(kernel::MapOp map, ArrayRef<Type> types, ArrayRef<AffineMap> maps,
                                 ArrayRef<Value> values) {
  OpBuilder builder(map);
  auto now = kernel::MapOp::create(builder, map.getLoc(), types, map.getInputs(), map.getSpace(),
                                   map.getInputMaps(), builder.getAffineMapArrayAttr(maps));
  now->setDiscardableAttrs(map->getDiscardableAttrDictionary());
  now.getBody().takeBody(map.getBody());
  now.getBody().front().getTerminator()->setOperands(values);
  return now;
}

/// Clones the map with an additional result: the packed value of result `number`.
static kernel::MapOp addPacked(BlockRewriter &rewriter, kernel::MapOp map, unsigned number,
                               RankedTensorType type) {
  SmallVector<Type> types(map->getResultTypes());
  SmallVector<AffineMap> maps = mapsOf(map.getResultMaps());
  SmallVector<Value> values(map.getBody().front().getTerminator()->getOperands());
  types.push_back(type);
  maps.push_back(AffineMap::getMultiDimIdentityMap(type.getRank(), map.getContext()));
  values.push_back(values[number]);
  kernel::MapOp now = withResults(map, types, maps, values);
  map->replaceAllUsesWith(now->getResults().drop_back());
  rewriter.eraseOp(map);
  return now;
}

/// Drops results without a consumer.
static void dropUnread(BlockRewriter &rewriter, kernel::MapOp map) {
  SmallVector<OpResult> kept;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (OpResult result : map->getResults()) {
    if (result.use_empty())
      continue;
    kept.push_back(result);
    types.push_back(result.getType());
    maps.push_back(mapAt(map.getResultMaps(), result.getResultNumber()));
    values.push_back(map.getBody().front().getTerminator()->getOperand(result.getResultNumber()));
  }
  if (kept.size() == map->getNumResults())
    return;
  kernel::MapOp now = withResults(map, types, maps, values);
  for (auto [from, to] : llvm::zip(kept, now->getResults()))
    from.replaceAllUsesWith(to);
  rewriter.eraseOp(map);
}

/// Fuses the pack; returns the obstacle, or an empty string after success.
std::string PackFusion::fuse(kernel::PackOp pack) {
  std::string why = obstacle(pack);
  if (!why.empty())
    return why;
  kernel::MapOp map = mapOf(pack);
  auto type = cast<RankedTensorType>(pack.getType());
  if (map.getSpace() != type.getShape()) {
    bool isFixed = fused.contains(map);
    map = isFixed ? kernel::MapOp() : reshapeDomain(rewriter, map, type.getShape());
    if (!map)
      return "the points of the kernel that writes the matrix are not rows and columns of the "
             "matrix";
  }
  if (type.getRank() > 2 && !walksRows(map))
    return "the kernel that writes the matrix reads a tensor in another order than row by row";
  auto matrix = cast<OpResult>(kernel::throughViews(pack.getX()));
  fused.remove(map);
  map = addPacked(rewriter, map, matrix.getResultNumber(), type);
  fused.insert(map);
  pack.replaceAllUsesWith(map->getResults().back());
  Value view = pack.getX();
  rewriter.eraseOp(pack);
  if (auto op = view.getDefiningOp<kernel::ViewOp>(); op && op->use_empty())
    rewriter.eraseOp(op);
  return {};
}

void PackFusion::run() {
  for (auto pack : llvm::to_vector(program.getBody().getOps<kernel::PackOp>())) {
    Location loc = pack.getLoc();
    std::string why = fuse(pack);
    if (!why.empty() && explain)
      emitRemark(loc) << "packs a matrix in a separate pass: " << why;
  }
  for (Operation *map : fused)
    dropUnread(rewriter, cast<kernel::MapOp>(map));
}

namespace {
struct KernelFusePacks : ampc::impl::KernelFusePacksBase<KernelFusePacks> {
  using KernelFusePacksBase::KernelFusePacksBase;
  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      if (!program.is(train::Role::Derive))
        PackFusion(program, explain).run();
  }
};
} // namespace
