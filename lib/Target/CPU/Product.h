// Shape and blocking of a product of matrices, as all contractions see it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_H
#define LIB_TARGET_CPU_PRODUCT_H

#include "ampc/Target/CPU/KernelEmitter.h"

namespace ampc::cpu {

inline int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
inline int64_t roundUp(int64_t x, int64_t y) { return ceilDiv(x, y) * y; }

/// C[b][m][n] = sum over k of A[b][m][k] * B[b][k][n], summed in type `acc`.
struct ProductShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  mlir::Type acc;
  bool sharedRhs = false; // B is the same for the whole batch
};

/// A register tile has `rows` x `columns()` sums. A panel is a strip of A (`rows` lines) or B
/// (`columns()` lines), packed for `depth` points of k at a time. A task is a block of C of mStep x
/// nStep panels.
///
/// The order of every sum: k ascending, one fused multiply-add at a time (plain tier: product
/// rounded, then added). Blocks of k continue the same sums, so the order depends on neither
/// blocking nor threads.
struct Blocking {
  int64_t rows, vectors, width;
  int64_t depth, depthBlocks;
  int64_t mPanels, nPanels;
  int64_t mStep, nStep;
  int64_t mTasks, nTasks;
  /// All blocks of k of B stay packed, for the next task of the same columns.
  bool keepRhs;

  int64_t columns() const { return vectors * width; }
};

Blocking chooseBlocking(const ProductShape &shape, const Tier &tier);

} // namespace ampc::cpu
#endif
