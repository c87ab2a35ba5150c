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

/// What forms a product: multiply-adds of f32, tiles on matrix units, or warpgroups.
enum class ProductForm { Numbers, Tiles, Warpgroups };

/// A way to form a product: a tile of a block or, if its warpgroups take turns, of each of them,
/// parts of the sum over k, and blocks of a cluster that divide k, or share a side.
struct TilePick {
  ProductForm form;
  int64_t m, n, parts, dividers;
  int64_t turns = 1, sharers = 0; // sharers 0: as many as the form chooses

  bool operator==(const TilePick &other) const {
    return form == other.form && m == other.m && n == other.n && parts == other.parts &&
           dividers == other.dividers && turns == other.turns && sharers == other.sharers;
  }
  /// Whether a product that is formed like this one is what was asked for.
  bool allows(TilePick formed) const {
    if (sharers == 0)
      formed.sharers = 0;
    return *this == formed;
  }
};

/// All that a choice depends on, beside the chip. `layout`: N for a side that lies as [m, k] or
/// [k, n], T for the other order.
struct ProductSize {
  int64_t batch, m, n, depth, elementBytes;
  llvm::StringRef layout = "NN";
  bool onMatrixUnits = true;
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

/// A row of Tiles.inc. A class has all sizes that need the same numbers of bits. An empty layout is
/// any.
struct TileRow {
  llvm::StringLiteral chip, layout;
  int64_t elementBytes;
  unsigned batchBits, mBits, nBits, depthBits;
  TilePick pick;
};
llvm::ArrayRef<TileRow> tileRows();
/// Null if no row is for the class.
const TilePick *findPick(llvm::ArrayRef<TileRow> rows, const ProductSize &size,
                         llvm::StringRef chip);

/// The share of a large product's speed that was measured (TileSpeeds.inc), or `otherwise`.
double speedOf(const Chip &chip, ProductForm form, int64_t m, int64_t n, double otherwise,
               int64_t turns = 1);

/// The pick, if it has a tile that there is code for, else what the model finds fastest. Only the
/// shape if `given` > 0 parts were chosen before.
TileChoice chooseTile(const ProductSize &size, const Chip &chip, int64_t given = 0,
                      const TilePick *pick = nullptr);

/// For products by multiply-adds, of which a block has 256 threads in any case.
TileShape chooseNumberTile(const ProductSize &size, const Chip &chip,
                           const TilePick *pick = nullptr);
/// The tiles that it chooses from.
llvm::SmallVector<TileSpeed> numberTiles(const ProductSize &size, const Chip &chip);
/// Numbers of parts that are worth a try at all: up to this.
int64_t mostParts(const ProductSize &size, const TileShape &shape);

} // namespace ampc::nvptx
#endif
