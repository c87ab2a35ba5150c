// Iteration domains of kernels and indexing maps over the domains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ampc;

SmallVector<AffineMap> ampc::mapsOf(ArrayAttr maps) {
  return llvm::map_to_vector(maps,
                             [](Attribute map) { return cast<AffineMapAttr>(map).getValue(); });
}

int64_t ampc::elements(ArrayRef<int64_t> space) {
  return std::accumulate(space.begin(), space.end(), int64_t(1), std::multiplies<>());
}

AffineMap ampc::composed(AffineMap map, AffineMap via) {
  return via.isIdentity() ? map : map.compose(via);
}

AffineMap ampc::normalized(AffineMap map, ArrayRef<int64_t> space) {
  if (!llvm::is_contained(space, 1) && map.getNumDims() == space.size())
    return map;
  SmallVector<AffineExpr> dims;
  for (auto [i, size] : llvm::enumerate(space))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, map.getContext())
                             : getAffineDimExpr(i, map.getContext()));
  return map.replaceDimsAndSymbols(dims, {}, space.size(), 0);
}

bool ampc::isIdentityOn(AffineMap map, ArrayRef<int64_t> space) {
  return map.getNumResults() == space.size() &&
         normalized(map, space) ==
             normalized(AffineMap::getMultiDimIdentityMap(space.size(), map.getContext()), space);
}

AffineMap ampc::inverseOf(AffineMap map, ArrayRef<int64_t> space, ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> point(space.size());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (shape[i] == 1)
      continue;
    if (!dim || point[dim.getPosition()] || space[dim.getPosition()] != shape[i])
      return {};
    point[dim.getPosition()] = getAffineDimExpr(i, map.getContext());
  }
  for (auto [i, size] : llvm::enumerate(space)) {
    if (size == 1)
      point[i] = getAffineConstantExpr(0, map.getContext());
    else if (!point[i])
      return {};
  }
  return AffineMap::get(shape.size(), 0, point, map.getContext());
}

AffineMap ampc::unitReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to, MLIRContext *context) {
  auto sized = [](ArrayRef<int64_t> sizes) {
    return llvm::filter_to_vector(sizes, [](int64_t size) { return size != 1; });
  };
  if (sized(from) != sized(to))
    return {};
  SmallVector<AffineExpr> dims, exprs;
  for (auto [i, size] : llvm::enumerate(from))
    if (size != 1)
      dims.push_back(getAffineDimExpr(i, context));
  auto next = dims.begin();
  for (int64_t size : to)
    exprs.push_back(size == 1 ? getAffineConstantExpr(0, context) : *next++);
  return AffineMap::get(from.size(), 0, exprs, context);
}

template <typename... Ops> static bool hasOps(FusedKernelOpInterface op) {
  return llvm::any_of(op.getBody().front(), [](Operation &inner) { return isa<Ops...>(inner); });
}
bool ampc::hasRowOps(FusedKernelOpInterface op) {
  return hasOps<kernel::RowReduceOp, kernel::RowIndexOp>(op);
}
bool ampc::usesLinearIndex(FusedKernelOpInterface op) { return hasOps<kernel::LinearIndexOp>(op); }
bool ampc::isPointwise(Operation *op) {
  auto map = dyn_cast_or_null<kernel::MapOp>(op);
  return map && !hasRowOps(map);
}

namespace {
/// Reshape of an iteration domain: groups of dimensions with equal product, of which the old or the
/// new side is a single dimension. Dimensions of size 1 belong to no group. Example: [6, 4] -> [24]
/// is a single group.
class DomainReshape {
public:
  DomainReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to)
      : from(from), to(to), groupOf(from.size(), -1) {
    valid = build();
  }
  bool isValid() const { return valid; }
  /// Computes shape and indexing map of a tensor for the new domain, behind a view. False if the
  /// map splits a group.
  bool apply(AffineMap map, ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &newShape,
             AffineMap &newMap) const;

private:
  struct Group {
    SmallVector<unsigned> old, now;
  };
  bool build();
  ArrayRef<int64_t> from, to;
  SmallVector<Group> groups;
  SmallVector<int> groupOf;
  bool valid;
};
} // namespace

