// Order of summation of reductions over many elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/SumOrder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

void target::forLevels(int64_t count, llvm::function_ref<void(int64_t, int64_t)> level) {
  for (int64_t half = llvm::PowerOf2Ceil(count) / 2; half >= 1; half /= 2)
    level(half, std::min(half, std::min(2 * half, count) - half));
}

/// Whether neighbouring rows are contiguous: a transposed matrix.
static bool readsAcross(kernel::ReduceOp op, const IterationSpace &space) {
  if (space.sizes[2] != 1 || space.sizes[0] == 1 ||
      !op.getBody().front().getOps<kernel::LinearIndexOp>().empty())
    return false;
  bool across = false;
  for (const Access &access : llvm::concat<const Access>(space.inputs, space.results)) {
    if (access.residue)
      return false;
    across |= access.strides[0] == 1 && access.strides[1] > 1;
  }
  return across;
}
ReduceOrder::ReduceOrder(kernel::ReduceOp op) : space(IterationSpace::of(op)) {
  if (readsAcross(op, space)) {
    std::swap(space.sizes[0], space.sizes[2]);
    for (Access &access : llvm::concat<Access>(space.inputs, space.results))
      std::swap(access.strides[0], access.strides[2]);
  }
  outer = space.sizes[0];
  reduced = space.sizes[1];
  inner = space.sizes[2];
  int64_t most = isOfRows() ? order::chunkColumns : order::chunkRows;
  chunk = std::min(reduced, most);
  chunks = std::max<int64_t>(1, llvm::divideCeil(reduced, most));
}
