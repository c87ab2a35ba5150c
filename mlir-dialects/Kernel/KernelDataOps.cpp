// Verifiers of kernels that move data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Constraints.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

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
  if (failed(verifyRows(*this, tensorOf(getTable()), tensorOf(getIndex()),
                        tensorOf(getResult())))) // 1.
    return failure();
  if (tensorOf(getTable()).getElementType() != tensorOf(getResult()).getElementType()) // 2.
    return emitOpError() << "expected elements of " << getTable().getType() << ", but got "
                         << getType();
  return success();
}
LogicalResult ScatterAddOp::verify() {
  if (failed(verifyRealSums(*this, getUpdates().getType(),
                            tensorOf(getResult()).getElementType()))) // 2.
    return failure();
  return verifyRows(*this, tensorOf(getResult()), tensorOf(getIndex()),
                    tensorOf(getUpdates())); // 1.
}

LogicalResult SortByKeyOp::verify() {
  auto index = tensorOf(getIndex());
  int64_t count = index.getRank() == 1 ? index.getDimSize(0) : 0,
          rows = std::min<int64_t>(count, getOf());
  auto numbers = [&](int64_t size) { return index.clone({size}); };
  if (count < 1 || rows < 1 || !index.getElementType().isInteger(32) ||
      getRows().getType() != numbers(rows) || getOrder().getType() != numbers(count) ||
      getStarts().getType() != numbers(rows + 1)) // 1.
    return emitOpError() << "expected i32 indices [n] of a table of m rows, and i32 results "
                            "[min(n, m)], [n] and [min(n, m) + 1], but got "
                         << index << ", " << getOf() << " and " << getResultTypes();
  return success();
}

LogicalResult SegmentSumOp::verify() {
  auto updates = tensorOf(getUpdates()), order = tensorOf(getOrder()),
       starts = tensorOf(getStarts()), sums = tensorOf(getResult());
  if (failed(verifyRealSums(*this, updates, sums.getElementType()))) // 2.
    return failure();
  if (updates.getRank() != 2 || sums.getRank() != 2 || order.getRank() != 1 ||
      starts.getRank() != 1 || order.getDimSize(0) != updates.getDimSize(0) ||
      starts.getDimSize(0) != sums.getDimSize(0) + 1 || getFrom() < 0 ||
      getFrom() + sums.getDimSize(1) > updates.getDimSize(1) ||
      !order.getElementType().isInteger(32) || !starts.getElementType().isInteger(32)) // 1.
    return emitOpError() << "expected updates [n, at least from + width], an order [n], starts "
                            "[m + 1] and sums [m, width], but got "
                         << updates << ", " << order << ", " << starts << " and " << sums
                         << " from " << getFrom();
  return success();
}

LogicalResult ScatterRowsOp::verify() {
  if (failed(verifyRows(*this, tensorOf(getTable()), tensorOf(getIndex()),
                        tensorOf(getRows())))) // 1.
    return failure();
  if (tensorOf(getTable()).getElementType() != tensorOf(getRows()).getElementType()) // 2.
    return emitOpError() << "expected elements of " << getTable().getType() << ", but got "
                         << getRows().getType();
  return success();
}
OpOperand *ScatterRowsOp::getOverwritten() { return &getTableMutable(); }

namespace {
/// Indices of a part in the result along one dimension: first, first + stride, ..., last.
struct Stretch {
  int64_t first, last, stride;

  Stretch(AssembleOp op, unsigned part, unsigned dim) {
    unsigned i = part * tensorOf(op.getResult()).getRank() + dim;
    first = op.getOffsets()[i];
    stride = op.getStrides()[i];
    last = first + (tensorOf(op.getParts()[part]).getDimSize(dim) - 1) * stride;
  }
  bool meets(const Stretch &other) const {
    // Remainders modulo the other stride repeat after `other.stride` indices.
    int64_t behind = std::max<int64_t>(0, llvm::divideCeil(other.first - first, stride));
    for (int64_t i = 0, place = first + behind * stride;
         i < other.stride && place <= std::min(last, other.last); ++i, place += stride)
      if ((place - other.first) % other.stride == 0)
        return true;
    return false;
  }
};
} // namespace

/// Sweep along the dimension with the most distinct start indices: a part is compared with the
/// parts that begin before its end.
static LogicalResult verifyNoOverlap(AssembleOp op) {
  unsigned rank = tensorOf(op.getResult()).getRank(), count = op.getParts().size(), sweep = 0;
  size_t most = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    llvm::SmallDenseSet<int64_t> begins;
    for (unsigned part = 0; part < count; ++part)
      begins.insert(Stretch(op, part, dim).first);
    if (begins.size() > most)
      most = begins.size(), sweep = dim;
  }
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, count));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return rank && Stretch(op, a, sweep).first < Stretch(op, b, sweep).first;
  });
  for (auto [i, part] : llvm::enumerate(order))
    for (unsigned other : ArrayRef(order).drop_front(i + 1)) {
      if (rank && Stretch(op, other, sweep).first > Stretch(op, part, sweep).last)
        break;
      if (llvm::all_of(llvm::seq<unsigned>(0, rank), [&, part = part](unsigned dim) {
            return Stretch(op, part, dim).meets(Stretch(op, other, dim));
          })) // 4.
        return op.emitOpError() << "expected parts that do not overlap, but parts "
                                << std::min(part, other) << " and " << std::max(part, other)
                                << " do";
    }
  return success();
}