bool DomainReshape::build() {
  size_t i = 0, j = 0;
  auto skipOnes = [](ArrayRef<int64_t> sizes, size_t &k) {
    while (k < sizes.size() && sizes[k] == 1)
      ++k;
    return k < sizes.size();
  };
  while (true) {
    bool moreFrom = skipOnes(from, i), moreTo = skipOnes(to, j);
    if (!moreFrom && !moreTo)
      break;
    if (i == from.size() || j == to.size())
      return false;
    Group group;
    int64_t old = 1, now = 1;
    auto take = [](ArrayRef<int64_t> sizes, size_t &k, int64_t &size,
                   SmallVectorImpl<unsigned> &dims) {
      size *= sizes[k];
      if (sizes[k] != 1)
        dims.push_back(k);
      ++k;
    };
    take(from, i, old, group.old);
    take(to, j, now, group.now);
    while (old != now) {
      if (old < now ? i == from.size() : j == to.size())
        return false;
      old < now ? take(from, i, old, group.old) : take(to, j, now, group.now);
    }
    if (group.old.size() > 1 && group.now.size() > 1)
      return false;
    for (unsigned dim : group.old)
      groupOf[dim] = groups.size();
    groups.push_back(group);
  }
  return true;
}

bool DomainReshape::apply(AffineMap map, ArrayRef<int64_t> shape,
                          SmallVectorImpl<int64_t> &newShape, AffineMap &newMap) const {
  MLIRContext *context = map.getContext();
  map = normalized(map, from);
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < shape.size(); ++i) {
    AffineExpr expr = map.getResult(i);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || (groups[groupOf[dim.getPosition()]].old.size() == 1 &&
                 groups[groupOf[dim.getPosition()]].now.size() == 1)) {
      SmallVector<AffineExpr> renamed(from.size(), getAffineConstantExpr(0, context));
      for (auto [d, group] : llvm::enumerate(groupOf)) {
        bool single = group >= 0 && groups[group].old.size() == 1 && groups[group].now.size() == 1;
        if (!single && expr.isFunctionOfDim(d))
          return false;
        if (single)
          renamed[d] = getAffineDimExpr(groups[group].now[0], context);
      }
      exprs.push_back(expr.replaceDims(renamed));
      newShape.push_back(shape[i]);
      continue;
    }
    // A tensor has all dimensions of a group, in order, or none.
    const Group &group = groups[groupOf[dim.getPosition()]];
    for (unsigned part : llvm::seq<unsigned>(0, group.old.size()))
      if (i + part >= shape.size() ||
          map.getResult(i + part) != getAffineDimExpr(group.old[part], context) ||
          shape[i + part] != from[group.old[part]])
        return false;
    for (unsigned part : group.now) {
      exprs.push_back(getAffineDimExpr(part, context));
      newShape.push_back(to[part]);
    }
    i += group.old.size() - 1;
  }
  newMap = AffineMap::get(to.size(), 0, exprs, context);
  return true;
}

/// View of `value`, looking through other views.
static Value viewOf(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  value = kernel::throughViews(value);
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return type == value.getType() ? value
                                 : kernel::ViewOp::create(builder, value.getLoc(), type, value);
}

Value ampc::createPointwise(OpBuilder &builder, Location loc, RankedTensorType type,
                            ValueRange inputs, llvm::function_ref<Value(ValueRange)> body) {
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(inputs.size(), all);
  auto map = kernel::MapOp::create(builder, loc, TypeRange{type}, inputs, type.getShape(),
                                   builder.getAffineMapArrayAttr(maps),
                                   builder.getAffineMapArrayAttr(all));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&map.getBody());
  for (Value input : inputs)
    block->addArgument(getElementTypeOrSelf(input), loc);
  kernel::YieldOp::create(builder, loc, body(block->getArguments()));
  return map->getResult(0);
}

