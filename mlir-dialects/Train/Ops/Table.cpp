// Rows of tables, by number: types, verifiers, adjoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static LogicalResult inferGather(std::optional<Location> loc, Type table, Type index,
                                 SmallVectorImpl<Type> &types) {
  auto rows = tensorOf(table), at = tensorOf(index);
  if (!rows || !at || rows.getRank() < 1 || rows.getDimSize(0) < 1)
    return emitOptionalError(loc, "expected a table of at least one row, but got ", table);
  SmallVector<int64_t> shape(at.getShape());
  llvm::append_range(shape, rows.getShape().drop_front());
  types.push_back(rows.clone(shape));
  return success();
}
LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  return inferGather(loc, a.getTable().getType(), a.getIndex().getType(), types);
}
LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                            SmallVectorImpl<Type> &types) {
  return inferGather(loc, a.getTable().getType(), a.getIndex().getType(), types);
}

std::optional<Fans> GatherOp::getFans(unsigned operand) {
  return fansOfTable(operand, getTable().getType());
}
std::optional<Fans> EmbeddingOp::getFans(unsigned operand) {
  return fansOfTable(operand, getTable().getType());
}

void GatherOp::setStartIndices(Value index) { setStart(*this, index); }
void EmbeddingOp::setStartIndices(Value index) { setStart(*this, index); }

bool GatherOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getTable()); }

LogicalResult ScatterAddOp::verify() {
  SmallVector<Type> types;
  if (failed(inferGather(getLoc(), getType(), getIndex().getType(), types)))
    return failure();
  if (types[0] != getUpdates().getType())
    return emitOpError() << "expected updates of type " << types[0] << ", but got "
                         << getUpdates().getType();
  return success();
}

SmallVector<Value> ScatterAddOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value rows = b.op<GatherOp>(cotangents[0], getIndex(), IntegerAttr());
  if (auto padding = getPadding()) {
    SmallVector<int64_t> shape(getIndex().getType().getShape());
    shape.resize(getUpdates().getType().getRank(), 1);
    Value index = b.reshape(getIndex(), RankedTensorType::get(shape, b.builder.getI32Type()));
    Value skipped = b.compare(ComparePredicate::eq, index, b.real(double(*padding), index));
    rows = b.select(skipped, b.real(0.0, rows), rows);
  }
  return {rows, Value()};
}

LogicalResult SegmentSumOp::verify() {
  auto index = getIndex().getType(), updates = getUpdates().getType();
  SmallVector<int64_t> shape(updates.getShape());
  int64_t count = index.getNumElements();
  if (getOf() < 1)
    return emitOpError() << "expected a table of at least one row, but got " << getOf();
  if (updates.getShape().take_front(index.getRank()) != index.getShape())
    return emitOpError() << "expected an update per index of " << index << ", but got " << updates;
  shape.erase(shape.begin(), shape.begin() + index.getRank());
  shape.insert(shape.begin(), std::min(count, getOf()));
  if (getSums().getType().getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expected sums of shape [" << shape << "], but got "
                         << getSums().getType();
  if (getRows().getType() != index.clone({shape[0]}))
    return emitOpError() << "expected rows of type " << index.clone({shape[0]}) << ", but got "
                         << getRows().getType();
  return success();
}

LogicalResult ScatterRowsOp::verify() {
  SmallVector<Type> types;
  if (failed(inferGather(getLoc(), getTable().getType(), getIndex().getType(), types)))
    return failure();
  if (types[0] != getRows().getType())
    return emitOpError() << "expected rows of type " << types[0] << ", but got "
                         << getRows().getType();
  return success();
}

LogicalResult EmbeddingOp::verify() {
  if (getTable().getType().getRank() != 2)
    return emitOpError() << "expected a table of vectors, but got " << getTable().getType();
  return success();
}

bool EmbeddingOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getTable()); }

SmallVector<Value> EmbeddingOp::decompose(GradBuilder &b) {
  return {b.op<GatherOp>(getTable(), getIndex(), getPaddingAttr(), getFromEnd())};
}
