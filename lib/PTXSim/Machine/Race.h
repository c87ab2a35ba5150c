// Happens-before race detection with vector clocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents: every warp, and every asynchronous engine (cp.async of a warp, wgmma operand reads, bulk
// stores, and per mbarrier the copies that signal the mbarrier). Two accesses to a byte race if at
// least one writes, not both are synchronising, and neither happens before the other. A second
// clock per warp holds the state that fence.proxy.async made visible to the asynchronous proxy.
// Within a warp, only bar.warp.sync and barriers order lanes.
#ifndef PTXSIM_MACHINE_RACE_H
#define PTXSIM_MACHINE_RACE_H

#include "lib/PTXSim/Machine/Access.h"
#include <unordered_map>

namespace ptxsim {

/// Clock values by agent, grown on demand; missing entries are 0. Example: [3, 0, 7] -> agent 2 up
/// to 7.
struct VectorClock {
  std::vector<uint32_t> at;
  uint32_t get(uint32_t agent) const { return agent < at.size() ? at[agent] : 0; }
  void set(uint32_t agent, uint32_t value) {
    if (agent >= at.size())
      at.resize(agent + 1, 0);
    at[agent] = value;
  }
  void join(const VectorClock &other) {
    if (at.size() < other.at.size())
      at.resize(other.at.size(), 0);
    for (size_t k = 0; k < other.at.size(); k++)
      at[k] = at[k] < other.at[k] ? other.at[k] : at[k];
  }
  void clear() { at.clear(); }
};

/// Knowledge of an agent: clocks seen, clocks fenced for the asynchronous proxy, and clocks of
/// other clusters by cluster.
struct Knowledge {
  VectorClock seen, fenced;
  std::unordered_map<uint64_t, VectorClock> foreign;
  void join(const Knowledge &other);
  void clear();
};

/// Last write and later reads of a byte, or of a word whose bytes have equal histories.
struct RaceCell {
  uint64_t cluster = 0; ///< cluster index + 1 of the last access, 0: none
  uint32_t writeClock = 0, readClock = 0;
  uint32_t writePc = 0, readPc = 0;
  uint32_t writeEpoch = 0, readEpoch = 0; ///< warp-barrier epoch, for races between lanes
  uint16_t writer = 0xffff, reader = 0xffff;
  int8_t writeLane = -1, readLane = -1;
  bool writeStrong = false, readStrong = false, writeAsync = false;
  uint32_t sharedReads = 0; ///< index + 1 into the table of read sets
};

struct RaceWord {
  RaceCell whole;
  uint32_t split = 0; ///< index + 1 into the table of split words
};

/// Lane of a warp's access by address: lane (address - base) / bytes for contiguous accesses, else
/// the single given lane (-1: several or none).
struct LanePattern {
  uint64_t base = 0;
  unsigned bytes = 0;
  int lane = -1;
  /// Pattern of 16 aligned bytes; without a stride if a single lane accessed all 16.
  LanePattern within(uint64_t address) const {
    bool oneLane = bytes >= 16 && (address - base) % 16 == 0;
    return oneLane ? LanePattern{0, 0, at(address)} : *this;
  }
  int at(uint64_t address) const { return bytes ? int((address - base) / bytes) : lane; }
  bool operator==(const LanePattern &o) const {
    return bytes == o.bytes && (!bytes || base == o.base);
  }
};

/// History of 64 bytes, or of a quarter, that were only accessed as a whole: a single cell. Other
/// lines are split into quarters, other quarters into words.
struct RaceLine {
  RaceCell cell;
  LanePattern pattern;
  bool uniform = true;
  bool untouched() const { return cell.cluster == 0; }
};

/// Shadow of 4096 bytes.
struct RacePage {
  static constexpr unsigned bytes = 4096, lineBytes = 64, quarterBytes = 16;
  RaceLine lines[bytes / lineBytes];
  std::unique_ptr<RaceLine[]> quarters;
  std::unique_ptr<RaceWord[]> words;
};

class RaceDetector {
public:
  RaceDetector(Cluster &cluster, std::vector<Finding> &findings);
  /// Starts a new cluster: clears all history of shared memory.
  void reset();

