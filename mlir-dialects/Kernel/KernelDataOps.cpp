// Verifiers of kernels that move data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// rows [n, width] numbered by index [n], of a table [m, width]
static LogicalResult verifyRows(Operation *op, RankedTensorType table, RankedTensorType index,
                                RankedTensorType rows) {
  if (table.getRank() != 2 || index.getRank() != 1 || !index.getElementType().isInteger(32) ||
      rows.getShape() != ArrayRef<int64_t>{index.getDimSize(0), table.getDimSize(1)})
    return op->emitOpError()
           << "expected a table [m, width], i32 indices [n] and rows [n, width], but got " << table
           << ", " << index << " and " << rows;
  return success();
}
LogicalResult GatherOp::verify() {
  if (tensorOf(getTable()).getElementType() != tensorOf(getResult()).getElementType())
    return emitOpError() << "expected elements of " << getTable().getType() << ", but got "
                         << getType();
  return verifyRows(*this, tensorOf(getTable()), tensorOf(getIndex()), tensorOf(getResult()));
}
LogicalResult ScatterAddOp::verify() {
  Type in = tensorOf(getUpdates()).getElementType(), acc = tensorOf(getResult()).getElementType();
  if (!isa<FloatType>(acc) ||
      acc.getIntOrFloatBitWidth() < std::max(32u, in.getIntOrFloatBitWidth()))
    return emitOpError() << "expected an accumulator of at least "
                         << (in.isF64() ? in : Float32Type::get(getContext())) << ", but got "
                         << acc;
  return verifyRows(*this, tensorOf(getResult()), tensorOf(getIndex()), tensorOf(getUpdates()));
}

LogicalResult GroupRowsOp::verify() {
  auto index = tensorOf(getIndex());
  int64_t count = index.getRank() == 1 ? index.getDimSize(0) : 0,
          rows = std::min<int64_t>(count, getOf());
  auto numbers = [&](int64_t size) { return index.clone({size}); };
  if (count < 1 || rows < 1 || !index.getElementType().isInteger(32) ||
      getRows().getType() != numbers(rows) || getOrder().getType() != numbers(count) ||
      getStarts().getType() != numbers(rows + 1))
    return emitOpError() << "expected i32 indices [n] of a table of m rows, and [min(n, m)], [n] "
                            "and [min(n, m) + 1] of them, but got "
                         << index << ", " << getOf() << " and " << getResultTypes();
  return success();
}

LogicalResult SumRowsOp::verify() {
  auto updates = tensorOf(getUpdates()), order = tensorOf(getOrder()),
       starts = tensorOf(getStarts()), sums = tensorOf(getResult());
  Type in = updates.getElementType(), acc = sums.getElementType();
  if (!isa<FloatType>(acc) ||
      acc.getIntOrFloatBitWidth() < std::max(32u, in.getIntOrFloatBitWidth()))
    return emitOpError() << "expected an accumulator of at least "
                         << (in.isF64() ? in : Float32Type::get(getContext())) << ", but got "
                         << acc;
  if (updates.getRank() != 2 || sums.getRank() != 2 || order.getRank() != 1 ||
      starts.getRank() != 1 || order.getDimSize(0) != updates.getDimSize(0) ||
      starts.getDimSize(0) != sums.getDimSize(0) + 1 ||
      sums.getDimSize(1) != updates.getDimSize(1) || !order.getElementType().isInteger(32) ||
      !starts.getElementType().isInteger(32))
    return emitOpError() << "expected updates [n, width], an order [n], starts [m + 1] and sums "
                            "[m, width], but got "
                         << updates << ", " << order << ", " << starts << " and " << sums;
  return success();
}

LogicalResult PutRowsOp::verify() {
  if (tensorOf(getTable()).getElementType() != tensorOf(getRows()).getElementType())
    return emitOpError() << "expected elements of " << getTable().getType() << ", but got "
                         << getRows().getType();
  return verifyRows(*this, tensorOf(getTable()), tensorOf(getIndex()), tensorOf(getRows()));
}
OpOperand *PutRowsOp::getOverwritten() { return &getTableMutable(); }

LogicalResult AssembleOp::verify() {
  auto type = tensorOf(getResult());
  size_t rank = type.getRank();
  if (getOffsets().size() != getParts().size() * rank ||
      getStrides().size() != getParts().size() * rank)
    return emitOpError() << "expected " << getParts().size() * rank
                         << " offsets and strides, but got " << getOffsets().size() << " and "
                         << getStrides().size();
  for (auto [i, part] : llvm::enumerate(getParts())) {
    if (tensorOf(part).getElementType() != type.getElementType() ||
        size_t(tensorOf(part).getRank()) != rank)
      return emitOpError() << "expected parts of rank " << rank << " and elements of " << type
                           << ", but got " << part.getType();
    for (size_t d = 0; d < rank; ++d) {
      int64_t offset = getOffsets()[i * rank + d], stride = getStrides()[i * rank + d];
      int64_t last = offset + (tensorOf(part).getDimSize(d) - 1) * stride;
      if (offset < 0 || stride < 1 || last >= type.getDimSize(d))
        return emitOpError() << "expected part " << i << " inside " << type
                             << ", but its last element in dimension " << d << " is " << last;
    }
  }
  return success();
}

LogicalResult PackOp::verify() {
  auto type = tensorOf(getResult());
  if (!packingOf(type) ||
      RankedTensorType::get(type.getShape(), type.getElementType()) != getX().getType())
    return emitOpError() << "expected " << getX().getType() << " with a packed encoding, but got "
                         << type;
  return success();
}

/// Windows of `image` must give `windows`; `where` belongs to a maximum.
template <typename Op>
static LogicalResult verifyWindows(Op op, RankedTensorType image, RankedTensorType windows,
                                   ValueRange where) {
  if (image.getRank() != 4 || windows.getRank() != 4 || op.getWindow().size() != 2 ||
      op.getStrides().size() != 2 || op.getPadding().size() != 4)
    return op.emitOpError("expected images NHWC, a window of 2, 2 strides and 4 paddings");
  SmallVector<int64_t> shape(image.getShape());
  for (int i : {0, 1})
    shape[1 + i] =
        (shape[1 + i] + op.getPadding()[2 * i] + op.getPadding()[2 * i + 1] - op.getWindow()[i]) /
            op.getStrides()[i] +
        1;
  if (ArrayRef<int64_t>(shape) != windows.getShape())
    return op.emitOpError() << "expected windows of shape [" << shape << "], but got " << windows;
  bool isMax = op.getKind() == Combine::max;
  if (op.getKind() == Combine::min || where.size() != size_t(isMax))
    return op.emitOpError("expected a maximum with the places of maxima, or a sum without");
  if (isMax && where[0].getType() != windows.clone(IntegerType::get(op.getContext(), 8)))
    return op.emitOpError() << "expected places in i8, but got " << where[0].getType();
  return success();
}
LogicalResult PoolOp::verify() {
  return verifyWindows(*this, tensorOf(getX()), tensorOf(getResult()), getWhere());
}
LogicalResult PoolGradOp::verify() {
  return verifyWindows(*this, tensorOf(getResult()), tensorOf(getG()), getWhere());
}

bool ScatterAddOp::canTotal(unsigned) { return true; }
bool SumRowsOp::canTotal(unsigned) { return true; }
