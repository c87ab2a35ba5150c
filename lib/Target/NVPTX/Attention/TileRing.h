// Tiles that pass by in shared memory: while one is in use, others arrive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_TILERING_H
#define LIB_TARGET_NVPTX_ATTENTION_TILERING_H

#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// A ring of stages. One barrier per tile: behind it the tile is there for all, and all have left
/// the stage that is filled next.
class TileRing {
public:
  using Value = mlir::Value;
  /// Starts the copies of a tile to a stage.
  using Issue = llvm::function_ref<void(Value stage, Value tile)>;
  using Use = llvm::function_ref<llvm::SmallVector<Value>(Value stage, Value tile,
                                                          mlir::ValueRange carried)>;

  /// Tiles [from, to), which are of type index; `mayBeEmpty`: there may be none. `forWarpgroups`:
  /// their products read what arrives.
  TileRing(DeviceEmitter &e, Value memory, int64_t stages, int64_t stageBytes, Value from, Value to,
           bool forWarpgroups, bool mayBeEmpty)
      : e(e), memory(memory), stages(stages), stageBytes(stageBytes), from(from), to(to),
        forWarpgroups(forWarpgroups), mayBeEmpty(mayBeEmpty) {}
  /// All stages but one are on their way, as far as there are tiles; what was copied before arrives
  /// with the first.
  void start(Issue issue);
  /// Waits for the first tile, and what was copied before.
  void waitForFirst();
  /// Uses every tile; returns what is carried. No copy is left then.
  llvm::SmallVector<Value> run(mlir::ValueRange carried, Issue issue, Use use);

private:
  Value next(Value stage);

  DeviceEmitter &e;
  Value memory;
  int64_t stages, stageBytes;
  Value from, to;
  bool forWarpgroups, mayBeEmpty;
};

} // namespace ampc::nvptx
#endif
