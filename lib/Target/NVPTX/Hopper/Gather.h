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
  /// Starts the copies of a step from point `k` of the sum on, to the tile at `target`; of those
  /// through registers, as many loads as there are registers for.
  void begin(Value target, Value k);
  /// The rest of them.
  void end(Value target, Value k);

private:
  static Value placeOf(DeviceEmitter &e, Value target, size_t tile) {
    return e.advance(target, int64_t(tile) * gatheredLines * tileRowBytes);
  }
  void load(Value target, Value k, size_t from);

  DeviceEmitter &e;
  llvm::SmallVector<std::unique_ptr<StepCopy>> tiles;
  llvm::SmallVector<StepCopy::Values> moved; // of the tiles that are on their way
};

} // namespace ampc::nvptx
#endif
