// Register tiles of AMX: sums of 16 x 16, fed with pairs of bf16 or f16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_MATRIXTILES_H
#define LIB_TARGET_CPU_PRODUCT_MATRIXTILES_H

#include "lib/Target/CPU/Product/Product.h"

namespace ampc::cpu {

/// Bytes of a tile register.
constexpr int64_t spareTileBytes = 1024;
/// Calls of no more points store nothing but their sums.
constexpr int64_t mostPointsWithoutSpare = 256;

/// A side of the product: of A, lines of pairs; of B, points of 16 * wide pairs.
struct TileSide {
  mlir::Value pointer, bytesBetweenLines;
  int64_t bytesPerPoint; // from one step to the next, by its 16 points
  int64_t secondPanel;   // units from high to low parts; 0: not split
  int64_t bytesPerRun = 0;
};

/// A block of sums of `rows` x 16 * wide, row after row, of up to four tiles.
struct MatrixTiles {
  Multiply multiply; // of those on tiles
  int64_t rows, wide;
  int64_t mostPoints;   // of a call, all runs together
  mlir::Value from, to; // sums before (null: zero) and after
  mlir::Value spare;    // spareTileBytes to write; may be null without them
};

/// Adds the product over `points` points, rounded up to whole steps of 16; with `runs` over so many
/// times as many (none if it is negative), which lie `bytesPerRun` of each side apart.
void emitMatrixTiles(KernelEmitter &e, const MatrixTiles &tiles, const TileSide &left,
                     const TileSide &right, mlir::Value points, mlir::Value runs = {});

} // namespace ampc::cpu
#endif
