// What families say of types and sizes of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Tensors.h"

using namespace mlir;
using namespace ampc;

Type ampc::accumulatorOf(Type element) {
  return element.getIntOrFloatBitWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

std::optional<int64_t> ampc::sumOf(ArrayRef<int64_t> values) {
  int64_t sum = 0;
  for (int64_t value : values)
    if (llvm::AddOverflow(sum, value, sum))
      return std::nullopt;
  return sum;
}

std::optional<int64_t> ampc::productOf(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::nullopt : std::optional(product);
}

bool ampc::areAll(ArrayRef<int64_t> values, size_t count, int64_t least) {
  return values.size() == count && llvm::all_of(values, [&](int64_t v) { return v >= least; });
}

LogicalResult ampc::verifyRows(Operation *op, RankedTensorType type) {
  if (type.getRank() < 1 || type.getShape().back() < 1)
    return op->emitOpError() << "expected at least one element along the last dimension, but got "
                             << type;
  return success();
}