LogicalResult AssembleOp::verify() {
  auto type = tensorOf(getResult());
  size_t rank = type.getRank();
  if (getOffsets().size() != getParts().size() * rank ||
      getStrides().size() != getParts().size() * rank) // 1.
    return emitOpError() << "expected " << getParts().size() * rank
                         << " offsets and strides, but got " << getOffsets().size() << " and "
                         << getStrides().size();
  for (auto [i, part] : llvm::enumerate(getParts())) {
    if (tensorOf(part).getElementType() != type.getElementType() ||
        size_t(tensorOf(part).getRank()) != rank) // 2.
      return emitOpError() << "expected parts of rank " << rank << " and elements of " << type
                           << ", but got " << part.getType();
    for (size_t d = 0; d < rank; ++d) {
      Stretch stretch(*this, i, d);
      if (stretch.first < 0 || stretch.stride < 1 || stretch.last >= type.getDimSize(d)) // 3.
        return emitOpError() << "expected part " << i << " inside " << type
                             << ", but the last element in dimension " << d << " is "
                             << stretch.last;
    }
  }
  return verifyNoOverlap(*this);
}

LogicalResult PackOp::verify() {
  auto type = tensorOf(getResult());
  if (!packingOf(type) ||
      RankedTensorType::get(type.getShape(), type.getElementType()) != getX().getType()) // 1.
    return emitOpError() << "expected " << getX().getType() << " with a packed encoding, but got "
                         << type;
  return success();
}

/// Checks that windows of `image` have the shape `windows`; `where` is an operand of maxima only.
template <typename Op>
static LogicalResult verifyWindows(Op op, RankedTensorType image, RankedTensorType windows,
                                   ValueRange where) {
  if (image.getRank() != 4 || windows.getRank() != 4) // 1.
    return op.emitOpError() << "expected images NHWC, but got " << image << " and " << windows;
  auto are = [](ArrayRef<int64_t> numbers, size_t count, int64_t least) {
    return numbers.size() == count &&
           llvm::all_of(numbers, [&](int64_t x) { return x >= least && llvm::isInt<32>(x); });
  };
  if (!are(op.getWindow(), 2, 1) || !are(op.getStrides(), 2, 1) ||
      !are(op.getPadding(), 4, 0)) // 2.
    return op.emitOpError() << "expected a window of 2 sizes, 2 strides and 4 paddings, each below "
                               "2^31, but got ["
                            << op.getWindow() << "], [" << op.getStrides() << "] and ["
                            << op.getPadding() << "]";
  SmallVector<int64_t> shape(image.getShape());
  for (int i : {0, 1}) {
    int64_t size = shape[1 + i] + op.getPadding()[2 * i] + op.getPadding()[2 * i + 1];
    shape[1 + i] =
        size < op.getWindow()[i] ? 0 : (size - op.getWindow()[i]) / op.getStrides()[i] + 1;
  }
  if (ArrayRef<int64_t>(shape) != windows.getShape()) // 3.
    return op.emitOpError() << "expected windows of shape [" << shape << "], but got " << windows;
  Type element = image.getElementType();
  if (!isa<FloatType>(element) || windows.getElementType() != element) // 4.
    return op.emitOpError() << "expected an image and windows of one type of reals, but got "
                            << image << " and " << windows;
  bool isMax = op.getKind() == Combine::max;
  if (op.getKind() == Combine::min || where.size() != size_t(isMax)) // 5.
    return op.emitOpError("expected a maximum with the places of maxima, or a sum without");
  if (isMax && where[0].getType() != windows.clone(IntegerType::get(op.getContext(), 8))) // 6.
    return op.emitOpError() << "expected places in i8, but got " << where[0].getType();
  if (isMax && op.getWindow()[0] * op.getWindow()[1] > 127) // 7.
    return op.emitOpError() << "expected a window of at most 127 elements, whose number i8 holds, "
                               "but got ["
                            << op.getWindow() << "]";
  return success();
}
LogicalResult PoolOp::verify() {
  return verifyWindows(*this, tensorOf(getX()), tensorOf(getResult()), getWhere());
}
LogicalResult PoolGradOp::verify() {
  return verifyWindows(*this, tensorOf(getResult()), tensorOf(getG()), getWhere());
}

bool ScatterAddOp::canFuseReductions(unsigned) { return true; }
bool SegmentSumOp::canFuseReductions(unsigned) { return true; }
