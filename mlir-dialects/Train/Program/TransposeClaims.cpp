// Layout propagation: transposes that another layout of the state makes redundant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/TransposeClaims.h"
#include "mlir-dialects/Train/Build/GradBuilder.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using Dims = SmallVector<int64_t>;

/// Reordering of one dimension's parts; all other dimensions (of `rank`) are kept.
static Reordering within(ArrayRef<int64_t> shape, int64_t dim, ArrayRef<int64_t> parts,
                         ArrayRef<int64_t> order) {
  Reordering result;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    int64_t first = result.parts.size();
    if (i != dim) {
      result.parts.push_back(shape[i]);
      result.order.push_back(first);
      continue;
    }
    llvm::append_range(result.parts, parts);
    for (int64_t part : order)
      result.order.push_back(first + part);
  }
  return result;
}

/// Number of leading dimensions kept by a reshape that flattens all others, [8, 5, 5, 16] -> [8,
/// 400]: 1; -1 for any other reshape.
static int64_t keptBy(ArrayRef<int64_t> parts, ArrayRef<int64_t> flat) {
  int64_t kept = int64_t(flat.size()) - 1;
  bool isFlat = kept >= 0 && int64_t(parts.size()) > kept + 1 &&
                llvm::equal(parts.take_front(kept), flat.take_front(kept));
  return isFlat ? kept : -1;
}

/// Permutation of the dimensions behind the first `kept`; nullopt if the first dimensions move.
static std::optional<Dims> orderBehind(ArrayRef<int64_t> permutation, int64_t kept) {
  Dims order;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    if (int64_t(i) < kept ? dim != int64_t(i) : dim < kept)
      return std::nullopt;
    if (int64_t(i) >= kept)
      order.push_back(dim - kept);
  }
  return order;
}

/// Claims of transposes before a flattening reshape that a product reads: the weight takes the
/// untransposed order.
static void claimFlattened(TransposeOp transpose, SmallVectorImpl<TransposeClaim> &claims) {
  for (Operation *user : transpose->getUsers()) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    ArrayRef<int64_t> parts = transpose.getType().getShape();
    int64_t kept = reshape ? keptBy(parts, reshape.getType().getShape()) : -1;
    auto order = kept < 0 ? std::nullopt : orderBehind(transpose.getPermutation(), kept);
    if (!order)
      continue;
    for (OpOperand &use : reshape->getUses()) {
      auto product = dyn_cast<MatmulOp>(use.getOwner());
      if (!product || use.getOperandNumber() != 0 || product.getTransposeLhs() ||
          product.getRhs().getType().getRank() != 2)
        continue;
      ArrayRef<int64_t> weights = product.getRhs().getType().getShape();
      Reordering columns = within(weights, product.getTransposeRhs(), parts.drop_front(kept),
                                  inversePermutation(*order));
      claims.push_back({transpose, &use, {{&product.getRhsMutable(), columns}}});
    }
  }
}

// ---- Features that take the form of an image ----

/// Collects the reorderings of other values for which the parts of a value's last dimension are in
/// another order; false if impossible.
static bool reorderLast(OpOperand &root, ArrayRef<int64_t> parts, ArrayRef<int64_t> order,
                        llvm::function_ref<bool(Operation *)> isPointwise, TransposeClaim &claim) {
  ArrayRef<int64_t> whole = tensorOf(root.get()).getShape();
  auto addState = [&](OpOperand &use, int64_t dim) {
    claim.needs.push_back({&use, within(tensorOf(use.get()).getShape(), dim, parts, order)});
  };
  SmallVector<OpOperand *> open{&root};
  while (!open.empty()) {
    OpOperand &use = *open.pop_back_val();
    ArrayRef<int64_t> shape = tensorOf(use.get()).getShape();
    if (shape != whole) {
      if (!shape.empty() && shape.back() != 1)
        addState(use, shape.size() - 1);
      continue;
    }
    Operation *op = use.get().getDefiningOp();
    auto product = dyn_cast_or_null<MatmulOp>(op);
    if (!op || !use.get().hasOneUse() || (product && product.getRhs().getType().getRank() != 2) ||
        (!product && !isPointwise(op)))
      return false;
    if (product)
      addState(product.getRhsMutable(), !product.getTransposeRhs());
    else
      for (OpOperand &operand : llvm::reverse(op->getOpOperands()))
        open.push_back(&operand);
  }
  return true;
}

/// Claims of a transpose behind a reshape that splits the last dimension.
static void claimUnflattened(TransposeOp transpose,
                             llvm::function_ref<bool(Operation *)> isPointwise,
                             SmallVectorImpl<TransposeClaim> &claims) {
  auto reshape = transpose.getX().getDefiningOp<ReshapeOp>();
  if (!reshape || !reshape->hasOneUse())
    return;
  ArrayRef<int64_t> parts = reshape.getType().getShape();
  int64_t kept = keptBy(parts, reshape.getX().getType().getShape());
  auto order = kept < 0 ? std::nullopt : orderBehind(transpose.getPermutation(), kept);
  TransposeClaim claim{transpose, nullptr, {}};
  if (order &&
      reorderLast(reshape.getXMutable(), parts.drop_front(kept), *order, isPointwise, claim))
    claims.push_back(std::move(claim));
}

SmallVector<TransposeClaim>
ampc::findTransposeClaims(Block &body, llvm::function_ref<bool(Value)> isState,
                          llvm::function_ref<bool(Operation *)> isPointwise) {
  SmallVector<TransposeClaim> claims;
  for (auto transpose : body.getOps<TransposeOp>()) {
    if (isState(transpose.getX())) {
      Reordering whole{llvm::to_vector(transpose.getX().getType().getShape()),
                       llvm::to_vector(transpose.getPermutation())};
      claims.push_back({transpose, nullptr, {{&transpose.getXMutable(), whole}}});
      continue;
    }
    claimFlattened(transpose, claims);
    claimUnflattened(transpose, isPointwise, claims);
  }
  return claims;
}

void TransposeClaim::apply() {
  auto op = cast<TransposeOp>(transpose);
  if (!flat && !needs.empty() && needs.front().first == &op.getXMutable()) {
    op.replaceAllUsesWith(op.getX());
    return op.erase();
  }
  Operation *at = flat ? flat->getOwner() : transpose;
  Value from = flat ? op.getX() : op.getX().getDefiningOp<ReshapeOp>().getX();
  OpBuilder builder(at);
  GradBuilder b(builder, at);
  if (flat)
    flat->set(b.reshape(from, flat->get().getType()));
  else
    op.replaceAllUsesWith(b.reshape(from, op.getType()));
}
