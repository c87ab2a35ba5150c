// The barriers between copies and products of a ring of stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_HOPPER_BARRIERRING_H
#define LIB_TARGET_NVPTX_HOPPER_BARRIERRING_H

#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Each stage has two mbarrier objects. One completes when all bytes of the stage are there and all
/// threads that copy in pieces have arrived, the other when all warps that read them, those of the
/// other blocks of the cluster included, need them no longer.
///
/// Where two warpgroups take turns at reading, each has a barrier more, for the turn: a wait for a
/// parity is over at once if the barrier is two phases behind, so that a stage may only be waited
/// for when the wait for what it had before is over.
class BarrierRing {
public:
  using Value = mlir::Value;
  /// A stage, and the parity of the phase of its barriers that is waited for; i32.
  struct Place {
    Value stage, parity;
  };
  static int64_t bytes(int64_t stages, bool takesTurns) {
    return 16 * stages + (takesTurns ? 16 : 0);
  }

  /// `memory`: of `bytes`. `fillers`: arrivals of a block that fill a stage, by `expect` or `fill`;
  /// `readers`: its warps that release a stage; `cluster`: blocks whose copies go to each other.
  BarrierRing(DeviceEmitter &e, Value memory, int64_t stages, int64_t fillers, int64_t readers,
              int64_t cluster, bool takesTurns)
      : e(e), memory(memory), stages(stages), fillers(fillers), readers(readers), cluster(cluster),
        takesTurns(takesTurns) {}

  /// By all threads of all blocks of the cluster, before anything else.
  void initialise();
  /// Where the first copy or the first product is; a stage that nothing has filled counts as
  /// released.
  Place first(bool copies);
  Place next(Place place);
  /// Of so many steps later.
  Place after(Place place, int64_t steps);
  Value nextStage(Value stage);

  /// The barrier that copies to the stage complete.
  Value filled(Value stage) { return e.advance(memory, e.mul32(stage, 8)); }
  /// By threads that copy: until the stage is free; then how much will come.
  void waitUntilReleased(Place place);
  void expect(Place place, int64_t bytes);
  /// By threads that copy in pieces: what the thread has written so far is seen by products that
  /// wait until all of them have filled the stage.
  void publish();
  void fill(Value stage);
  /// By warps that read.
  void waitUntilFilled(Place place);
  /// Where `condition` (none if null) holds, in all lanes or none.
  void release(Value stage, Value condition);

  /// By the warps of warpgroup `group`, 0 or 1, before they wait for stages of their turn.
  /// `parity`: of the turns that it has had, where group 0 counts one more: its first comes by
  /// itself.
  void waitForTurn(Value group, Value parity) { wait(turn(group), parity); }
  /// When all stages of a turn have been waited for: the other warpgroup's begins.
  void passTurn(Value group);

private:
  Value released(Value stage) { return e.advance(filled(stage), 8 * stages); }
  Value turn(Value group) { return e.advance(filled(group), 16 * stages); }
  void wait(Value barrier, Value parity);

  DeviceEmitter &e;
  Value memory;
  int64_t stages, fillers, readers, cluster;
  bool takesTurns;
};

/// All threads of the blocks of a cluster wait for each other; or of the block, if it is alone.
void syncCluster(DeviceEmitter &e, int64_t cluster);

} // namespace ampc::nvptx
#endif
