// A side of a product, copied in pieces by the threads of a warpgroup to where wgmma reads it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_HOPPER_GATHER_H
#define LIB_TARGET_NVPTX_HOPPER_GATHER_H

#include "lib/Target/NVPTX/Hopper/WarpgroupGemm.h"

namespace ampc::nvptx {

/// For sides that no box of a tensor describes: windows of images, and lines that are not aligned
/// to 16 bytes.
class Gather {
public:
  using Value = mlir::Value;
  /// Of `lines` of the side, from `place.line` on, or, of the right one, `place.column`: `first`.
  Gather(DeviceEmitter &e, const TileGemm &gemm, const TileProduct::MakeSide &make,
         const KernelPointers &pointers, BlockPlace place, Value BlockPlace::*first, int64_t lines);

  const bool isRight;
  bool isAsync() const { return tiles.front()->isAsync(); }
  /// Starts the copies of a step from point `k` of the sum on, to the tile at `target`; those
  /// through registers are complete.
  void copy(Value target, Value k);

private:
  /// Of tiles that are inside of the operand, or perhaps not, as many as `atOnce` in registers.
  void copyTiles(Value target, Value k, bool areInside, size_t atOnce);
  /// Null: always.
  Value isInside(Value k);

  DeviceEmitter &e;
  const TileGemm &gemm;
  Value start; // the first line
  int64_t lines;
  llvm::SmallVector<std::unique_ptr<StepCopy>> tiles;
};

} // namespace ampc::nvptx
#endif
