// Composite data-movement ops: types, verifiers, decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

LogicalResult ReverseOp::verify() {
  auto type = tensorOf(getX());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (dim < 0 || dim >= type.getRank() || (i && getDims()[i - 1] >= dim))
      return emitOpError() << "expected ascending dimensions of " << type << ", but got ["
                           << getDims() << "]";
  for (int64_t dim : getDims())
    if (type.getDimSize(dim) > std::numeric_limits<int32_t>::max())
      return emitOpError() << "expected dimensions of less than 2^31, but got " << type;
  return success();
}

bool ReverseOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }

SmallVector<Value> ReverseOp::decompose(GradBuilder &b) {
  Value x = getX();
  for (int64_t dim : getDims())
    x = takeAlong(b, x, dim,
                  llvm::to_vector(llvm::reverse(llvm::seq<int32_t>(tensorOf(x).getDimSize(dim)))));
  return {x};
}

LogicalResult RollOp::verify() { return verifyDimension(*this, getX().getType(), getDim()); }

bool RollOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

SmallVector<Value> RollOp::decompose(GradBuilder &b) {
  auto type = tensorOf(getX());
  int64_t size = type.getDimSize(getDim()), shift = (getShift() % size + size) % size;
  if (shift == 0)
    return {getX()};
  SmallVector<int64_t> from(type.getRank(), 0), ones(type.getRank(), 1), first(type.getShape()),
      second(first);
  first[getDim()] = shift;
  second[getDim()] = size - shift;
  Value end = b.op<SliceOp>(getX(), from, second, ones);
  from[getDim()] = size - shift;
  Value start = b.op<SliceOp>(getX(), from, first, ones);
  return {b.op<ConcatOp>(ValueRange{start, end}, getDim())};
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                       SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  ArrayRef<int64_t> times = a.getTimes();
  auto type = tensorOf(x);
  if (!type || !areAll(times, type.getRank(), 1))
    return emitOptionalError(loc, "expected a positive number per dimension of ", x, ", but got [",
                             times, "]");
  SmallVector<int64_t> shape;
  for (auto [size, number] : llvm::zip(type.getShape(), times)) {
    auto all = productOf(size, number);
    if (!all)
      return emitOptionalError(loc, "expected sizes of 64 bits, but got ", number, " times ", size);
    shape.push_back(*all);
  }
  types.push_back(type.clone(shape));
  return success();
}

bool TileOp::keepsLeadingDimension(IsBatched) { return getTimes()[0] == 1; }

// [n, d] as [1, n, 1, d] is broadcast to [times, n, times, d].
SmallVector<Value> TileOp::decompose(GradBuilder &b) {
  auto type = tensorOf(getX());
  SmallVector<int64_t> apart, wide;
  for (auto [size, number] : llvm::zip(type.getShape(), getTimes())) {
    apart.append({1, size});
    wide.append({number, size});
  }
  Value x = b.reshape(getX(), type.clone(apart));
  return {b.reshape(b.broadcastTo(x, type.clone(wide)), getType())};
}

LogicalResult TriluOp::verify() {
  if (tensorOf(getX()).getRank() < 2)
    return emitOpError() << "expected matrices, but got " << getX().getType();
  return success();
}

bool TriluOp::keepsLeadingDimension(IsBatched) { return tensorOf(getX()).getRank() > 2; }

SmallVector<Value> TriluOp::decompose(GradBuilder &b) {
  ArrayRef<int64_t> shape = tensorOf(getX()).getShape().take_back(2);
  auto matrix = RankedTensorType::get(shape, b.builder.getI32Type());
  int64_t diagonal = std::clamp(getDiagonal(), -shape[0], shape[1]);
  Value row = b.op<IotaOp>(matrix, 0), column = b.op<IotaOp>(matrix, 1);
  Value end = b.add(row, b.real(double(diagonal), row));
  auto order = getUpper() ? ComparePredicate::ge : ComparePredicate::le;
  return {b.select(b.compare(order, column, end), getX(), b.real(0.0, getX()))};
}
