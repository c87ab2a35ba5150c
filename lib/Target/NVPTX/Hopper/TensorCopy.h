// Boxes of a tensor in global memory, copied to shared memory by hardware of their own (TMA).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_HOPPER_TENSORCOPY_H
#define LIB_TARGET_NVPTX_HOPPER_TENSORCOPY_H

#include "lib/Target/NVPTX/Hopper/Wgmma.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// How the steps of a side of a product are copied. The map, the boxes and where they go follow
/// from one another, and are all here. What is outside of the side becomes zeros.
class TensorCopy {
public:
  using Value = mlir::Value;
  /// Nothing, and a reason, if the hardware cannot address the side. `operand`: its number;
  /// `tile`: in shared memory, of which each of `cluster` blocks copies a part for all of them.
  static std::optional<TensorCopy> of(const TileGemm &gemm, const SideLayout &side, int64_t operand,
                                      WgmmaTile tile, int64_t cluster, std::string &why);
  kernel::TensorMapAttr getMap() const { return map; }
  const WgmmaTile &getTile() const { return tile; }

  /// Starts the copies of a step to the tile at `target`: of lines from `line` on, points of k from
  /// `point` on, in the entry `batch` of the batch; all i32. They complete the same barrier of each
  /// block that they go to. `rank`: the block's number in the cluster.
  void issue(DeviceEmitter &e, Value map, Value target, Value barrier, Value line, Value point,
             llvm::ArrayRef<Value> batch, Value rank) const;

private:
  kernel::TensorMapAttr map;
  WgmmaTile tile;
  int64_t cluster;
  /// What the map's dimensions are: of the batch, or one of these.
  enum : int { Line = -1, Point = -2 };
  llvm::SmallVector<int> dims;
};

} // namespace ampc::nvptx
#endif
