// Which products run on warpgroups, in which tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_HOPPER_WARPGROUPGEMM_H
#define LIB_TARGET_NVPTX_HOPPER_WARPGROUPGEMM_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "lib/Target/NVPTX/Hopper/TensorCopy.h"
#include "lib/Target/NVPTX/Product/TileProduct.h"

namespace ampc::nvptx {

/// Lines of a tile that threads copy at a time: it consists of such tiles, whatever its layout.
constexpr int64_t gatheredLines = 64;

/// What a block forms at a time: 64 lines of each of its warpgroups that multiply. Or its two
/// warpgroups take turns: each has a tile of its own, of 64 lines or more, and multiplies while the
/// other one stores. Beside them one copies. Blocks of a cluster have neighbouring tiles along m,
/// and share the right side; or they have one tile, each some steps along k.
struct WarpgroupTile {
  int64_t groups, n;
  int64_t sharers, dividers; // the blocks of a cluster, as one or the other
  int64_t stages;
  bool takesTurns = false;
  int64_t high = 1; // times 64: lines of a warpgroup

  int64_t cluster() const { return sharers * dividers; }
  int64_t turns() const { return takesTurns ? groups : 1; }
  int64_t m() const { return 64 * high * groups / turns(); }
  int64_t threads() const { return 128 * (groups + 1); }
  int64_t threadSums() const { return high * n / 2; }
  int64_t stageBytes() const { return (m() + n) * tileRowBytes; }
  int64_t ringBytes() const { return stages * stageBytes(); }
};

/// A side in shared memory: copied by hardware, or gathered in pieces by a warpgroup.
struct WarpgroupSide {
  WgmmaTile tile;
  std::optional<TensorCopy> tensor;

  bool isGathered() const { return !tensor; }
};

/// A tile by its warpgroups and columns, with the share of a large product's speed that it reaches
/// alone. Estimates: a smaller tile reads more shared memory per product, and one group cannot
/// multiply while it stores.
struct WarpgroupShape {
  int64_t groups, n;
  double speed;
  bool takesTurns = false;
  int64_t high = 1;

  WarpgroupTile tile() const { return {groups, n, 1, 1, 0, takesTurns, high}; }
};
/// The largest first.
llvm::ArrayRef<WarpgroupShape> warpgroupShapes();

struct WarpgroupGemm {
  TileGemm gemm;
  WarpgroupTile tile;
  WarpgroupSide lhs, rhs;
  /// What the epilogue is told: columns that a warp finishes at a time, and its sixteen lines.
  TileGemm part;
  int64_t clusters; // that are launched; each takes every so many-th unit

  /// Nothing if the form of older chips is used, and a reason if the chip has warpgroups. `parts`
  /// of the sum: as many as are worth it if 0. `lhs`, `rhs`: numbers of the operands.
  static std::optional<WarpgroupGemm> of(const TileGemm &gemm, const Chip &chip, int64_t parts,
                                         std::string &why, int64_t lhs = 0, int64_t rhs = 1);
  int64_t parts() const { return part.parts; }
  bool gathers() const { return lhs.isGathered() || rhs.isGathered(); }
  /// Bytes of a step that hardware copies.
  int64_t tensorBytes() const;
  /// What copies of pieces are told: tiles of a warpgroup's threads.
  TileGemm gathered() const;
  /// Steps whose asynchronous pieces are on their way behind the one that is next.
  int64_t stepsAhead() const;
  int64_t steps() const;
  /// Of a part; the last may have fewer.
  int64_t partSteps() const { return llvm::divideCeil(steps(), parts()); }
  int64_t workspaceBytes() const { return part.workspaceBytes(); }
  /// Tiles of a cluster, and how many of them there are in an entry of the batch and in all.
  int64_t rows() const { return llvm::divideCeil(gemm.m, tile.m() * tile.sharers); }
  int64_t columns() const { return llvm::divideCeil(gemm.n, tile.n); }
  int64_t units() const { return rows() * columns() * gemm.batches() * parts(); }
  int64_t sharedBytes() const;
  /// Where warps stage results, behind the ring.
  int64_t stagingBytes() const;
  TilePick picked() const {
    return {ProductForm::Warpgroups, tile.m(),     tile.n,      parts(),
            tile.dividers,           tile.turns(), tile.sharers};
  }
  /// The model's, and with the kernel's body.
  double cycles(const Chip &chip) const;
  double cyclesWithBody(const Chip &chip) const;
  std::string describe() const;
};

/// Writes the launch of `product.gemm`, and one that adds up parts.
void emitWarpgroups(FusedKernelOpInterface op, DeviceCode &code, const WarpgroupGemm &plan,
                    const TileProduct &product);
/// Warps of the launch that stores results.
int64_t showingWarps(FusedKernelOpInterface op, const WarpgroupGemm &plan,
                     const ProductResults &results);

} // namespace ampc::nvptx
#endif
