// Choice of tile sizes and split-K factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_TILECHOICE_H
#define LIB_CODEGEN_NVPTX_PRODUCT_TILECHOICE_H

#include "lib/Codegen/NVPTX/Chip.h"
#include "llvm/ADT/SmallVector.h"

namespace ampc::kernel {
enum class PlanKind : uint32_t; // in Kernel.h, without which tables of tiles compile quickly
} // namespace ampc::kernel

namespace ampc::nvptx {
using kernel::PlanKind;

/// Output tile of a block, bytes per line of a k-tile, number of pipeline stages, and a grid of
/// warpsM x warpsN warps. Example: {128, 128, 64, 4, 2, 2}: tile [128, 128], 32 bf16 of k, warp
/// tile [64, 64].
struct TileShape {
  int64_t m, n, lineBytes, stages, warpsM, warpsN;

  int64_t threads() const { return 32 * warpsM * warpsN; }
  int64_t warpM() const { return m / warpsM; }
  int64_t warpN() const { return n / warpsN; }
};

/// A plan of a GEMM: output tile of a block (per warpgroup in the ping-pong schedule), split-K
/// factor, cluster split-K factor, and multicast size.
struct TilePick {
  PlanKind kind; // simt, mma or wgmma
  int64_t m, n, parts, clusterSplitK;
  int64_t tilesInProgress = 1, multicast = 0; // multicast 0: as many as the kind chooses

  bool operator==(const TilePick &other) const {
    return kind == other.kind && m == other.m && n == other.n && parts == other.parts &&
           clusterSplitK == other.clusterSplitK && tilesInProgress == other.tilesInProgress &&
           multicast == other.multicast;
  }
  /// Whether a GEMM with plan `formed` satisfies this request.
  bool allows(TilePick formed) const {
    if (multicast == 0)
      formed.multicast = 0;
    return *this == formed;
  }
};

/// All properties of a GEMM, other than the chip, on which the choice depends. `layout`: N for an
/// operand stored as [m, k] or [k, n], T for the transposed order.
struct ProductSize {
  int64_t batch, m, n, depth, elementBytes;
  llvm::StringRef layout = "NN";
  bool onMatrixUnits = true;
};

struct TileChoice {
  TileShape shape;
  int64_t parts; // split-K factor
};

/// A tile with code, and the share of a large GEMM's peak speed that its blocks reach: smaller
/// tiles load more per product.
struct TileSpeed {
  TileShape shape;
  double speed;
};
llvm::SmallVector<TileSpeed> tileShapes(const Chip &chip);

/// Cost model: cycles of the chip.
double estimateCycles(const ProductSize &size, const TileSpeed &tile, int64_t parts,
                      const Chip &chip);

/// A row of Tiles.inc. A class contains all sizes with equal bit widths, e.g. 9 bits -> 257 to 512.
/// An empty layout matches any layout.
struct TileRow {
  llvm::StringLiteral chip, layout;
  int64_t elementBytes;
  unsigned batchBits, mBits, nBits, depthBits;
  TilePick pick;
};
llvm::ArrayRef<TileRow> tileRows();
/// Pick for the size's class; null without a row.
const TilePick *findPick(llvm::ArrayRef<TileRow> rows, const ProductSize &size,
                         llvm::StringRef chip);

/// Measured share of a large GEMM's peak speed (TileSpeeds.inc), or `otherwise`.
double speedOf(const Chip &chip, PlanKind kind, int64_t m, int64_t n, double otherwise,
               int64_t tilesInProgress = 1);

/// The pick, if code exists for its tile, else the fastest choice of the model. With `given` > 0,
/// only the shape is chosen for that split-K factor.
TileChoice chooseTile(const ProductSize &size, const Chip &chip, int64_t given = 0,
                      const TilePick *pick = nullptr);

/// Tile of the SIMT kernel, whose blocks always have 256 threads.
TileShape chooseNumberTile(const ProductSize &size, const Chip &chip,
                           const TilePick *pick = nullptr);
/// Candidate tiles of the SIMT kernel.
llvm::SmallVector<TileSpeed> numberTiles(const ProductSize &size, const Chip &chip);
/// Largest split-K factor worth trying.
int64_t mostParts(const ProductSize &size, const TileShape &shape);

} // namespace ampc::nvptx
#endif