kernel::MapOp ampc::reshapeDomain(BlockRewriter &rewriter, kernel::MapOp op,
                                  ArrayRef<int64_t> space) {
  ArrayRef<int64_t> old = op.getSpace();
  if (old == space)
    return op;
  if (hasRowOps(op) && (space.empty() || old.empty() || old.back() != space.back()))
    return {};
  DomainReshape regrouping(old, space);
  if (!regrouping.isValid())
    return {};
  SmallVector<AffineMap> inputMaps(op.getInputs().size()), resultMaps(op->getNumResults());
  SmallVector<SmallVector<int64_t>> inputShapes(inputMaps.size()), resultShapes(resultMaps.size());
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (!regrouping.apply(mapAt(op.getInputMaps(), i), shapeOf(input), inputShapes[i],
                          inputMaps[i]))
      return {};
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!regrouping.apply(mapAt(op.getResultMaps(), i), shapeOf(result), resultShapes[i],
                          resultMaps[i]))
      return {};
  OpBuilder builder(op);
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (auto [input, shape] : llvm::zip(op.getInputs(), inputShapes))
    inputs.push_back(viewOf(builder, input, shape));
  for (auto [result, shape] : llvm::zip(op.getResults(), resultShapes))
    types.push_back(cast<RankedTensorType>(result.getType()).clone(shape));
  auto now = kernel::MapOp::create(builder, op.getLoc(), types, inputs, space,
                                   builder.getAffineMapArrayAttr(inputMaps),
                                   builder.getAffineMapArrayAttr(resultMaps));
  now->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  now.getBody().takeBody(op.getBody());
  for (auto [from, to] : llvm::zip(op.getResults(), now.getResults())) {
    for (Operation *user : llvm::make_early_inc_range(from.getUsers()))
      if (auto view = dyn_cast<kernel::ViewOp>(user); view && view.getType() == to.getType()) {
        view.replaceAllUsesWith(to);
        rewriter.eraseOp(view);
      }
    if (!from.use_empty())
      from.replaceAllUsesWith(viewOf(builder, to, shapeOf(from)));
  }
  rewriter.eraseOp(op);
  return now;
}

int64_t ampc::inputNumber(OpOperand &use) {
  auto consumer = cast<FusedKernelOpInterface>(use.getOwner());
  return int64_t(use.getOperandNumber()) -
         int64_t(consumer->getNumOperands() - consumer.getInputMaps().size());
}

bool ampc::isReadElementwise(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto view = dyn_cast<kernel::ViewOp>(use.getOwner()))
      return isReadElementwise(view.getResult());
    return isa<FusedKernelOpInterface>(use.getOwner()) && inputNumber(use) >= 0;
  });
}

bool ampc::isSum(Operation *op) {
  auto fused = dyn_cast<FusedKernelOpInterface>(op);
  if (!fused ||
      !llvm::all_of(op->getResults(), [](Value result) { return elements(shapeOf(result)) == 1; }))
    return false;
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
    return reduce.getKind() == kernel::Combine::sum;
  return llvm::any_of(fused.getBody().front(), [](Operation &inner) {
    auto total = dyn_cast<kernel::RowReduceOp>(inner);
    return total && total.getKind() == kernel::Combine::sum;
  });
}

/// Op that computes the loss of the program; null for programs without a loss.
static Operation *findLoss(kernel::ProgramOp program) {
  for (OpOperand &returned : program.getBody().front().getTerminator()->getOpOperands())
    if (Signature(program).isOutput(returned.getOperandNumber(), train::Output::Loss))
      return returned.get().getDefiningOp();
  return nullptr;
}

bool ampc::leadsToLoss(BlockRewriter &order, Operation *op) {
  auto program = dyn_cast<kernel::ProgramOp>(op->getParentOp());
  Operation *loss = program ? findLoss(program) : nullptr;
  if (!loss)
    return false;
  // Ops behind the loss cannot lead to the loss, and most of a step is behind the loss.
  SetVector<Operation *> consumers;
  consumers.insert(op);
  for (unsigned i = 0; i < consumers.size(); ++i) {
    if (consumers[i] == loss)
      return true;
    if (order.isBefore(consumers[i], loss))
      consumers.insert(consumers[i]->user_begin(), consumers[i]->user_end());
  }
  return false;
}

