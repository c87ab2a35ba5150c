// Affine maps as strides, and iteration domains with as few dimensions as possible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/IterationSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

static void addTo(Access &access, AffineExpr expr, int64_t factor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.constant += constant.getValue() * factor;
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.strides[dim.getPosition()] += factor;
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (binary.getKind() == AffineExprKind::Add) {
    addTo(access, binary.getLHS(), factor);
    addTo(access, binary.getRHS(), factor);
    return;
  }
  if (auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
      by && binary.getKind() == AffineExprKind::Mul) {
    addTo(access, binary.getLHS(), factor * by.getValue());
    return;
  }
  AffineExpr rest = expr * factor;
  access.residue = access.residue ? access.residue + rest : rest;
}

Access Access::of(AffineMap map, ArrayRef<int64_t> shape) {
  Access access;
  access.strides.assign(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; stride *= shape[i--])
    addTo(access, map.getResult(i), stride);
  return access;
}
bool Access::dependsOn(unsigned dim) const {
  return strides[dim] || (residue && residue.isFunctionOfDim(dim));
}
std::optional<int64_t> Access::strideAlong(unsigned dim) const {
  if (residue && residue.isFunctionOfDim(dim))
    return std::nullopt;
  return strides[dim];
}

IterationSpace IterationSpace::of(FusedKernelOpInterface op) {
  IterationSpace space;
  space.sizes = llvm::to_vector(op.getSpace());
  auto add = [](SmallVector<Access> &list, Type type, Attribute map) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    list.push_back(Access::of(cast<AffineMapAttr>(map).getValue(), shape));
  };
  OperandRange inputs = op.getInputsMutable();
  for (auto [input, map] : llvm::zip(inputs, op.getInputMaps()))
    add(space.inputs, input.getType(), map);
  for (auto [type, map] : llvm::zip(op->getResultTypes(), op.getResultMaps()))
    add(space.results, type, map);
  return space;
}

/// Whether the dimensions (dim, dim + 1) are contiguous in all accesses, `[4, 6]` as `[24]`.
static bool canMerge(const IterationSpace &space, unsigned dim) {
  auto fits = [&](const Access &access) {
    if (access.residue)
      return false;
    return access.strides[dim] == access.strides[dim + 1] * space.sizes[dim + 1];
  };
  return llvm::all_of(space.inputs, fits) && llvm::all_of(space.results, fits);
}

void IterationSpace::collapse(bool keepLast) {
  auto drop = [&](unsigned dim) {
    sizes.erase(sizes.begin() + dim);
    for (SmallVector<Access> *list : {&inputs, &results})
      for (Access &access : *list) {
        access.strides.erase(access.strides.begin() + dim);
        if (access.residue) { // the dropped dimension is always 0
          MLIRContext *context = access.residue.getContext();
          SmallVector<AffineExpr> dims;
          for (unsigned i = 0, n = sizes.size() + 1; i < n; ++i)
            dims.push_back(i == dim ? getAffineConstantExpr(0, context)
                                    : getAffineDimExpr(i - (i > dim), context));
          access.residue = access.residue.replaceDims(dims);
        }
      }
  };
  for (unsigned dim = sizes.size() - unsigned(keepLast && !sizes.empty()); dim-- > 0;)
    if (sizes[dim] == 1 && sizes.size() > 1)
      drop(dim);
  unsigned fixed = keepLast ? 1 : 0;
  for (int64_t dim = int64_t(sizes.size()) - 2 - fixed; dim >= 0; --dim)
    if (canMerge(*this, dim)) {
      sizes[dim + 1] *= sizes[dim];
      drop(dim);
    }
  if (sizes.empty()) { // a single point
    sizes.push_back(1);
    for (SmallVector<Access> *list : {&inputs, &results})
      for (Access &access : *list)
        access.strides.push_back(0);
  }
}

int64_t IterationSpace::count(unsigned from, unsigned to) const {
  int64_t product = 1;
  for (unsigned dim = from; dim < to; ++dim)
    product *= sizes[dim];
  return product;
}
SmallVector<Value> IterationSpace::delinearize(LoopEmitter &e, Value number, unsigned split) const {
  SmallVector<Value> dims(split);
  for (unsigned dim = split; dim-- > 0;) {
    dims[dim] = dim ? e.rem(number, sizes[dim]) : number;
    number = e.div(number, sizes[dim]);
  }
  return dims;
}

// Terms of an affine sum may be negative although the sum is not, so division rounds down and mod
// is not negative.
static Value expression(LoopEmitter &e, AffineExpr expr, ArrayRef<Value> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return e.index(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value x = expression(e, binary.getLHS(), dims), y = expression(e, binary.getRHS(), dims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return e.add(x, y);
  case AffineExprKind::Mul:
    return e.b.createOrFold<arith::MulIOp>(e.loc, x, y);
  case AffineExprKind::FloorDiv:
    return e.b.createOrFold<arith::FloorDivSIOp>(e.loc, x, y);
  case AffineExprKind::CeilDiv:
    return e.b.createOrFold<arith::CeilDivSIOp>(e.loc, x, y);
  default: { // mod
    Value quotient = e.b.createOrFold<arith::FloorDivSIOp>(e.loc, x, y);
    return e.sub(x, e.b.createOrFold<arith::MulIOp>(e.loc, quotient, y));
  }
  }
}
Value target::position(LoopEmitter &e, const Access &access, ArrayRef<Value> dims) {
  Value sum;
  auto include = [&](Value term) { sum = sum ? e.add(sum, term) : term; };
  for (auto [dim, stride] : llvm::enumerate(access.strides))
    if (stride)
      include(e.mul(dims[dim], stride));
  if (access.residue)
    include(expression(e, access.residue, dims));
  if (access.constant || !sum)
    include(e.index(access.constant));
  return sum;
}
