// How large the tiles of a product are, and in how many parts its sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILECHOICE_H
#define LIB_TARGET_NVPTX_PRODUCT_TILECHOICE_H

#include "lib/Target/NVPTX/Chip.h"
#include "llvm/ADT/SmallVector.h"

namespace ampc::nvptx {

/// A block's tile of the result, bytes of a line of its steps along k, and how many steps are on
/// their way or in use. Warps lie in a grid of warpsM by warpsN.
struct TileShape {
  int64_t m, n, lineBytes, stages, warpsM, warpsN;

  int64_t threads() const { return 32 * warpsM * warpsN; }
  int64_t warpM() const { return m / warpsM; }
  int64_t warpN() const { return n / warpsN; }
};

/// All that a choice depends on, beside the chip.
struct ProductSize {
  int64_t batch, m, n, depth, elementBytes;
};

struct TileChoice {
  TileShape shape;
  int64_t parts; // of the sum over k
};

/// A tile that there is code for, and the share of a large product's speed that its blocks reach:
/// smaller ones load more per product.
struct TileSpeed {
  TileShape shape;
  double speed;
};
llvm::SmallVector<TileSpeed> tileShapes(const Chip &chip);

/// The model: cycles of the chip.
double estimateCycles(const ProductSize &size, const TileSpeed &tile, int64_t parts,
                      const Chip &chip);

/// A row of Tiles.inc. A class has all sizes that need the same numbers of bits.
struct TileRow {
  llvm::StringLiteral chip;
  int64_t elementBytes;
  unsigned batchBits, mBits, nBits, depthBits;
  int64_t m, n; // of the tile
  int64_t parts;
};
llvm::ArrayRef<TileRow> tileRows();
/// Null if no row is for the class.
const TileRow *findRow(llvm::ArrayRef<TileRow> rows, const ProductSize &size, llvm::StringRef chip);

/// What the table has for the class of the size, else what the model finds fastest. Only the shape
/// if `given` > 0 parts were chosen before.
TileChoice chooseTile(const ProductSize &size, const Chip &chip, int64_t given = 0,
                      llvm::ArrayRef<TileRow> rows = tileRows());

/// For products by multiply-adds, of which a block has 256 threads in any case.
TileShape chooseNumberTile(const ProductSize &size, const Chip &chip);

} // namespace ampc::nvptx
#endif
