// Multistage pipeline of streamed tiles in shared memory: products of a tile overlap with copies of
// the next tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_TILEPIPELINE_H
#define LIB_CODEGEN_NVPTX_ATTENTION_TILEPIPELINE_H

#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Circular buffer of stages, filled by cp.async. A single barrier per tile: after the barrier the
/// tile is visible to all threads, and no thread reads the stage that is filled next.
class TilePipeline {
public:
  using Value = mlir::Value;
  /// Issues the copies of a tile to a stage.
  using Issue = llvm::function_ref<void(Value stage, Value tile)>;
  using Use = llvm::function_ref<llvm::SmallVector<Value>(Value stage, Value tile,
                                                          mlir::ValueRange carried)>;

  /// Tiles [from, to), of type index; `mayBeEmpty`: the range may be empty. `forWarpgroups`: wgmma
  /// reads the tiles.
  TilePipeline(DeviceEmitter &e, Value memory, int64_t stages, int64_t stageBytes, Value from,
               Value to, bool forWarpgroups, bool mayBeEmpty)
      : e(e), memory(memory), stages(stages), stageBytes(stageBytes), from(from), to(to),
        forWarpgroups(forWarpgroups), mayBeEmpty(mayBeEmpty) {}
  /// Prologue: issues all stages but the last, as far as there are tiles. Copies issued before
  /// arrive together with the first tile.
  void start(Issue issue);
  /// Waits for the first tile and for copies issued before `start`.
  void waitForFirst();
  /// Main loop: calls `use` for every tile and returns the carried values. No copy is in flight
  /// afterwards.
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
