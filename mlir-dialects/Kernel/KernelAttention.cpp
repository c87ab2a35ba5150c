// Verifiers of attention and its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Constraints.h"
#include "mlir-dialects/Kernel/LinearMap.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

/// Sizes behind the batch dimensions: [row, column] of a tensor, [2, query] of a logsumexp.
using Extents = SmallVector<int64_t, 2>;

/// Checks the indexing map of a tensor or result.
template <typename Op>
static LogicalResult verifyAccess(Op op, Type type, Attribute attr, const Extents &extents) {
  AffineMap map = cast<AffineMapAttr>(attr).getValue();
  SmallVector<int64_t> space(op.getBatch());
  llvm::append_range(space, extents);
  if (map.getNumDims() != space.size() || map.getNumSymbols() ||
      map.getNumResults() != unsigned(tensorOf(type).getRank()) || !isLinear(map)) // 3.
    return op.emitOpError() << "expected a linear map from " << space.size() << " dimensions to "
                            << type << ", but got " << attr;
  if (!staysInside(map, space, tensorOf(type).getShape())) // 4.
    return op.emitOpError() << "expected a map that stays inside " << type << " over [" << space
                            << "], but got " << attr;
  return success();
}

/// Rejects results whose batch entries overlap: entries of the batch run in any order.
template <typename Op>
static LogicalResult verifyPlaces(Op op, Type type, Attribute attr, const Extents &extents) {
  AffineMap map = cast<AffineMapAttr>(attr).getValue();
  SmallVector<int64_t> space(op.getBatch());
  llvm::append_range(space, extents);
  LinearForm place = *LinearForm::of(map, tensorOf(type).getShape());
  bool usesAll = llvm::all_of(llvm::zip(place.factors, space),
                              [](auto dim) { return std::get<0>(dim) || std::get<1>(dim) == 1; });
  if (!usesAll || !place.isOneToOne(space)) // 6.
    return op.emitOpError() << "expected an injective map into " << type << ", but got " << attr;
  return success();
}

/// Checks the constraints of attention and its gradient.
template <typename Op>
static LogicalResult verifyAttention(Op op, ArrayRef<Extents> operands, ArrayRef<Extents> results) {
  auto isSize = [](int64_t size) { return size > 0; };
  if (!llvm::all_of(op.getBatch(), isSize) || op.getQueries() < 1 || op.getKeys() < 1 ||
      op.getWidth() < 1) // 1.
    return op.emitOpError() << "expected sizes of at least 1, but got a batch of [" << op.getBatch()
                            << "], " << op.getQueries() << " queries, " << op.getKeys()
                            << " keys and a width of " << op.getWidth();
  if (op.getTensors().size() != operands.size() || op.getOperandMaps().size() != operands.size() ||
      op.getResultMaps().size() != op.getOuts().size()) // 2.
    return op.emitOpError() << "expected " << operands.size()
                            << " tensors and one map per tensor and result, but got "
                            << op.getTensors().size() << " tensors, " << op.getOperandMaps().size()
                            << " and " << op.getResultMaps().size() << " maps";
  for (auto [tensor, map, extents] : llvm::zip(op.getTensors(), op.getOperandMaps(), operands))
    if (failed(verifyAccess(op, tensor.getType(), map, extents)))
      return failure();
  for (auto [type, map, extents] : llvm::zip(op->getResultTypes(), op.getResultMaps(), results))
    if (failed(verifyAccess(op, type, map, extents)) ||
        failed(verifyPlaces(op, type, map, extents)))
      return failure();
  if (failed(verifyRealSums(op, op->getOperandTypes(), op.getAcc())) ||
      failed(verifyRealSums(op, op->getResultTypes(), op.getAcc()))) // 5.
    return failure();
  return success();
}

LogicalResult AttentionOp::verify() {
  if (getOuts().empty() || getOuts().size() > 2) // 7.
    return emitOpError() << "expected one or two results, but got " << getOuts().size();
  if (getOuts().size() == 2 && tensorOf(getOuts()[1]).getElementType() != getAcc()) // 8.
    return emitOpError() << "expected a logsumexp in " << getAcc() << ", but got "
                         << getOuts()[1].getType();
  if (getPlan() && getPlan()->getTiles().size() > 1) // 9.
    return emitOpError() << "expected a plan of one tile, but got " << *getPlan();
  Extents query{getQueries(), getWidth()}, key{getKeys(), getWidth()}, lse{2, getQueries()};
  SmallVector<Extents> operands{query, key, key};
  if (getBiased())
    operands.push_back({getQueries(), getKeys()});
  return verifyAttention(*this, operands, {query, lse});
}

LogicalResult AttentionGradOp::verify() {
  if (getOuts().size() != 3 && !(getOuts().size() == 4 && getBiased())) // 7.
    return emitOpError() << "expected three results, and a fourth only with a bias, but got "
                         << getOuts().size();
  size_t tiles = getPlan() ? getPlan()->getTiles().size() : 0;
  if (tiles == 1 || tiles > 3) // 8.
    return emitOpError() << "expected a plan of two or three tiles, but got " << *getPlan();
  Extents query{getQueries(), getWidth()}, key{getKeys(), getWidth()}, lse{2, getQueries()},
      score{getQueries(), getKeys()};
  SmallVector<Extents> operands{query, key, key};
  if (getBiased())
    operands.push_back(score);
  operands.append({query, lse, query});
  return verifyAttention(*this, operands, {query, key, key, score});
}