  // Accesses.
  void globalAccess(Warp &w, const Inst &i, const uint64_t *addresses, uint32_t mask,
                    unsigned bytes, AccessKind kind);
  void sharedAccess(Warp &w, const Inst &i, const uint64_t *addresses, uint32_t mask,
                    unsigned bytes, AccessKind kind);
  /// Access by an asynchronous agent on behalf of a warp.
  struct AsyncAccess {
    uint32_t agent, clock;
    bool write;
    bool asyncProxy; ///< needs fence.proxy.async
    int lane = -1;
  };
  /// cp.async of lanes into shared memory, or out of `allocations`. Neighbouring lanes are checked
  /// together; each lane's bytes are in a single allocation.
  void copyAccess(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes,
                  Allocation *const *allocations, const AsyncAccess &a);
  void sharedRange(Warp &w, Block &block, uint32_t offset, unsigned bytes, const AsyncAccess &a);
  void globalRange(Warp &w, Allocation &allocation, uint64_t address, unsigned bytes,
                   const AsyncAccess &a);

  // Agents.
  enum AgentKind : uint8_t { CopyAgent = 1, WgmmaAgent, BulkAgent, BulkWriteAgent };
  uint32_t agentOf(const Warp &w, AgentKind kind) const;
  uint32_t tick(uint32_t agent) { return ++asyncClocks[agent]; }
  uint32_t mbarrierAgent(MBarrier &m);
  /// Wait for cp.async: other lanes see the data after the next warp barrier.
  void copiesWaited(Warp &w, uint32_t clock);
  /// The warp has waited for the agent's work up to `clock`.
  void acquireAgent(Warp &w, uint32_t agent, uint32_t clock);

  // Synchronisation.
  void warpBarrier(Warp &w);
  void barrierArrive(Warp &w, unsigned id);
  void barrierRelease(Block &block, unsigned id, const std::vector<Warp *> &waiting);
  void fence(Warp &w, uint16_t flags);
  void proxyFence(Warp &w);
  /// fence.mbarrier_init: orders the warp's mbarrier.init only.
  void initFence(Warp &w);
  void clusterArrive(Warp &w, bool release);
  void clusterComplete();
  void clusterWait(Warp &w, bool acquire);
  void mbarrierInit(Warp &w, Block &block, uint32_t address);
  void mbarrierUse(Warp &w, Block &block, uint32_t address, const char *what);
  /// Copy that will signal the object; the initialisation must be visible to the asynchronous
  /// proxy.
  void mbarrierAsyncUse(Warp &w, Block &block, uint32_t address);
  void mbarrierArrive(Warp &w, Block &block, uint32_t address, bool release);
  void mbarrierSignal(Block &block, uint32_t address, uint32_t agent, uint32_t clock);
  void mbarrierPhase(Warp &w, Block &block, uint32_t address);
  void mbarrierWait(Warp &w, Block &block, uint32_t address, bool acquire);
  /// Access by the warp to another block's memory: that block must not exit before.
  void remoteUse(Warp &w, Block &block, uint32_t agent, uint32_t clock, const char *what);
  void warpExit(Warp &w);
  void blockExit();

  // wgmma
  /// Adds the warp's knowledge to the operation, which starts after the last warp has issued.
  void wgmmaIssued(Warp &w, const Warp &first, uint64_t number) {
    wgmmaKnows[{index(first), number}].join(state(w).knows);
  }
  /// Calls `observe`, which checks accesses, with the joint knowledge of all warps.
  template <class F> void wgmmaBegins(Warp &w, const Warp &first, uint64_t number, F observe) {
    auto joint = wgmmaKnows.find({index(first), number});
    std::swap(state(w).knows, joint->second);
    observe();
    std::swap(state(w).knows, joint->second);
    wgmmaKnows.erase(joint);
  }
  /// Checks for register hazards.
  void beforeInstruction(Warp &w, const Inst &i);

  void report(Warp &w, const std::string &message, uint32_t otherPc);
  uint64_t suppressed = 0; ///< findings in suppressed lines

private:
  struct WarpState {
    Knowledge knows;
    Knowledge released;   ///< at the last fence: published by relaxed stores and atomics
    Knowledge pending;    ///< from relaxed reads: known after the next fence
    VectorClock inits;    ///< mbarrier.init known beyond `knows`, by warp
    VectorClock ownInits; ///< initialisations fenced by this warp
    bool hasReleased = false;
    uint32_t epoch = 1;
    std::vector<uint32_t> copyWaitEpoch; ///< epoch of the wait, by clock of the copy agent
  };
  struct BarrierState {
    Knowledge arrived, done;
    uint32_t initWarp = 0, initClock = 0;
    bool initFenced = false; ///< by fence.mbarrier_init
    uint32_t unwaited = 0;   ///< phases completed since the last wait
  };
  struct ReadSet {
    std::vector<std::pair<uint32_t, uint32_t>> clockAndPc; ///< by agent
  };
  struct Accessor {
    uint32_t agent, clock;
    int lane;
    uint32_t epoch;
    uint32_t pc;
    bool write, strong, async;
  };
  struct RemoteUse {
    uint32_t clock = 0, pc = 0, warp = 0;
    const char *what = "";
  };

