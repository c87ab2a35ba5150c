// Numpy broadcasting: result types and indexing maps, e.g. [4, 1] with [3] -> [4, 3].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Broadcast.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;

LogicalResult ampc::broadcastShapes(std::optional<Location> loc, RankedTensorType a,
                                    RankedTensorType b, SmallVectorImpl<int64_t> &shape) {
  shape.assign(std::max(a.getRank(), b.getRank()), 1);
  for (int64_t i = 1, e = shape.size(); i <= e; ++i) {
    int64_t x = i <= a.getRank() ? a.getShape()[a.getRank() - i] : 1;
    int64_t y = i <= b.getRank() ? b.getShape()[b.getRank() - i] : 1;
    if (x != y && x != 1 && y != 1)
      return emitOptionalError(loc, "expected shapes that broadcast, but got ", a, " and ", b);
    shape[e - i] = x == 1 ? y : x;
  }
  return success();
}

LogicalResult ampc::inferBroadcast(std::optional<Location> loc, Type a, Type b,
                                   SmallVectorImpl<Type> &types) {
  auto ta = tensorOf(a), tb = tensorOf(b);
  if (!ta || !tb || ta.getElementType() != tb.getElementType())
    return emitOptionalError(loc, "expected operands of one element type, but got ", a, " and ", b);
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(loc, ta, tb, shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, ta.getElementType()));
  return success();
}

AffineMap ampc::broadcastMap(Type type, ArrayRef<int64_t> space) {
  ArrayRef<int64_t> shape = tensorOf(type).getShape();
  unsigned offset = space.size() - shape.size();
  SmallVector<AffineExpr> exprs;
  for (auto [i, size] : llvm::enumerate(shape))
    exprs.push_back(size == 1 && space[offset + i] != 1
                        ? getAffineConstantExpr(0, type.getContext())
                        : getAffineDimExpr(offset + i, type.getContext()));
  return AffineMap::get(space.size(), 0, exprs, type.getContext());
}

// getMajorSubMap(0) would be a null map.
AffineMap ampc::rowMap(unsigned rank, MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i + 1 < rank; ++i)
    exprs.push_back(getAffineDimExpr(i, context));
  return AffineMap::get(rank, 0, exprs, context);
}
