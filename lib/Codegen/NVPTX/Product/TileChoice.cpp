// Cost model of tiles, and the measured table that takes precedence over the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/TileChoice.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace ampc::nvptx;
using llvm::divideCeil;

namespace {
/// A row of TileSpeeds.inc.
struct SpeedRow {
  llvm::StringLiteral chip;
  PlanKind kind;
  int64_t m, n;
  double speed;
  int64_t tilesInProgress = 1;
};
} // namespace

double ampc::nvptx::speedOf(const Chip &chip, PlanKind kind, int64_t m, int64_t n, double otherwise,
                            int64_t tilesInProgress) {
  static const llvm::SmallVector<SpeedRow> rows = {
#include "lib/Codegen/NVPTX/Product/TileSpeeds.inc"
  };
  for (const SpeedRow &row : rows)
    if (row.chip == chip.name && row.kind == kind && row.m == m && row.n == n &&
        row.tilesInProgress == tilesInProgress)
      return row.speed;
  return otherwise;
}

/// Replaces estimated speeds by measured speeds.
static llvm::SmallVector<TileSpeed> withSpeeds(const Chip &chip, PlanKind kind,
                                               llvm::SmallVector<TileSpeed> tiles) {
  for (TileSpeed &tile : tiles)
    tile.speed = speedOf(chip, kind, tile.shape.m, tile.shape.n, tile.speed);
  return tiles;
}

// Tiles of which two blocks fit a multiprocessor: chips with little shared memory get fewer stages.
// Without asynchronous copies, a stage is filled from registers while another is read.
llvm::SmallVector<TileSpeed> ampc::nvptx::tileShapes(const Chip &chip) {
  if (!chip.hasAsyncCopy())
    return withSpeeds(chip, PlanKind::mma,
                      {{{128, 64, 64, 2, 2, 2}, 1.0},
                       {{64, 128, 64, 2, 2, 2}, 1.0},
                       {{64, 64, 64, 2, 2, 2}, 0.8},
                       {{128, 32, 64, 2, 4, 1}, 0.5}});
  int64_t stages = chip.sharedBytes < (128 << 10) ? 3 : 4;
  return withSpeeds(chip, PlanKind::mma,
                    {{{128, 128, 64, stages, 2, 2}, 1.0},
                     {{128, 64, 64, stages, 2, 2}, 0.8},
                     {{64, 128, 64, stages, 2, 2}, 0.8},
                     {{64, 64, 128, stages, 2, 2}, 0.65},
                     {{128, 32, 64, stages, 4, 1}, 0.5}});
}

// Modelled cycles. Blocks on the same multiprocessor share its units, so their times add up.
// Split-K costs a launch and moves partial sums to memory and back. A multiprocessor multiplies
// 1024 pairs of 16-bit numbers a cycle (A100; other chips have a similar ratio to memory
// bandwidth), a block takes about 1500 cycles to start and finish, a launch 3000, and memory moves
// 1400 bytes a cycle.
double ampc::nvptx::estimateCycles(const ProductSize &size, const TileSpeed &tile, int64_t parts,
                                   const Chip &chip) {
  const TileShape &shape = tile.shape;
  double pairs = 2048.0 / size.elementBytes * tile.speed;
  int64_t stepDepth = shape.lineBytes / size.elementBytes;
  int64_t steps = divideCeil(divideCeil(size.depth, stepDepth), parts);
  int64_t blocks = divideCeil(size.m, shape.m) * divideCeil(size.n, shape.n) * size.batch * parts;
  double rounds = double(divideCeil(blocks, chip.multiprocessors));
  double cycles = 1500 + rounds * double(steps * stepDepth * shape.m * shape.n) / pairs;
  if (parts > 1)
    cycles += 3000 + 8.0 * double(parts * size.batch * size.m * size.n) / 1400;
  return cycles;
}

llvm::ArrayRef<TileRow> ampc::nvptx::tileRows() {
  static constexpr TileRow rows[] = {
#include "lib/Codegen/NVPTX/Product/Tiles.inc"
  };
  return rows;
}

const TilePick *ampc::nvptx::findPick(llvm::ArrayRef<TileRow> rows, const ProductSize &size,
                                      llvm::StringRef chip) {
  auto needs = [](int64_t x, unsigned bits) { return llvm::Log2_64_Ceil(x) == bits; };
  const TileRow *found = llvm::find_if(rows, [&](const TileRow &row) {
    return row.chip == chip && row.elementBytes == size.elementBytes &&
           (row.layout.empty() || row.layout == size.layout) &&
           (row.pick.kind != PlanKind::simt) == size.onMatrixUnits &&
           needs(size.batch, row.batchBits) && needs(size.m, row.mBits) &&
           needs(size.n, row.nBits) && needs(size.depth, row.depthBits);
  });
  return found == rows.end() ? nullptr : &found->pick;
}

// A split-K slice has at least 8 k-tiles to be worth the cost.
int64_t ampc::nvptx::mostParts(const ProductSize &size, const TileShape &shape) {
  int64_t steps = divideCeil(size.depth, shape.lineBytes / size.elementBytes);
  return std::clamp<int64_t>(steps / 8, 1, 64);
}

static const TileSpeed *findTile(llvm::ArrayRef<TileSpeed> tiles, const TilePick *pick,
                                 PlanKind kind) {
  const TileSpeed *found = llvm::find_if(tiles, [&](const TileSpeed &tile) {
    return pick && pick->kind == kind && tile.shape.m == pick->m && tile.shape.n == pick->n;
  });
  return found == tiles.end() ? nullptr : found;
}

TileChoice ampc::nvptx::chooseTile(const ProductSize &size, const Chip &chip, int64_t given,
                                   const TilePick *pick) {
  llvm::SmallVector<TileSpeed> shapes = tileShapes(chip);
  if (const TileSpeed *tile = findTile(shapes, pick, PlanKind::mma))
    return {tile->shape, given ? given : pick->parts};
  TileChoice best{shapes.front().shape, 1};
  double least = 0;
  for (const TileSpeed &tile : shapes)
    for (int64_t parts = given ? given : 1; parts <= (given ? given : mostParts(size, tile.shape));
         ++parts) {
      // The model is inexact: split-K must gain at least 10 %.
      double cycles = estimateCycles(size, tile, parts, chip) * (parts > 1 ? 1.1 : 1);
      if (least == 0 || cycles < least) {
        least = cycles;
        best = {tile.shape, parts};
      }
    }
  return best;
}

// SIMT tiles: k-tiles of at least 16 points, so that all threads take part in copies. A thread has
// 8 x 8 sums, or 4 x 4 sums, which load twice as much per product.
llvm::SmallVector<TileSpeed> ampc::nvptx::numberTiles(const ProductSize &size, const Chip &chip) {
  return withSpeeds(
      chip, PlanKind::simt,
      {{{128, 128, 16 * size.elementBytes, 2, 4, 2}, 1.0}, {{64, 64, 64, 2, 4, 2}, 0.6}});
}

TileShape ampc::nvptx::chooseNumberTile(const ProductSize &size, const Chip &chip,
                                        const TilePick *pick) {
  llvm::SmallVector<TileSpeed> tiles = numberTiles(size, chip);
  if (const TileSpeed *tile = findTile(tiles, pick, PlanKind::simt))
    return tile->shape;
  const TileSpeed &large = tiles[0], &small = tiles[1];
  bool isLarge = estimateCycles(size, large, 1, chip) <= estimateCycles(size, small, 1, chip);
  return isLarge ? large.shape : small.shape;
}
