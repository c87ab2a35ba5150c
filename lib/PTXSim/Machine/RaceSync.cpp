// Happens-before race detection: synchronisation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Race.h"

namespace ptxsim {

void RaceDetector::warpBarrier(Warp &w) { state(w).epoch++; }

void RaceDetector::barrierArrive(Warp &w, unsigned id) {
  named[w.block->rank][id].arrived.join(state(w).knows);
  tickWarp(w);
}

void RaceDetector::barrierRelease(Block &block, unsigned id, const std::vector<Warp *> &waiting) {
  Knowledge &arrived = named[block.rank][id].arrived;
  for (Warp *w : waiting) {
    state(*w).knows.join(arrived);
    state(*w).epoch++;
  }
  arrived.clear();
}

void RaceDetector::fence(Warp &w, uint16_t flags) {
  WarpState &s = state(w);
  if (flags & InstFlag::Acquire) {
    s.knows.join(s.pending);
    s.pending.clear();
  }
  if (flags & InstFlag::Release) {
    s.released = s.knows;
    s.hasReleased = true;
    tickWarp(w);
  }
}

void RaceDetector::proxyFence(Warp &w) {
  WarpState &s = state(w);
  s.knows.fenced.join(s.knows.seen);
  tickWarp(w);
}

void RaceDetector::initFence(Warp &w) {
  WarpState &s = state(w);
  s.ownInits.set(index(w), warpClock(w));
  for (auto &entry : mbarriers)
    if (entry.second.initWarp == index(w))
      entry.second.initFenced = true;
  tickWarp(w);
}

// --- Variables used for synchronisation -------------------------------------------------------

/// Stores clocks of this cluster as a foreign entry, like clocks of any other cluster.
void RaceDetector::publish(Knowledge &location, const Knowledge &what) {
  location.foreign[cluster.index + 1].join(what.seen);
  for (const auto &entry : what.foreign)
    location.foreign[entry.first].join(entry.second);
}

void RaceDetector::absorb(Knowledge &into, const Knowledge &location) {
  for (const auto &entry : location.foreign) {
    if (entry.first == cluster.index + 1)
      into.seen.join(entry.second);
    else
      into.foreign[entry.first].join(entry.second);
  }
}

/// Strong access. Release publishes all knowledge, relaxed the knowledge at the last fence. Acquire
/// learns now, relaxed at the next fence.
void RaceDetector::synchronizeAt(Warp &w, const Inst &i, uint64_t address, bool reads,
                                 bool writes) {
  WarpState &s = state(w);
  Knowledge &location = locations[address];
  if (reads)
    absorb(i.flags & InstFlag::Acquire ? s.knows : s.pending, location);
  if (!writes)
    return;
  if (i.flags & InstFlag::Release)
    publish(location, s.knows);
  else if (s.hasReleased)
    publish(location, s.released);
  tickWarp(w);
}

// --- Clusters ---------------------------------------------------------------------------------

void RaceDetector::clusterArrive(Warp &w, bool release) {
  WarpState &s = state(w);
  if (release)
    clusterArrived.join(s.knows);
  else if (s.hasReleased) // by a fence before the relaxed arrive
    clusterArrived.join(s.released);
  clusterInits.join(s.ownInits);
  tickWarp(w);
}

void RaceDetector::clusterComplete() {
  clusterDone.join(clusterArrived);
  clusterArrived.clear();
  clusterInitsDone.join(clusterInits);
  clusterInits.clear();
}

void RaceDetector::clusterWait(Warp &w, bool acquire) {
  WarpState &s = state(w);
  (acquire ? s.knows : s.pending).join(clusterDone);
  if (acquire)
    s.inits.join(clusterInitsDone);
  s.epoch++;
}

void RaceDetector::remoteUse(Warp &w, Block &block, uint32_t agent, uint32_t clock,
                             const char *what) {
  RemoteUse &use = remoteUses[{agent, block.rank}];
  if (clock >= use.clock)
    use = {clock, pcOf(w), index(w), what};
}

void RaceDetector::warpExit(Warp &w) { exits[w.block->rank].join(state(w).knows.seen); }

/// Accesses to another block's memory must happen before that block exits.
void RaceDetector::blockExit() {
  for (const auto &entry : remoteUses) {
    uint32_t agent = entry.first.first, rank = entry.first.second;
    const RemoteUse &use = entry.second;
    if (exits[rank].get(agent) >= use.clock)
      continue;
    Warp &w = cluster.blocks[use.warp / warpsPerBlock].warps[use.warp % warpsPerBlock];
    w.current = &kernelOf(w).code[use.pc];
    report(w,
           std::string("not ordered before the exit of the target block: remote ") + use.what +
               " to block rank " + std::to_string(rank),
           ~0u);
  }
}

// --- mbarrier ---------------------------------------------------------------------------------

void RaceDetector::mbarrierInit(Warp &w, Block &block, uint32_t address) {
  BarrierState &b = mbarriers[{block.rank, address}];
  b = BarrierState();
  b.initWarp = index(w);
  b.initClock = warpClock(w);
}

void RaceDetector::mbarrierUse(Warp &w, Block &block, uint32_t address, const char *what) {
  const BarrierState &b = mbarriers[{block.rank, address}];
  const WarpState &s = state(w);
  if (b.initWarp == index(w) || s.knows.seen.get(b.initWarp) >= b.initClock ||
      s.inits.get(b.initWarp) >= b.initClock)
    return;
  report(w, std::string("mbarrier used (") + what + ") without being ordered after mbarrier.init",
         ~0u);
}

void RaceDetector::mbarrierAsyncUse(Warp &w, Block &block, uint32_t address) {
  const BarrierState &b = mbarriers[{block.rank, address}];
  if (!b.initFenced && state(w).knows.fenced.get(b.initWarp) < b.initClock)
    report(
        w,
        "missing fence.mbarrier_init or fence.proxy.async: a copy signals the mbarrier at shared "
        "address " +
            hex(address) + ", whose init the asynchronous proxy may not see",
        ~0u);
}

void RaceDetector::mbarrierArrive(Warp &w, Block &block, uint32_t address, bool release) {
  const WarpState &s = state(w);
  if (release)
    mbarriers[{block.rank, address}].arrived.join(s.knows);
  else if (s.hasReleased)
    mbarriers[{block.rank, address}].arrived.join(s.released);
  if (&block != w.block)
    remoteUse(w, block, index(w), warpClock(w), "mbarrier arrive");
  tickWarp(w);
}

void RaceDetector::mbarrierSignal(Block &block, uint32_t address, uint32_t agent, uint32_t clock) {
  VectorClock &seen = mbarriers[{block.rank, address}].arrived.seen;
  if (seen.get(agent) < clock)
    seen.set(agent, clock);
}

/// Waits distinguish phases by parity: two phases without a wait look like none.
void RaceDetector::mbarrierPhase(Warp &w, Block &block, uint32_t address) {
  BarrierState &b = mbarriers[{block.rank, address}];
  if (++b.unwaited == 2)
    report(w,
           "two phases of the mbarrier at shared address " + hex(address) +
               " completed without a wait in between",
           ~0u);
  b.done.join(b.arrived);
  b.arrived.clear();
}

void RaceDetector::mbarrierWait(Warp &w, Block &block, uint32_t address, bool acquire) {
  if (acquire)
    state(w).knows.join(mbarriers[{block.rank, address}].done);
  mbarriers[{block.rank, address}].unwaited = 0;
  state(w).epoch++;
}

} // namespace ptxsim
