// Conversion of values from train to kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"
#include "mlir-dialects/Kernel/PositionOps.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

/// True if `map` walks the tensor in row-major order, that is, an identity apart from dimensions of
/// size 1.
static bool isRowMajor(AffineMap map, ArrayRef<int64_t> shape, RankedTensorType tensor) {
  SmallVector<unsigned> dims;
  for (auto [i, size] : llvm::enumerate(shape))
    if (size != 1)
      dims.push_back(i);
  auto next = dims.begin();
  for (auto [expr, size] : llvm::zip(map.getResults(), tensor.getShape())) {
    if (size == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || next == dims.end() || dim.getPosition() != *next || shape[*next] != size)
      return false;
    ++next;
  }
  return next == dims.end();
}

/// Map from indices of `to` to indices of `from` if `to` only splits dimensions; else null.
/// Example: [6] -> [2, 3] gives (d0, d1) -> (d0 * 3 + d1).
static AffineMap splitMap(ArrayRef<int64_t> from, ArrayRef<int64_t> to, MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  unsigned next = 0;
  for (int64_t size : from) {
    int64_t rest = size;
    AffineExpr expr = getAffineConstantExpr(0, context);
    while (rest > 1) {
      if (next == to.size() || to[next] == 0 || rest % to[next])
        return {};
      rest /= to[next];
      expr = expr + getAffineDimExpr(next++, context) * rest;
    }
    exprs.push_back(expr);
  }
  return AffineMap::get(to.size(), 0, exprs, context);
}

Access Converter::whole(Value tensor) {
  auto type = tensorOf(tensor);
  return {tensor, builder.getMultiDimIdentityMap(type.getRank()), {}, type};
}

Value Converter::view(Location loc, Value tensor, ArrayRef<int64_t> shape) {
  auto type = tensorOf(tensor).clone(shape);
  return tensor.getType() == type ? tensor
                                  : builder.createOrFold<kernel::ViewOp>(loc, type, tensor);
}

Value Converter::tensor(Value value) {
  Access given = access(value);
  Value result = tensor(value.getLoc(), given);
  if (auto copy = result.getDefiningOp<KernelOpInterface>(); copy && originsOf(copy).empty())
    setOrigins(copy, originsOf(value));
  values[value] = whole(result);
  if (given.literal) // stays a literal for consumers that read single elements
    values[value] = given;
  return result;
}

Value Converter::tensor(Location loc, Access access) {
  if (!access.literal && isRowMajor(access.map, access.type.getShape(), tensorOf(access.tensor)))
    return view(loc, access.tensor, access.type.getShape());
  return castTo(loc, access, access.type.getElementType());
}

Value Converter::castTo(Location loc, Access access, Type element) {
  RankedTensorType type = access.type.clone(element);
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  return map(loc, type, access, all, type.getShape(), all, copyElements)->getResult(0);
}

Access Converter::reshape(Location loc, Access access, ArrayRef<int64_t> shape) {
  auto type = access.type.clone(shape);
  if (access.literal)
    return {{}, {}, access.literal, type};
  auto sized = [](ArrayRef<int64_t> sizes) {
    return llvm::filter_to_vector(sizes, [](int64_t size) { return size != 1; });
  };
  if (sized(shape) != sized(access.type.getShape())) {
    AffineMap split = splitMap(access.type.getShape(), shape, builder.getContext());
    if (split && !isRowMajor(access.map, access.type.getShape(), tensorOf(access.tensor)))
      return {access.tensor, access.map.compose(split), {}, type};
    return whole(view(loc, tensor(loc, access), shape));
  }
  SmallVector<AffineExpr> kept, old;
  for (auto [i, size] : llvm::enumerate(shape))
    if (size != 1)
      kept.push_back(builder.getAffineDimExpr(i));
  auto next = kept.begin();
  for (int64_t size : access.type.getShape())
    old.push_back(size == 1 ? builder.getAffineConstantExpr(0) : *next++);
  AffineMap toOld = AffineMap::get(shape.size(), 0, old, builder.getContext());
  return {access.tensor, access.map.compose(toOld), {}, type};
}

Access Converter::projection(Location loc, Access access) {
  if (!access.literal) {
    SmallVector<AffineExpr> exprs;
    SmallVector<int64_t> shape;
    for (auto [expr, size] : llvm::zip(access.map.getResults(), tensorOf(access.tensor).getShape()))
      if (size != 1 || isa<AffineDimExpr>(expr)) {
        exprs.push_back(expr);
        shape.push_back(size);
      }
    AffineMap map = AffineMap::get(access.type.getRank(), 0, exprs, builder.getContext());
    if (map.isProjectedPermutation())
      return {view(loc, access.tensor, shape), map, {}, access.type};
  }
  return whole(tensor(loc, access));
}

/// Operands of a kernel under construction, with each pair of tensor and map once.
struct Converter::Inputs {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  SmallVector<int> argument; ///< per access: index of the tensor, or -1 for a literal
  ArrayRef<Access> accesses;

