// Micro-kernel on vectors: multiply-adds of a register tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

Value ampc::cpu::multiplyAdd(KernelEmitter &e, Multiply multiply, Value x, Value y, Value sum) {
  if (multiply == Multiply::Pairs) {
    Type bf16 =
        VectorType::get({2 * cast<VectorType>(sum.getType()).getNumElements()}, e.b.getBF16Type());
    x = LLVM::BitcastOp::create(e.b, e.loc, bf16, x);
    y = LLVM::BitcastOp::create(e.b, e.loc, bf16, y);
    auto name = e.b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512");
    return LLVM::CallIntrinsicOp::create(e.b, e.loc, sum.getType(), name, ValueRange{sum, x, y})
        .getResult(0);
  }
  if (e.tier.hasFMA())
    return math::FmaOp::create(e.b, e.loc, x, y, sum);
  return arith::AddFOp::create(e.b, e.loc, sum, arith::MulFOp::create(e.b, e.loc, x, y));
}

SmallVector<Value> RegisterTile::zeros(KernelEmitter &e) const {
  return SmallVector<Value>(rows * vectors, e.constant(e.vectorOf(acc, width), 0));
}

SmallVector<Value> RegisterTile::load(KernelEmitter &e, Value from, int64_t stride) const {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < rows * vectors; ++i)
    sums.push_back(
        e.loadVector(from, acc, e.index(i / vectors * stride + i % vectors * width), width));
  return sums;
}

void RegisterTile::store(KernelEmitter &e, ValueRange sums, Value to, int64_t stride) const {
  for (int64_t i = 0; i < rows * vectors; ++i)
    e.store(sums[i], to, e.index(i / vectors * stride + i % vectors * width));
}

/// Distance of the software prefetch of B in points: about 4 KB. The hardware prefetcher starts
/// later, and stops at the end of a page.
static constexpr int64_t pointsAhead = 32;

SmallVector<Value> RegisterTile::add(KernelEmitter &e, Value a, Value b, Value points,
                                     ValueRange sums) const {
  return e.loop(e.index(0), points, 1, sums, [&](Value k, ValueRange sum) {
    SmallVector<Value> right, next;
    for (int64_t v = 0; v < vectors; ++v) {
      Value at = e.add(e.mul(k, columns()), v * width);
      Value y = e.loadVector(b, rhs, at, width);
      if (prefetchesRhs && v * width * elementBytes(rhs) % 64 == 0)
        e.prefetch(b, rhs, e.add(at, pointsAhead * columns()));
      right.push_back(multiply == Multiply::Pairs ? y : widen(e, y, acc));
    }
    for (int64_t i = 0; i < rows; ++i) {
      Value at = e.add(e.mul(k, lhsLines.depthStride), lhsLines.offsetOfLine(i));
      Value x = e.broadcast(e.loadScalar(a, lhs, at), width);
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(multiplyAdd(e, multiply, x, right[v], sum[i * vectors + v]));
    }
    return next;
  });
}
