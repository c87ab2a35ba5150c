// Queues of asynchronous work, and the mbarrier object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_ASYNC_H
#define PTXSIM_MACHINE_ASYNC_H

#include "lib/PTXSim/Machine/Program.h"
#include "lib/PTXSim/Machine/TensorMap.h"
#include <deque>

namespace ptxsim {

/// cp.async of a lane.
struct CopyItem {
  uint32_t shared;
  uint64_t global;
  const uint8_t *from, *fromShadow; ///< host memory of the source, null for zero-fill only
  uint8_t bytes, sourceBytes;       ///< bytes behind sourceBytes become zeros
  uint8_t lane;
};

struct CopyGroup {
  std::vector<CopyItem> items;
  uint32_t clock = 0; ///< of the warp's copy agent in the race detector
};

struct CopyQueue {
  CopyGroup open;
  std::deque<CopyGroup> committed;
};

/// A warp's share of a wgmma: 16 of 64 rows.
struct WgmmaItem {
  const Inst *inst;
  uint64_t a, b; ///< descriptors
  bool accumulate;
};

/// wgmma of a warpgroup; starts when the last warp has issued the instruction.
struct WgmmaOperation {
  WgmmaItem item;          ///< `accumulate` as of the first warp to issue
  bool accumulate[4] = {}; ///< by warp of the group
  unsigned issued = 0;     ///< warps that have issued the operation
  unsigned waited = 0;     ///< warps that have waited for the operation
  bool done = false;
  uint32_t clock = 0; ///< of the group's wgmma agent in the race detector
};

/// Operations that some warp has yet to wait for; `first`: number of the front operation.
struct Warpgroup {
  std::deque<WgmmaOperation> operations;
  uint64_t first = 0;
  WgmmaOperation &operation(uint64_t number) { return operations[number - first]; }
};

/// Progress of a warp in the warpgroup's sequence of wgmma.
struct WgmmaQueue {
  uint64_t issued = 0, waited = 0;
  std::deque<uint64_t> committed; ///< per group: `issued` at the commit
  std::vector<uint8_t> inFlight;  ///< per slot: pending wgmma that use the slot
  std::vector<uint8_t> unfenced;  ///< per slot: accessed since the last wgmma.fence
  bool busy() const { return issued > waited; }
};

/// Bulk stores and reductions of a warp: ids of AsyncOps by group.
struct BulkGroup {
  std::vector<uint64_t> ids;
  uint32_t readClock = 0, writeClock = 0; ///< of the warp's bulk agents
};

struct BulkQueue {
  BulkGroup open;
  std::deque<BulkGroup> committed;
};

/// TMA or bulk copy in flight.
struct AsyncOp {
  enum Kind : uint8_t { TensorLoad, TensorStore, BulkLoad, BulkStore, BulkToCluster, StoreRemote };
  Kind kind;
  bool reduce = false;
  AtomicOp reduction = AtomicOp::Add;
  Type type = Type::None; ///< element type of a reduction
  uint64_t id = 0;
  uint32_t rank = 0, warp = 0; ///< issuing block and warp
  const Inst *inst = nullptr;
  TensorMapData map{};
  int32_t coordinates[5] = {0, 0, 0, 0, 0};
  uint32_t shared = 0;     ///< shared::cta offset in the source or destination block
  uint32_t targetRank = 0; ///< destination block of a copy into shared memory
  uint32_t multicast = 0;  ///< mask of ranks, 0: only targetRank
  uint64_t global = 0;
  uint32_t bytes = 0;
  uint32_t mbarrier = 0;
  uint64_t value[2] = {0, 0};    ///< payload of st.async
  uint32_t agent = 0, clock = 0; ///< race detector: writer of global memory
  uint32_t clocks[16] = {};      ///< per destination block: clock of the mbarrier's agent
};

/// State of an mbarrier; the eight bytes in shared memory are opaque to the kernel.
struct MBarrier {
  uint32_t address = 0;
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0;
  uint64_t phase = 0;
  uint32_t agent = ~0u; ///< race detector: agent of the copies that signal this object
};

} // namespace ptxsim
#endif
