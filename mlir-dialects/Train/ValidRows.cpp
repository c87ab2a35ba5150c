// Masks and counts of the rows that count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/ValidRows.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

/// `valid` in units of the leading dimension.
static Value validLeading(GradBuilder &b, RankedTensorType type, Value valid,
                          std::optional<int64_t> batchRows) {
  int64_t parts = type.getDimSize(0) / batchRows.value_or(type.getDimSize(0));
  return parts == 1 ? valid : b.mul(valid, b.real(double(parts), valid));
}

Value ampc::validMask(GradBuilder &b, Type like, Value valid, std::optional<int64_t> batchRows) {
  auto type = cast<RankedTensorType>(like);
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[0] = type.getDimSize(0);
  Value row = b.op<IotaOp>(RankedTensorType::get(shape, b.builder.getI32Type()), 0);
  return b.compare(ComparePredicate::lt, row, validLeading(b, type, valid, batchRows));
}

Value ampc::validCount(GradBuilder &b, Type like, Value valid, std::optional<int64_t> batchRows,
                       Type element) {
  return b.castTo(validLeading(b, cast<RankedTensorType>(like), valid, batchRows), element);
}
