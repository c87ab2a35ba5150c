// Queues of asynchronous work and the mbarrier object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_ASYNC_H
#define PTXSIM_MACHINE_ASYNC_H

#include "lib/PTXSim/Machine/Program.h"
#include "lib/PTXSim/Machine/TensorMap.h"
#include <deque>

namespace ptxsim {

/// One lane's cp.async.
struct CopyItem {
  uint32_t shared;
  uint64_t global;
  const uint8_t *from, *fromShadow; ///< host memory of the source, null if nothing is read
  uint8_t bytes, sourceBytes;       ///< the rest is filled with zeros
  uint8_t lane;
};

struct CopyGroup {
  std::vector<CopyItem> items;
  uint32_t clock = 0; ///< of the warp's copy agent, for the race detector
};

struct CopyQueue {
  CopyGroup open;
  std::deque<CopyGroup> committed;
};

/// One warp's share of a wgmma: 16 of its 64 rows.
struct WgmmaItem {
  const Inst *inst;
  uint64_t a, b; ///< descriptors
  bool accumulate;
};

/// A wgmma is the warpgroup's: it begins when the last warp has issued it.
struct WgmmaOperation {
  WgmmaItem item;          ///< `accumulate` of the warp that issued it first
  bool accumulate[4] = {}; ///< by warp of the group
  unsigned issued = 0;     ///< how many warps have issued it
  unsigned waited = 0;     ///< how many have waited for it
  bool done = false;
  uint32_t clock = 0; ///< of the group's wgmma agent, for the race detector
};

/// The wgmma that not all warps have waited for; `first` is the number of the front one.
struct Warpgroup {
  std::deque<WgmmaOperation> operations;
  uint64_t first = 0;
  WgmmaOperation &operation(uint64_t number) { return operations[number - first]; }
};

/// How far a warp has come in its warpgroup's sequence of wgmma.
struct WgmmaQueue {
  uint64_t issued = 0, waited = 0;
  std::deque<uint64_t> committed; ///< per group: `issued` when it was committed
  std::vector<uint8_t> inFlight;  ///< per slot: number of wgmma not waited for that use it
  std::vector<uint8_t> unfenced;  ///< per slot: accessed since the last wgmma.fence
  bool busy() const { return issued > waited; }
};

/// Bulk stores and reductions of a warp: ids of AsyncOps per group.
struct BulkGroup {
  std::vector<uint64_t> ids;
  uint32_t readClock = 0, writeClock = 0; ///< of the warp's bulk agents
};

struct BulkQueue {
  BulkGroup open;
  std::deque<BulkGroup> committed;
};

/// A TMA or bulk copy that has been issued.
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
  uint32_t agent = 0, clock = 0; ///< race detector: who writes global memory
  uint32_t clocks[16] = {};      ///< per destination block, of its mbarrier's agent
};

/// State of an mbarrier. The eight bytes in shared memory stay opaque to the kernel.
struct MBarrier {
  uint32_t address = 0;
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0;
  uint64_t phase = 0;
  uint32_t agent = ~0u; ///< race detector: stands for the copies that signal this object
};

} // namespace ptxsim
#endif