  WarpState &state(const Warp &w) { return warps[index(w)]; }
  uint32_t index(const Warp &w) const;
  uint32_t warpClock(const Warp &w) { return state(w).knows.seen.get(index(w)); }
  void tickWarp(const Warp &w) { state(w).knows.seen.at[index(w)]++; }
  bool ordered(Warp &w, uint64_t cellCluster, uint32_t agent, uint32_t clock);
  /// Checks bytes [begin, end) of the page that starts at `pageAddress`.
  void pageAccess(Warp &w, RacePage &page, uint64_t pageAddress, uint64_t begin, uint64_t end,
                  Accessor a, const LanePattern &pattern, const char *space);
  /// Checks the intersection of [begin, end) with line (or quarter) `index` at `address`.
  template <bool Quarter>
  void lineAccess(Warp &w, RacePage &page, unsigned index, uint64_t address, uint64_t begin,
                  uint64_t end, Accessor &a, const LanePattern &pattern, const char *space);
  void wordAccess(Warp &w, RaceWord *words, uint64_t begin, uint64_t end, Accessor &a,
                  const LanePattern &pattern, const char *space);
  void splitIntoQuarters(RacePage &page, unsigned index, uint64_t lineAddress);
  void splitIntoWords(RacePage &page, unsigned index, uint64_t address);
  RaceCell copyCell(const RaceCell &cell, int lane);
  void sharedBytes(Warp &w, Block &block, uint64_t begin, uint64_t end, const Accessor &a,
                   const LanePattern &pattern);
  void globalBytes(Warp &w, Allocation &allocation, uint64_t begin, uint64_t end, const Accessor &a,
                   const LanePattern &pattern);
  Accessor accessorOf(Warp &w, const Inst &i, AccessKind kind);
  void publish(Knowledge &location, const Knowledge &what);
  void absorb(Knowledge &into, const Knowledge &location);
  void touch(Warp &w, RaceWord &word, unsigned byteMask, const Accessor &a, uint64_t address,
             const char *space);
  void touchCell(Warp &w, RaceCell &cell, const Accessor &a, uint64_t address, const char *space);
  bool lanesUnordered(Warp &w, const RaceCell &cell, const Accessor &a);
  void recordRead(RaceCell &cell, const Accessor &a);
  void checkReaders(Warp &w, RaceCell &cell, const Accessor &a, uint64_t address,
                    const char *space);
  void conflict(Warp &w, const char *kind, const Accessor &a, uint32_t otherPc, uint64_t address,
                const char *space);
  void synchronizeAt(Warp &w, const Inst &i, uint64_t address, bool reads, bool writes);
  std::string agentName(uint32_t agent) const;

  Cluster &cluster;
  std::vector<Finding> &findings;
  uint32_t warpCount = 0, warpsPerBlock = 0, nextAgent = 0;
  std::vector<WarpState> warps;
  std::vector<uint32_t> asyncClocks;
  std::vector<std::vector<RacePage>> shared; ///< per block of the cluster
  std::vector<std::array<BarrierState, 16>> named;
  std::map<std::pair<uint32_t, uint32_t>, BarrierState> mbarriers; ///< by rank and address
  Knowledge clusterArrived, clusterDone;
  VectorClock clusterInits, clusterInitsDone;
  /// Cells too detailed for the shadow; the shared-memory table is cleared with every cluster.
  struct Tables {
    std::vector<std::array<RaceCell, 4>> splits;
    std::vector<ReadSet> readSets;
  };
  Tables sharedTables, globalTables;
  Tables *tables = &sharedTables;                    ///< of the memory being accessed
  std::unordered_map<uint64_t, Knowledge> locations; ///< synchronising variables by address
  std::map<std::pair<uint32_t, uint32_t>, RemoteUse> remoteUses; ///< by agent and target rank
  std::map<std::pair<uint32_t, uint64_t>, Knowledge> wgmmaKnows; ///< by first warp and number
  std::vector<VectorClock> exits; ///< per block: joined clocks of the warps at exit
  std::map<std::tuple<std::string, uint32_t, uint32_t>, bool> reported;
};

} // namespace ptxsim
#endif
