// Sums, maxima and minima across the lanes of vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using kernel::Combine;

Value cpu::keepActive(KernelEmitter &e, Value x, Value instead, int64_t active) {
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector || active == vector.getDimSize(0))
    return x;
  Value mask = e.mask(vector.getDimSize(0), active);
  return arith::SelectOp::create(e.b, e.loc, mask, x, instead);
}

Value cpu::combineLanes(KernelEmitter &e, Combine kind, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  for (int64_t half = type.getDimSize(0) / 2; half >= 1; half /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    auto high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    vector = combine(e, kind, e.shuffle(vector, vector, low), e.shuffle(vector, vector, high));
  }
  return vector::ExtractOp::create(e.b, e.loc, vector, int64_t(0));
}
