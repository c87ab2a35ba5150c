// Producer copy of a GEMM operand in pieces, by the threads of a warpgroup, into the layout that
// wgmma reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_GATHER_H
#define LIB_CODEGEN_NVPTX_HOPPER_GATHER_H

#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"

namespace ampc::nvptx {

/// Used for operands that no TMA box describes: windows of images (implicit GEMM), and lines not
/// aligned to 16 bytes.
class Gather {
public:
  using Value = mlir::Value;
  /// Copies `lines` lines of a side, starting at `place.line`, or at `place.column` for the right
  /// side; `first` selects which.
  Gather(DeviceEmitter &e, const TileGemm &gemm, const TileProduct::MakeSide &make,
         const KernelPointers &pointers, BlockTile place, Value BlockTile::*first, int64_t lines);

  const bool isRight;
  bool isAsync() const { return tiles.front()->isAsync(); }
  /// Starts the copies of the k-tile at point `k` of the sum to the tile at `target`; copies
  /// through registers are complete on return.
  void copy(Value target, Value k);

private:
  /// Copies tiles known to be inside of the operand (`areInside`), or possibly outside; `atOnce`
  /// tiles share the registers.
  void copyTiles(Value target, Value k, bool areInside, size_t atOnce);
  /// Condition under which the k-tile is inside of the operand; null: always.
  Value isInside(Value k);

  DeviceEmitter &e;
  const TileGemm &gemm;
  Value start; // first line of the side
  int64_t lines;
  llvm::SmallVector<std::unique_ptr<KTileCopy>> tiles;
};

} // namespace ampc::nvptx
#endif
