// Selection of GEMMs for the WGMMA kernel, and of tile shape, split-K and schedule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_WARPGROUPGEMM_H
#define LIB_CODEGEN_NVPTX_HOPPER_WARPGROUPGEMM_H

#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "lib/Codegen/NVPTX/Hopper/TensorCopy.h"
#include "lib/Codegen/NVPTX/Product/TileProduct.h"

namespace ampc::nvptx {
class ConsumerSchedule;

/// Lines that producer threads copy at a time: in either layout a tile consists of [64, 64] blocks.
constexpr int64_t gatheredLines = 64;

/// Tile of a CTA. Cooperative schedule: 64 rows (times `high`) per consumer warpgroup, all in a
/// single output tile. Ping-pong schedule: each of two consumer warpgroups has its own
/// output tile of 64 * high rows, and multiplies while the other stores. A further warpgroup is the
/// producer. CTAs of a cluster either have neighbouring tiles along m and multicast the right
/// operand (multicast), or have the same tile and split k (clusterSplitK).
/// Example: {groups 2, n 256} -> tile [128, 256], 384 threads.
struct WarpgroupTile {
  int64_t groups, n;
  int64_t multicast, clusterSplitK; // cluster size along m (TMA multicast); cluster split-K factor
  int64_t stages;
  kernel::Schedule schedule = kernel::Schedule::cooperative;
  int64_t high = 1; // rows per consumer warpgroup, as a multiple of 64

  int64_t cluster() const { return multicast * clusterSplitK; }
  const ConsumerSchedule &consumers() const;
  /// Output tiles in progress in a CTA.
  int64_t tilesInProgress() const;
  int64_t m() const { return 64 * high * groups / tilesInProgress(); }
  int64_t threads() const { return 128 * (groups + 1); }
  int64_t threadSums() const { return high * n / 2; }
  int64_t stageBytes() const { return (m() + n) * tileRowBytes; }
  int64_t ringBytes() const { return stages * stageBytes(); }
};

/// An operand in shared memory: copied by TMA, or gathered in pieces by the producer warpgroup.
struct WarpgroupSide {
  WgmmaTile tile;
  std::optional<TensorCopy> tensor;

  bool isGathered() const { return !tensor; }
};

/// A candidate tile, with the share of a large GEMM's peak speed that the tile reaches alone.
/// Estimates: a smaller tile reads more shared memory per product, and a lone warpgroup cannot
/// multiply while storing.
struct WarpgroupShape {
  int64_t groups, n;
  double speed;
  kernel::Schedule schedule = kernel::Schedule::cooperative;
  int64_t high = 1;

  WarpgroupTile tile() const { return {groups, n, 1, 1, 0, schedule, high}; }
};
/// Candidate tiles, the largest first.
llvm::ArrayRef<WarpgroupShape> warpgroupShapes();

struct WarpgroupGemm {
  TileGemm gemm;
  WarpgroupTile tile;
  WarpgroupSide lhs, rhs;
  /// Epilogue's view of the tile: columns per subtile, and 16 rows per warp.
  TileGemm part;
  int64_t clusters; // number of launched clusters (persistent kernel): cluster c takes work items
                    // c, c + clusters, ...

  /// The search: nothing if the mma.sync kernel is used instead, with a reason if the chip has
  /// warpgroups. `gemm`: with the tile that mma.sync would use. `parts`: split-K factor; 0 lets the
  /// model choose.
  static std::optional<WarpgroupGemm> of(const TileGemm &gemm, const Chip &chip, int64_t parts,
                                         std::string &why);
  /// By a plan; nothing, with a reason in `why`, if the chip has no such code.
  static std::optional<WarpgroupGemm> by(kernel::PlanAttr plan, const TileGemm &gemm,
                                         const Chip &chip, std::string &why);
  int64_t parts() const { return part.parts; }
  bool gathers() const { return lhs.isGathered() || rhs.isGathered(); }
  /// Bytes per k-tile that TMA copies.
  int64_t tensorBytes() const;
  /// GEMM as seen by gathers: tiles for the threads of a single warpgroup.
  TileGemm gathered() const;
  /// k-tiles of cp.async in flight after the k-tile to be signalled next.
  int64_t stepsAhead() const;
  int64_t steps() const;
  /// k-tiles per split-K slice; the last slice may have fewer.
  int64_t partSteps() const { return llvm::divideCeil(steps(), parts()); }
  int64_t workspaceBytes() const { return part.workspaceBytes(); }
  /// Work tiles of a cluster: rows and columns of tiles in a batch entry, and number of work items
  /// in all.
  int64_t rows() const { return llvm::divideCeil(gemm.m, tile.m() * tile.multicast); }
  int64_t columns() const { return llvm::divideCeil(gemm.n, tile.n); }
  int64_t units() const { return rows() * columns() * gemm.batches() * parts(); }
  int64_t sharedBytes() const;
  /// Bytes for staging epilogue subtiles, after the pipeline.
  int64_t stagingBytes() const;
  TilePick picked() const {
    return {PlanKind::wgmma,        tile.m(),      tile.n, parts(), tile.clusterSplitK,
            tile.tilesInProgress(), tile.multicast};
  }
  /// Modelled cycles, without and with the epilogue.
  double cycles(const Chip &chip) const;
  double cyclesWithBody(const Chip &chip) const;
  std::string describe() const;
};

/// Emits the launch of `product.gemm`, and for split-K a second launch that adds the slices.
void emitWarpgroups(FusedKernelOpInterface op, DeviceCode &code, const WarpgroupGemm &plan,
                    const TileProduct &product);
/// Number of warps in the launch that writes the final results.
int64_t finalWarps(FusedKernelOpInterface op, const WarpgroupGemm &plan,
                   const ProductResults &results);

} // namespace ampc::nvptx
#endif
