// Barriers of the multistage pipeline between producer and consumer warpgroups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_PIPELINEBARRIERS_H
#define LIB_CODEGEN_NVPTX_HOPPER_PIPELINEBARRIERS_H

#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Two mbarriers per stage. Full barrier: completes when all TMA bytes of the stage have arrived,
/// and all producer threads that copy in pieces. Empty barrier: completes when all consumer warps,
/// including consumers in other CTAs of the cluster, have finished reading the stage.
///
/// Ping-pong schedule: an order barrier per consumer warpgroup. A parity wait succeeds at once if
/// the barrier is two phases behind; so a warpgroup may wait for a stage only after the wait for
/// the stage's earlier contents is over, which the order barrier guarantees.
///
/// Memory: [full 0..n-1][empty 0..n-1][order 0, 1], 8 bytes each.
class PipelineBarriers {
public:
  using Value = mlir::Value;
  /// Pipeline state: stage, and the parity of the phase to wait for; i32.
  struct PipelineState {
    Value stage, parity;
  };
  static int64_t bytes(int64_t stages, int64_t orderBarriers) {
    return 16 * stages + 8 * orderBarriers;
  }

  /// `memory`: `bytes` of shared memory. `fillers`: arrivals per CTA that fill a stage, by `expect`
  /// or `fill`; `readers`: warps per CTA that release a stage; `cluster`: CTAs that multicast
  /// copies to each other; `orderBarriers`: 2 in the ping-pong schedule, else 0.
  PipelineBarriers(DeviceEmitter &e, Value memory, int64_t stages, int64_t fillers, int64_t readers,
                   int64_t cluster, int64_t orderBarriers)
      : e(e), memory(memory), stages(stages), fillers(fillers), readers(readers), cluster(cluster),
        orderBarriers(orderBarriers) {}

  /// Called by all threads of all CTAs of the cluster, before anything else.
  void initialise();
  /// Initial pipeline state of the producer (`copies`) or the consumer; an unused stage counts as
  /// empty.
  PipelineState first(bool copies);
  PipelineState next(PipelineState place);
  /// Pipeline state `steps` k-tiles later.
  PipelineState after(PipelineState place, int64_t steps);
  Value nextStage(Value stage);

  /// Full barrier of a stage: completed by copies to the stage.
  Value fullBarrier(Value stage) { return e.advance(memory, e.mul(stage, 8)); }
  /// Producer: waits on the empty barrier; announces the bytes to come (expect_tx).
  void waitUntilEmpty(PipelineState place);
  void expect(PipelineState place, int64_t bytes);
  /// Producer threads that copy in pieces: `fenceAsyncProxy` makes the thread's writes visible to
  /// the async proxy, `fill` arrives at the full barrier. Products that wait on the full barrier
  /// see the writes of all such threads.
  void fenceAsyncProxy();
  void fill(Value stage);
  /// Consumer warps: waits on the full barrier.
  void waitUntilFull(PipelineState place);
  /// Consumer warps: arrives at the empty barrier where `condition` (null: always) holds, in all
  /// lanes or in none.
  void release(Value stage, Value condition);

  /// Order barrier of the ping-pong schedule: called by the warps of consumer warpgroup `group`, 0
  /// or 1, before the first wait for a stage of their tile. `parity`: of the number of tiles so
  /// far, plus 1 in group 0, whose first tile needs no wait.
  void waitForOrderBarrier(Value group, Value parity) { wait(orderBarrier(group), parity); }
  /// Lets the other consumer warpgroup proceed, once all stages of this tile have been waited for.
  void arriveAtOrderBarrier(Value group);

private:
  Value emptyBarrier(Value stage) { return e.advance(fullBarrier(stage), 8 * stages); }
  Value orderBarrier(Value group) { return e.advance(fullBarrier(group), 16 * stages); }
  void wait(Value barrier, Value parity);

  DeviceEmitter &e;
  Value memory;
  int64_t stages, fillers, readers, cluster, orderBarriers;
};

/// Barrier of all threads of a cluster; of the block if `cluster` is 1.
void syncCluster(DeviceEmitter &e, int64_t cluster);

} // namespace ampc::nvptx
#endif
