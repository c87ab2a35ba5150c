// TMA copies: boxes of a tensor, from global to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_TENSORCOPY_H
#define LIB_CODEGEN_NVPTX_HOPPER_TENSORCOPY_H

#include "lib/Codegen/NVPTX/Hopper/Wgmma.h"
#include "lib/Codegen/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// TMA copies of the k-tiles of a GEMM operand. The tensor map, the boxes and the destinations
/// depend on each other and are all defined here. Elements outside of the operand become zeros.
class TensorCopy {
public:
  using Value = mlir::Value;
  /// Nothing, with a reason in `why`, if TMA cannot address the operand. `operand`: index of the
  /// operand; `tile`: destination in shared memory, of which each of `cluster` CTAs multicasts a
  /// share to all CTAs.
  static std::optional<TensorCopy> of(const TileGemm &gemm, const SideLayout &side, int64_t operand,
                                      WgmmaTile tile, int64_t cluster, std::string &why);
  kernel::TensorMapAttr getMap() const { return map; }
  const WgmmaTile &getTile() const { return tile; }

  /// Issues the copies of a k-tile to the tile at `target`: lines from `line` on, points of k from
  /// `point` on, in batch entry `batch`; all i32. The copies complete `barrier` at the same offset
  /// in each destination CTA. `rank`: number of the CTA in the cluster.
  void issue(DeviceEmitter &e, Value map, Value target, Value barrier, Value line, Value point,
             llvm::ArrayRef<Value> batch, Value rank) const;

private:
  kernel::TensorMapAttr map;
  WgmmaTile tile;
  int64_t cluster;
  /// Meaning of the map's dimensions: a batch dimension (>= 0), or a special dimension.
  enum : int { Line = -1, Point = -2 };
  llvm::SmallVector<int> dims;
};

} // namespace ampc::nvptx
#endif
