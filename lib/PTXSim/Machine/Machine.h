// State of a running launch: warps, blocks, clusters and global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_MACHINE_H
#define PTXSIM_MACHINE_MACHINE_H

#include "lib/PTXSim/Machine/Async.h"
#include "lib/PTXSim/Machine/Memory.h"
#include "lib/PTXSim/Machine/Program.h"
#include "lib/PTXSim/Machine/SectorSet.h"
#include <random>

namespace ptxsim {

struct Block;
struct Cluster;
struct Worker;
struct Launch;
class RaceDetector;

struct StackEntry {
  int32_t pc, reconverge;
  uint32_t mask;
};

enum class WarpState : uint8_t {
  Ready,
  Barrier, ///< at a named barrier
  Poll,    ///< asleep after a failed test of an mbarrier or cluster barrier
  Done
};

struct Warp {
  uint8_t *regs = nullptr;
  uint32_t *defined = nullptr; ///< per slot: lanes that wrote the slot
  uint32_t *origin = nullptr;  ///< per slot: pc + 1 of the source of an undefined value
  uint32_t exec = 0, active = 0, alive = 0;
  int32_t pc = 0, reconverge = -1;
  const Inst *current = nullptr;
  Block *block = nullptr;
  uint32_t id = 0; ///< in the block
  WarpState state = WarpState::Ready;
  bool yield = false;
  int32_t barrier = -1;
  uint64_t sleepStamp = 0;
  uint64_t clusterPhase = 0; ///< phase of the last barrier.cluster.arrive
  bool clusterArrived = false;
  std::vector<StackEntry> stack;
  CopyQueue copies;
  WgmmaQueue wgmma;
  BulkQueue bulk;
  uint64_t instructions = 0;

  template <class T> T *reg(uint32_t slot) { return reinterpret_cast<T *>(regs + slot); }
  uint32_t &pred(uint32_t slot) { return *reinterpret_cast<uint32_t *>(regs + slot); }
  void setPred(uint32_t slot, uint32_t bits) {
    uint32_t &p = pred(slot);
    p = (p & ~exec) | (bits & exec);
  }
};

struct NamedBarrier {
  uint32_t arrived = 0, expected = 0;
  uint32_t reduceAnd = ~0u, reduceOr = 0, reduceCount = 0;
  uint64_t generation = 0;
};

struct Block {
  Cluster *cluster = nullptr;
  uint32_t rank = 0; ///< in the cluster
  uint32_t threads = 0;
  Dim3 id;
  std::vector<uint8_t> sharedStorage, sharedShadow;
  uint8_t *shared = nullptr;
  uint32_t sharedBytes = 0;
  std::vector<uint8_t> local, localShadow; ///< [thread][localBytes]
  std::vector<Warp> warps;
  NamedBarrier barriers[16];
  std::vector<MBarrier> mbarriers;
  std::vector<Warpgroup> warpgroups;
  uint64_t stamp = 0;        ///< number of events that can wake a sleeping warp
  bool instrumented = false; ///< accesses are reported to statistics or race detector

  MBarrier *findMbarrier(uint32_t address) {
    for (MBarrier &m : mbarriers)
      if (m.address == address)
        return &m;
    return nullptr;
  }
};

struct Cluster {
  Worker *worker = nullptr;
  Launch *launch = nullptr;
  uint64_t index = 0;
  std::vector<Block> blocks;
  std::vector<AsyncOp> pending; ///< TMA and bulk copies in flight
  uint64_t operations = 0;      ///< number of bulk stores so far
  uint32_t barrierArrived = 0;
  uint64_t barrierPhase = 0;
  RaceDetector *race = nullptr;
};

/// Host thread; reuses the storage of a cluster for all clusters that the thread runs.
struct Worker {
  Launch *launch = nullptr;
  Cluster cluster;
  std::vector<uint8_t> registers;
  std::vector<uint32_t> definedStorage;
  std::vector<Allocation *> hints; ///< per instruction: last allocation accessed
  Statistics statistics;
  SectorSet sectorsRead, sectorsWritten; ///< if statistics are on
  std::vector<uint64_t> opcodeCounts, pcCounts;
  std::vector<Finding> findings;
  std::mt19937_64 random;
  uint64_t instructions = 0;
};

struct Launch {
  const Kernel *kernel = nullptr;
  GlobalMemory *memory = nullptr;
  Options options;
  Dim3 grid, block, cluster;
  uint32_t dynamicShared = 0;
  const uint8_t *parameters = nullptr;
  bool parallel = false; ///< several workers: atomics take a lock
};

/// Adds the location (PTX and source line, block, warp, lanes) and throws.
[[noreturn]] void fault(Warp &w, ErrorKind kind, const std::string &message, uint32_t lanes);
[[noreturn]] inline void fault(Warp &w, ErrorKind kind, const std::string &message) {
  fault(w, kind, message, w.exec);
}
std::string hex(uint64_t value);
/// Location such as "line 12 (kernel.cu:34)".
std::string describeLine(const Kernel &kernel, uint32_t pc);

inline const Kernel &kernelOf(const Warp &w) { return *w.block->cluster->launch->kernel; }
inline const Options &optionsOf(const Warp &w) { return w.block->cluster->launch->options; }
inline const uint32_t *slotsOf(const Warp &w, const Inst &i) {
  return kernelOf(w).slots.data() + i.list;
}
inline uint32_t pcOf(const Warp &w) { return uint32_t(w.current - kernelOf(w).code.data()); }
inline RaceDetector *raceOf(const Warp &w) { return w.block->cluster->race; }
inline uint32_t firstLane(uint32_t mask) { return uint32_t(__builtin_ctz(mask)); }

/// Continues with the next path of the divergence stack if the current path has ended or has no
/// lanes.
void popPath(Warp &w);
void markUndefined(Warp &w, uint32_t slot, uint32_t lanes);
/// Faults: an undefined register (never written, or loaded from unwritten memory) affects
/// behaviour.
[[noreturn]] void reportUndefined(Warp &w, uint32_t index, uint32_t lanes);
inline void markDefined(Warp &w, uint32_t slot, uint32_t lanes) {
  if (w.defined)
    w.defined[slotIndex(slot)] |= lanes;
}

} // namespace ptxsim
#endif
