// Masks and counts of the rows that count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/ValidRows.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

/// `valid` in units of the dimension.
static Value validParts(GradBuilder &b, RankedTensorType type, Value valid,
                        std::optional<int64_t> batchRows, int64_t dim) {
  int64_t parts = type.getDimSize(dim) / batchRows.value_or(type.getDimSize(dim));
  return parts == 1 ? valid : b.mul(valid, b.real(double(parts), valid));
}

Value ampc::validMask(GradBuilder &b, Type like, Value valid, std::optional<int64_t> batchRows,
                      int64_t dim) {
  auto type = cast<RankedTensorType>(like);
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[dim] = type.getDimSize(dim);
  Value row = b.op<IotaOp>(RankedTensorType::get(shape, b.builder.getI32Type()), dim);
  return b.compare(ComparePredicate::lt, row, validParts(b, type, valid, batchRows, dim));
}

std::optional<int64_t> ampc::dimensionOfMask(Operation *op) {
  auto compare = dyn_cast<CompareOp>(op);
  auto row = compare ? compare.getLhs().getDefiningOp<IotaOp>() : IotaOp();
  return row ? std::optional<int64_t>(row.getDim()) : std::nullopt;
}

bool ampc::scalesCount(Operation *op) { return isa<MulOp>(op); }

Value ampc::validCount(GradBuilder &b, Type like, Value valid, std::optional<int64_t> batchRows,
                       Type element) {
  return b.castTo(validParts(b, cast<RankedTensorType>(like), valid, batchRows, 0), element);
}
