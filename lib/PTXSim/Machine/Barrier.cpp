// Named barriers, warp barriers, cluster barriers and fences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Race.h"

namespace ptxsim {

namespace {

uint32_t uniform(Warp &w, uint32_t slot, const char *what) {
  const uint32_t *v = w.reg<uint32_t>(slot);
  uint32_t value = v[firstLane(w.exec)];
  for (uint32_t m = w.exec; m; m &= m - 1)
    if (v[firstLane(m)] != value)
      fault(w, ErrorKind::Barrier, std::string("lanes disagree on ") + what);
  return value;
}

uint32_t runningThreads(const Block &block) {
  uint32_t n = 0;
  for (const Warp &w : block.warps)
    n += w.state != WarpState::Done ? 32 : 0;
  return n;
}

/// Releases all waiting warps if the barrier is complete.
void releaseIfComplete(Block &block, unsigned id) {
  NamedBarrier &b = block.barriers[id];
  uint32_t need = b.expected ? b.expected : runningThreads(block);
  if (b.arrived == 0 || b.arrived < need)
    return;
  std::vector<Warp *> waiting;
  for (Warp &w : block.warps)
    if (w.state == WarpState::Barrier && w.barrier == int32_t(id)) {
      waiting.push_back(&w);
      w.state = WarpState::Ready;
      if (w.current->op == Opcode::BarrierRed) {
        const Inst &i = *w.current;
        if (i.imm == 0)
          for (uint32_t m = w.exec; m; m &= m - 1)
            w.reg<uint32_t>(i.dst)[firstLane(m)] = b.reduceCount;
        else
          w.setPred(i.dst, i.imm == 1 ? b.reduceAnd : b.reduceOr);
        markDefined(w, i.dst, w.exec);
      }
    }
  if (block.cluster->race)
    block.cluster->race->barrierRelease(block, id, waiting);
  b = NamedBarrier();
  block.stamp++;
}

void barrier(Warp &w, const Inst &i) {
  Block &block = *w.block;
  if (w.exec != w.alive)
    fault(w, ErrorKind::Convergence,
          "divergent barrier: lanes " + hex(w.alive) +
              " are alive, but the barrier was executed by lanes " + hex(w.exec));
  uint32_t id = uniform(w, i.a, "the barrier");
  if (id >= 16)
    fault(w, ErrorKind::Barrier, "barrier " + std::to_string(id) + " does not exist");
  bool counted = i.aux & 1;
  uint32_t expected = counted ? uniform(w, i.b, "the thread count") : 0;
  if (counted && (expected == 0 || expected % 32))
    fault(w, ErrorKind::Barrier,
          "expected a thread count that is a multiple of 32, but got " + std::to_string(expected));
  NamedBarrier &b = block.barriers[id];
  if (b.arrived && b.expected != expected)
    fault(w, ErrorKind::Barrier,
          "barrier " + std::to_string(id) + " is in use with " + std::to_string(b.expected) +
              " threads, but got " + std::to_string(expected));
  b.expected = expected;
  b.arrived += 32;
  uint32_t threads = uint32_t(block.warps.size()) * 32;
  if (b.arrived > (expected ? expected : threads))
    fault(w, ErrorKind::Barrier,
          "more threads arrived at barrier " + std::to_string(id) + " than expected");
  w.block->cluster->worker->statistics.barriers++;
  if (i.op == Opcode::BarrierRed) {
    uint32_t p = (w.pred(i.c) ^ (i.aux & 2 ? ~0u : 0)) & w.exec;
    b.reduceCount += uint32_t(__builtin_popcount(p));
    b.reduceAnd &= p == w.exec ? ~0u : 0;
    b.reduceOr |= p ? ~0u : 0;
  }
  if (RaceDetector *race = raceOf(w))
    race->barrierArrive(w, id);
  if (i.op != Opcode::BarrierArrive) {
    w.state = WarpState::Barrier;
    w.barrier = int32_t(id);
    w.yield = true;
  }
  releaseIfComplete(block, id);
}

void warpBarrier(Warp &w, const Inst &i) {
  uint32_t mask = uniform(w, i.a, "the member mask");
  if ((mask & w.alive) != (w.exec & mask) || (w.exec & ~mask))
    fault(w, ErrorKind::Convergence,
          "divergent: member mask " + hex(mask) + ", but executed by lanes " + hex(w.exec));
  if (RaceDetector *race = raceOf(w))
    race->warpBarrier(w);
}

void fence(Warp &w, const Inst &i) {
  if (RaceDetector *race = raceOf(w))
    i.aux ? race->initFence(w) : race->fence(w, i.flags);
}
void proxyFence(Warp &w, const Inst &) {
  if (RaceDetector *race = raceOf(w))
    race->proxyFence(w);
}

void completeClusterBarrier(Cluster &c) {
  uint32_t need = 0;
  for (const Block &b : c.blocks)
    need += runningThreads(b) / 32;
  if (c.barrierArrived == 0 || c.barrierArrived < need)
    return;
  c.barrierArrived = 0;
  c.barrierPhase++;
  if (c.race)
    c.race->clusterComplete();
  for (Block &b : c.blocks)
    b.stamp++;
}

void clusterArrive(Warp &w, const Inst &i) {
  if (!w.exec)
    return;
  Cluster &c = *w.block->cluster;
  if (w.exec != w.alive)
    fault(w, ErrorKind::Convergence, "divergent barrier.cluster.arrive");
  if (w.clusterArrived)
    fault(w, ErrorKind::Barrier, "barrier.cluster.arrive twice without a wait in between");
  w.clusterArrived = true;
  w.clusterPhase = c.barrierPhase;
  c.barrierArrived++;
  if (c.race)
    c.race->clusterArrive(w, i.aux);
  completeClusterBarrier(c);
}

void clusterWait(Warp &w, const Inst &i) {
  if (!w.exec)
    return;
  Cluster &c = *w.block->cluster;
  if (w.exec != w.alive)
    fault(w, ErrorKind::Convergence, "divergent barrier.cluster.wait");
  if (!w.clusterArrived)
    fault(w, ErrorKind::Barrier, "barrier.cluster.wait without an arrive");
  if (c.barrierPhase == w.clusterPhase) { // not complete: retries the instruction
    w.pc--;
    w.yield = true;
    w.state = WarpState::Poll;
    w.sleepStamp = w.block->stamp;
    return;
  }
  w.clusterArrived = false;
  if (c.race)
    c.race->clusterWait(w, i.aux);
}

} // namespace

void warpExited(Warp &w) {
  checkAsyncAtExit(w);
  if (w.block->cluster->race)
    w.block->cluster->race->warpExit(w);
  Block &block = *w.block;
  block.stamp++;
  for (unsigned id = 0; id < 16; id++)
    if (block.barriers[id].arrived && !block.barriers[id].expected)
      releaseIfComplete(block, id);
  completeClusterBarrier(*block.cluster);
}

Handler selectBarrier(const Inst &i) {
  switch (i.op) {
  case Opcode::Barrier:
  case Opcode::BarrierArrive:
  case Opcode::BarrierRed:
    return barrier;
  case Opcode::WarpBarrier:
    return warpBarrier;
  case Opcode::Fence:
    return fence;
  case Opcode::ProxyFence:
    return proxyFence;
  case Opcode::ClusterArrive:
    return clusterArrive;
  case Opcode::ClusterWait:
    return clusterWait;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