/// Whether the bits of a sum of `term` may depend on the order. Integer counts are exact, and the
/// order of f64 sums disappears in the rounding to a narrower gradient type.
static bool showsOrder(Value term, Type gradient) {
  return isa<FloatType>(term.getType()) && (!term.getType().isF64() || gradient.isF64());
}

std::optional<GradientReduction> GradientReduction::of(BlockRewriter &order, Operation *op) {
  std::optional<GradientReduction> sum = inAnyOrder(order, op);
  if (!sum)
    return {};
  Type gradient = getElementTypeOrSelf(sum->gradient->get());
  auto shows = [&](Value term) { return showsOrder(term, gradient); };
  return llvm::any_of(sum->terms, shows) ? std::nullopt : sum;
}

std::optional<GradientReduction> GradientReduction::inAnyOrder(BlockRewriter &order,
                                                               Operation *op) {
  auto fused = dyn_cast<FusedKernelOpInterface>(op);
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  if (!fused || op->hasAttr("kernel.barrier") ||
      !(isa<kernel::MapOp>(op) || (reduce && reduce.getKind() == kernel::Combine::sum)))
    return {};
  auto isScalar = [](Value value) { return elements(shapeOf(value)) == 1; };
  if (!llvm::all_of(op->getResults(), isScalar) || usesLinearIndex(fused))
    return {};
  GradientReduction sum;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isScalar(operand.get()))
      continue;
    if (sum.gradient || elements(shapeOf(operand.get())) != elements(fused.getSpace()))
      return {};
    sum.gradient = &operand;
  }
  if (!sum.gradient)
    return {};
  Value gradient = kernel::throughViews(sum.gradient->get());
  auto source = gradient.getDefiningOp<KernelOpInterface>();
  if (!source || !source->hasAttr("kernel.barrier") ||
      !source.canFuseReductions(cast<OpResult>(gradient).getResultNumber()))
    return {};
  for (Value value : fused.getBody().front().getTerminator()->getOperands()) {
    if (!reduce) {
      auto total = value.getDefiningOp<kernel::RowReduceOp>();
      if (!total || total.getKind() != kernel::Combine::sum)
        return {};
      value = total.getX();
    }
    sum.terms.push_back(value);
  }
  // No op of the body may depend on the position in the row or on another sum.
  unsigned reductions = 0;
  for (Operation &inner : fused.getBody().front()) {
    reductions += isa<kernel::RowReduceOp>(inner);
    if (isa<kernel::RowIndexOp>(inner))
      return {};
  }
  if (reductions != (reduce ? 0 : sum.terms.size()) || leadsToLoss(order, op))
    return {};
  return sum;
}

/// Earliest kernel of a gradient whose sum reads results of `op`; null if there is none.
static Operation *earliestGradient(BlockRewriter &order, Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *gradient = nullptr;
    if (isa<kernel::ViewOp>(user))
      gradient = earliestGradient(order, user);
    else if (auto sum = GradientReduction::of(order, user);
             sum && sum->gradient->get().getDefiningOp() != op)
      gradient = kernel::throughViews(sum->gradient->get()).getDefiningOp();
    if (gradient && (!first || order.isBefore(gradient, first)))
      first = gradient;
  }
  return first;
}

/// Whether `op` depends on a sum over a gradient; all such sums stand behind `start`.
static bool dependsOnReduction(BlockRewriter &order, Operation *op, Operation *start) {
  SetVector<Operation *> sources;
  sources.insert(op);
  for (unsigned i = 0; i < sources.size(); ++i) {
    if (i && GradientReduction::of(order, sources[i]))
      return true;
    for (Value operand : sources[i]->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && order.isBefore(start, source))
        sources.insert(source);
  }
  return false;
}

bool ampc::delaysFusedReductions(BlockRewriter &order, Operation *first, Operation *second) {
  Operation *a = earliestGradient(order, first), *b = earliestGradient(order, second);
  return (a && dependsOnReduction(order, second, a)) || (b && dependsOnReduction(order, first, b));
}