  Inputs(ArrayRef<Access> accesses, ArrayRef<AffineMap> given) : accesses(accesses) {
    for (auto [access, map] : llvm::zip(accesses, given)) {
      if (access.literal) {
        argument.push_back(-1);
        continue;
      }
      AffineMap composed = access.map.compose(map);
      unsigned i = 0;
      while (i < tensors.size() && (tensors[i] != access.tensor || maps[i] != composed))
        ++i;
      if (i == tensors.size()) {
        tensors.push_back(access.tensor);
        maps.push_back(composed);
      }
      argument.push_back(i);
    }
  }
};

Value ampc::widen(OpBuilder &builder, Value value) {
  Type type = computeType(value.getType());
  return type == value.getType() ? value
                                 : arith::ExtFOp::create(builder, value.getLoc(), type, value);
}

Type ampc::bodyType(TypeRange elements, MLIRContext *context) {
  Type widest;
  for (Type type : elements) {
    type = computeType(type);
    if (isa<FloatType>(type) &&
        (!widest || widest.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()))
      widest = type;
  }
  return widest ? widest : Float32Type::get(context);
}

/// A literal in the compute type of bodies; widening is exact.
static Value literalOf(OpBuilder &builder, Location loc, TypedAttr literal) {
  auto real = dyn_cast<FloatAttr>(literal);
  if (real && computeType(real.getType()) != real.getType())
    literal = builder.getFloatAttr(computeType(real.getType()), real.getValueAsDouble());
  return arith::ConstantOp::create(builder, loc, literal);
}

void Converter::addBody(Operation *op, const Inputs &inputs, int64_t rowLength, BodyBuilder build) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op->getLoc();
  Block *body = builder.createBlock(&op->getRegion(0));
  SmallVector<Value> wide, scalars;
  SmallVector<Type> elements;
  for (Value tensor : inputs.tensors)
    body->addArgument(getElementTypeOrSelf(tensor), loc);
  for (Value argument : body->getArguments())
    wide.push_back(widen(builder, argument));
  for (auto [access, argument] : llvm::zip(inputs.accesses, inputs.argument)) {
    elements.push_back(access.type.getElementType());
    scalars.push_back(argument < 0 ? literalOf(builder, loc, access.literal) : wide[argument]);
  }
  for (Type type : op->getResultTypes())
    elements.push_back(getElementTypeOrSelf(type));
  ScalarBuilder scalar(builder, loc, bodyType(elements, builder.getContext()),
                       kernel::positionOps());
  scalar.rowLength = rowLength;
  SmallVector<Value> results = build(scalar, scalars);
  for (auto [value, type] : llvm::zip(results, op->getResultTypes()))
    value = scalar.castTo(value, getElementTypeOrSelf(type));
  kernel::YieldOp::create(builder, loc, results);
}

kernel::MapOp Converter::createMap(Location loc, TypeRange types, const Inputs &inputs,
                                   ArrayRef<int64_t> space, ArrayRef<AffineMap> resultMaps) {
  return kernel::MapOp::create(builder, loc, types, inputs.tensors, space,
                               builder.getAffineMapArrayAttr(inputs.maps),
                               builder.getAffineMapArrayAttr(resultMaps));
}

Operation *Converter::map(Location loc, TypeRange types, ArrayRef<Access> accesses,
                          ArrayRef<AffineMap> maps, ArrayRef<int64_t> space,
                          ArrayRef<AffineMap> resultMaps, BodyBuilder build) {
  Inputs inputs(accesses, maps);
  kernel::MapOp op = createMap(loc, types, inputs, space, resultMaps);
  addBody(op, inputs, space.empty() ? 1 : space.back(), build);
  return op;
}

Operation *Converter::mapLike(kernel::MapOp like, Location loc, TypeRange types,
                              ArrayRef<Access> accesses, ArrayRef<AffineMap> maps,
                              ArrayRef<int64_t> space, ArrayRef<AffineMap> resultMaps) {
  Inputs inputs(accesses, maps);
  auto elements =
      llvm::map_range(inputs.tensors, [](Value v) { return tensorOf(v).getElementType(); });
  if (!llvm::equal(elements, like.getBody().getArgumentTypes()))
    return nullptr;
  kernel::MapOp op = createMap(loc, types, inputs, space, resultMaps);
  IRMapping mapping;
  like.getBody().cloneInto(&op.getBody(), mapping);
  return op;
}

Operation *Converter::reduce(Location loc, Type type, Access input, AffineMap map,
                             ArrayRef<int64_t> space, kernel::Combine combine) {
  Inputs inputs(input, map);
  AffineMap kept = AffineMap::get(3, 0, {builder.getAffineDimExpr(0), builder.getAffineDimExpr(2)},
                                  builder.getContext());
  auto op = kernel::ReduceOp::create(builder, loc, type, inputs.tensors, space,
                                     builder.getAffineMapArrayAttr(inputs.maps),
                                     builder.getAffineMapArrayAttr(kept), combine);
  addBody(op, inputs, space.back(), copyElements);
  return op;
}

void Converter::addPlainBody(Operation *op, TypeRange lead) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&op->getRegion(0));
  ScalarBuilder scalar(builder, op->getLoc(), lead.front(), kernel::positionOps());
  SmallVector<Value> results;
  for (auto [type, result] : llvm::zip(lead, op->getResults()))
    results.push_back(
        scalar.castTo(body->addArgument(type, op->getLoc()), getElementTypeOrSelf(result)));
  kernel::YieldOp::create(builder, op->getLoc(), results);
}
