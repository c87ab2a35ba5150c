// Micro-kernel on vectors: sums of a register tile in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_REGISTERTILE_H
#define LIB_CODEGEN_CPU_PRODUCT_REGISTERTILE_H

#include "lib/Codegen/CPU/Product/Panels.h"

namespace ampc::cpu {

/// sum + x * y; a pair of bf16 adds two products.
mlir::Value multiplyAdd(KernelEmitter &e, Multiply multiply, mlir::Value x, mlir::Value y,
                        mlir::Value sum);

/// Register tile: [rows, vectors] vectors of `width` sums, row-major.
struct RegisterTile {
  using Value = mlir::Value;
  using Sums = llvm::SmallVector<Value>;

  Multiply multiply;
  int64_t rows, vectors, width;
  mlir::Type acc, lhs,
      rhs; // of sums and of the points of both sides; a narrow rhs is widened, pairs are not
  PanelLayout lhsLines;
  bool prefetchesRhs = false; // software prefetch of B, whose panel may lie beyond L2

  int64_t columns() const { return vectors * width; }
  Sums zeros(KernelEmitter &e) const;
  /// Loads sums whose rows are `stride` sums apart.
  Sums load(KernelEmitter &e, Value from, int64_t stride) const;
  void store(KernelEmitter &e, mlir::ValueRange sums, Value to, int64_t stride) const;
  /// Adds the products of `points` points, k ascending. B panel: [points, columns()].
  Sums add(KernelEmitter &e, Value a, Value b, Value points, mlir::ValueRange sums) const;
};

} // namespace ampc::cpu
#endif
