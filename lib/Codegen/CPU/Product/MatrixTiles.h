// AMX micro-kernel: tiles of [16, 16] sums from pairs of bf16 or f16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_MATRIXTILES_H
#define LIB_CODEGEN_CPU_PRODUCT_MATRIXTILES_H

#include "lib/Codegen/CPU/Product/Product.h"

namespace ampc::cpu {

/// Bytes of a tile register.
constexpr int64_t spareTileBytes = 1024;
/// A call of at most so many points runs too shortly for the stall that `spare` prevents.
constexpr int64_t mostPointsWithoutSpare = 256;

/// One operand in memory. A: [rows, points] pairs, `bytesBetweenLines` from row to row; B: [points,
/// 16 * wide] pairs.
struct TileSide {
  mlir::Value pointer, bytesBetweenLines;
  int64_t bytesPerPoint; // a step of 16 points is 16 times as far
  int64_t secondPanel;   // units from high parts to low parts; 0: not split
  int64_t bytesPerRun = 0;
};

/// Register tile of up to four tiles: [rows, 16 * wide] sums, row-major.
struct MatrixTiles {
  Multiply multiply; // Tiles, HalfTiles or SplitTiles
  int64_t rows, wide;
  int64_t mostPoints;   // of a call, over all runs
  mlir::Value from, to; // sums before the call (null: zero) and after
  mlir::Value spare;    // AMX write-back scratch, spareTileBytes; null up to mostPointsWithoutSpare
};

/// Adds the product over `points` points, rounded up to whole steps of 16. With `runs`: over that
/// many runs of `points` points (none if negative), `bytesPerRun` apart in each operand.
void emitMatrixTiles(KernelEmitter &e, const MatrixTiles &tiles, const TileSide &left,
                     const TileSide &right, mlir::Value points, mlir::Value runs = {});

} // namespace ampc::cpu
#endif
