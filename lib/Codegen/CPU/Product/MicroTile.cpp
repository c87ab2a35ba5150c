// Search for the register tile of a GEMM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/MicroTile.h"

using namespace mlir;
using namespace ampc::cpu;

PanelFormat PanelFormat::of(Multiply multiply, Type acc, int64_t panelUnits) {
  if (multiply == Multiply::Wide)
    return acc;
  PanelFormat format(IntegerType::get(acc.getContext(), 32));
  format.depth = 2;
  format.secondPanel = multiply == Multiply::SplitTiles ? panelUnits : 0;
  return format;
}

Multiply ampc::cpu::chooseMultiply(const ProductShape &shape, const Tier &tier) {
  if (!shape.acc.isF32() || shape.lhs != shape.rhs)
    return Multiply::Wide;
  if (shape.lhs.isBF16() && tier.hasBF16Products())
    return tier.hasAMX() ? Multiply::Tiles : Multiply::Pairs;
  if (!shape.lhs.isF16() || !tier.hasAMX())
    return Multiply::Wide;
  return tier.hasF16Tiles() ? Multiply::HalfTiles : Multiply::SplitTiles;
}
bool ampc::cpu::hasOwnProducts(const ProductShape &shape, const Tier &tier) {
  if (tier.kind <= TierKind::AVX512)
    return true;
  const Tier &below = tiers()[unsigned(tier.kind) - 1];
  return chooseMultiply(shape, tier) != chooseMultiply(shape, below);
}

/// Sums of a tile live in registers beside the vectors of B and A (and, without FMA, products).
/// With fewer than two registers left for numbers of A, LLVM spills a sum at every point, which
/// halves the speed of 4 rows of 3 vectors among 16 registers.
int64_t ampc::cpu::mostTileRows(int64_t vectors, const Tier &tier) {
  int64_t registers = tier.vectorRegisters;
  if (!tier.hasFMA())
    return registers / 2 / vectors;
  return std::min(registers * 3 / 4, registers - vectors - 2) / vectors;
}
double ampc::cpu::tileCycles(int64_t rows, int64_t vectors) {
  constexpr int64_t latency = 8, rowsPerLoad = 4;
  return double(std::max({rows * vectors, rows + vectors, rowsPerLoad * vectors, latency}));
}

static bool isPacked(const ProductShape &shape) { return shape.packedLhs || shape.packedRhs; }
int64_t ampc::cpu::packedVectors(const ProductShape &shape, const MicroTile &tile) {
  return shape.n > tile.width ? 2 : 1;
}
int64_t ampc::cpu::packedPoints(const ProductShape &shape, const MicroTile &tile) {
  constexpr int64_t stepPoints = 16;
  int64_t depth = PanelFormat::of(tile.multiply, shape.acc).depth;
  int64_t points = ceilDiv(shape.k, depth);
  return depth == 2 ? roundUp(points, stepPoints) : points;
}

/// Vectors of the tiles with code, in order of preference.
static SmallVector<int64_t> vectorCounts(const ProductShape &shape, const MicroTile &tile) {
  if (isPacked(shape))
    return {packedVectors(shape, tile)};
  return {2, 1, 3, 4};
}

/// Rows of a tile: panels of A with equal numbers of rows. The rows of a packed A do not depend on
/// the vectors.
static int64_t balancedRows(const ProductShape &shape, int64_t vectors, const Tier &tier) {
  int64_t most = mostTileRows(shape.packedLhs ? 2 : vectors, tier);
  return ceilDiv(shape.m, ceilDiv(shape.m, most));
}

/// Cycles per point of k over all panels, edges included.
static MicroTile chooseVectorTile(const ProductShape &shape, const Tier &tier) {
  MicroTile tile(shape, tier), best = tile;
  double bestCycles = 0;
  for (int64_t vectors : vectorCounts(shape, tile)) {
    tile.rows = balancedRows(shape, vectors, tier);
    tile.vectors = vectors;
    int64_t tiles = ceilDiv(shape.m, tile.rows) * ceilDiv(shape.n, tile.columns());
    double cycles = double(tiles) * tileCycles(tile.rows, vectors);
    if (bestCycles && cycles >= 0.97 * bestCycles)
      continue;
    bestCycles = cycles;
    best = tile;
  }
  return best;
}

constexpr int64_t tileEdge = 16; // rows and columns of a tile of AMX

/// Up to four AMX tiles of 16 x 16 sums. A matrix of up to 16 rows gets shorter tiles. LDTILECFG
/// gives each tile register one shape per function: attention of few queries and few keys
/// multiplies by both shapes in one function, so GEMMs whose k is a single short step take half of
/// the tile registers.
static SmallVector<MicroTile> matrixTiles(const ProductShape &shape, const Tier &tier) {
  MicroTile tile(shape, tier);
  SmallVector<MicroTile> all;
  bool isShort = shape.m < tileEdge && shape.k < tileEdge && !isPacked(shape);
  for (auto [high, wide] : {std::pair{2, 2}, {1, 4}, {4, 1}, {1, 2}, {2, 1}, {1, 1}}) {
    if ((isPacked(shape) && wide != packedVectors(shape, tile)) ||
        (shape.packedLhs && high != (shape.m > tileEdge ? 2 : 1)) || (isShort && wide > 2))
      continue;
    tile.rows = high > 1 ? tileEdge * high : std::min(shape.m, tileEdge);
    tile.vectors = wide;
    all.push_back(tile);
  }
  return all;
}

/// A step along k takes 16 cycles per tile of sums, or 16 per tile that comes from L2, whichever
/// are more.
static MicroTile chooseMatrixTile(const ProductShape &shape, const Tier &tier) {
  MicroTile best(shape, tier);
  int64_t bestCycles = 0;
  for (const MicroTile &tile : matrixTiles(shape, tier)) {
    int64_t high = ceilDiv(tile.rows, tileEdge), wide = tile.vectors;
    int64_t tiles = ceilDiv(shape.m, tile.rows) * ceilDiv(shape.n, tile.columns());
    int64_t cycles = tiles * tileEdge * std::max(high * wide, high + wide);
    if (bestCycles && cycles >= bestCycles)
      continue;
    bestCycles = cycles;
    best = tile;
  }
  return best;
}

MicroTile::MicroTile(const ProductShape &shape, const Tier &tier)
    : multiply(chooseMultiply(shape, tier)), width(tier.lanes(8 * elementBytes(shape.acc))) {}

MicroTile MicroTile::choose(const ProductShape &shape, const Tier &tier) {
  bool usesTiles = MicroTile(shape, tier).usesTiles();
  return usesTiles ? chooseMatrixTile(shape, tier) : chooseVectorTile(shape, tier);
}

static bool hasVectorCode(const ProductShape &shape, const MicroTile &tile, const Tier &tier) {
  if (!llvm::is_contained(vectorCounts(shape, tile), tile.vectors))
    return false;
  int64_t most = balancedRows(shape, tile.vectors, tier);
  bool isWhole = tile.rows == most || !shape.packedLhs;
  return isWhole && tile.rows <= std::min(shape.m, mostTileRows(tile.vectors, tier));
}
bool MicroTile::hasCode(const ProductShape &shape, const Tier &tier) const {
  if (!usesTiles())
    return hasVectorCode(shape, *this, tier);
  return llvm::any_of(matrixTiles(shape, tier), [&](const MicroTile &other) {
    return other.rows == rows && other.vectors == vectors;
  });
}
