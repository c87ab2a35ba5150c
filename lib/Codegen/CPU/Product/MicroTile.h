// Register tile of a GEMM's micro-kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_MICROTILE_H
#define LIB_CODEGEN_CPU_PRODUCT_MICROTILE_H

#include "lib/Codegen/CPU/Product/Product.h"

namespace ampc::cpu {

/// Register tile: [rows, columns()] sums of C. Panels of A have `rows` lines, panels of B
/// `columns()`. Example: AVX-512 f32: 12 rows of 2 vectors of 16 lanes, a tile [12, 32].
struct MicroTile {
  Multiply multiply;
  int64_t rows = 0, vectors = 0; // on AMX a vector is the 16 columns of one tile register
  int64_t width;                 // sums of a vector

  /// Instructions and vector width; rows and vectors are left to a search.
  MicroTile(const ProductShape &shape, const Tier &tier);
  /// Tile with the fewest cycles over all of C.
  static MicroTile choose(const ProductShape &shape, const Tier &tier);
  /// Whether a micro-kernel exists for the tile, and panels by kernel.pack fit.
  bool hasCode(const ProductShape &shape, const Tier &tier) const;

  int64_t columns() const { return vectors * width; }
  int64_t elements() const { return rows * columns(); }
  bool usesTiles() const { return multiply >= Multiply::Tiles; }
  /// Panels per operand: 2 if numbers are split.
  int64_t parts() const { return multiply == Multiply::SplitTiles ? 2 : 1; }
};

/// Vectors per panel of a B packed by kernel.pack. The other operand has no say, so that all GEMMs
/// that read B agree.
int64_t packedVectors(const ProductShape &shape, const MicroTile &tile);
/// Points per panel of kernel.pack: whole steps of AMX tiles, zeros behind the last k.
/// Example: k = 100 of bf16: 50 points, 64 with the zeros.
int64_t packedPoints(const ProductShape &shape, const MicroTile &tile);
/// Most rows of a register tile of `vectors` vectors.
int64_t mostTileRows(int64_t vectors, const Tier &tier);
/// Cycles of a register tile per point of k: the most of multiply-adds, loads, loads of B (from L2,
/// which keeps up with 4 rows) and the latency of a multiply-add.
double tileCycles(int64_t rows, int64_t vectors);

} // namespace ampc::cpu
#endif
