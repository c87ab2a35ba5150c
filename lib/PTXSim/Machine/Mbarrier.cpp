// mbarrier: init, arrive, expect_tx, test_wait, try_wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phase completion: no pending arrivals, and a transaction count of zero (ISA: "mbarrier object").
#include "lib/PTXSim/Machine/Mbarrier.h"
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Race.h"
#include <algorithm>
#include <cstring>

namespace ptxsim {

static constexpr uint32_t maximumCount = (1u << 20) - 1;

/// Block and offset of an address; generic addresses are accepted, too.
static Block &locate(Warp &w, uint64_t &address, unsigned lane) {
  if (classify(address) == Space::Shared)
    address -= sharedWindow;
  Block &block = sharedBlock(w, address, lane);
  resolveShared(w, address, 8, AccessKind::ReadWrite, lane);
  return block;
}

MbarrierRef findMbarrier(Warp &w, uint64_t address, unsigned lane, const char *what) {
  uint64_t offset = address;
  Block &block = locate(w, offset, lane);
  MBarrier *object = block.findMbarrier(uint32_t(offset));
  if (!object)
    fault(w, ErrorKind::Barrier,
          std::string(what) + " on shared address " + hex(offset) +
              ", which holds no initialised mbarrier",
          1u << lane);
  if (&block != w.block && std::all_of(block.warps.begin(), block.warps.end(),
                                       [](const Warp &x) { return x.state == WarpState::Done; }))
    fault(w, ErrorKind::Barrier, std::string(what) + " on an mbarrier of a block that has exited",
          1u << lane);
  if (RaceDetector *race = raceOf(w))
    race->mbarrierUse(w, block, uint32_t(offset), what);
  return {&block, object};
}

static void completePhase(Warp &w, MbarrierRef ref) {
  MBarrier &m = *ref.object;
  if (m.pending != 0 || m.transactions != 0)
    return;
  m.phase++;
  m.pending = m.expected;
  if (RaceDetector *race = ref.block->cluster->race)
    race->mbarrierPhase(w, *ref.block, m.address);
  ref.block->stamp++;
}

void arriveMbarrier(Warp &w, MbarrierRef ref, uint32_t count, int64_t expect, bool release,
                    unsigned lane) {
  MBarrier &m = *ref.object;
  m.transactions += expect;
  if (m.transactions > int64_t(maximumCount))
    fault(w, ErrorKind::Barrier, "transaction count of the mbarrier overflows", 1u << lane);
  if (count > m.pending)
    fault(w, ErrorKind::Barrier,
          std::to_string(count) + " arrivals at an mbarrier that expects " +
              std::to_string(m.pending) + " more in this phase",
          1u << lane);
  m.pending -= count;
  if (RaceDetector *race = raceOf(w))
    race->mbarrierArrive(w, *ref.block, m.address, release);
  completePhase(w, ref);
  ref.block->stamp++;
}

void completeTransaction(Warp &w, MbarrierRef ref, int64_t bytes) {
  MBarrier &m = *ref.object;
  m.transactions -= bytes;
  if (m.transactions < -int64_t(maximumCount))
    fault(w, ErrorKind::Barrier, "transaction count of the mbarrier overflows");
  completePhase(w, ref);
  ref.block->stamp++;
}

namespace {

template <class F> void eachLane(const Warp &w, F f) {
  for (uint32_t m = w.exec; m; m &= m - 1)
    f(firstLane(m));
}

void init(Warp &w, const Inst &i) {
  eachLane(w, [&](unsigned l) {
    uint64_t address = laneAddress(w, i, l);
    Block &block = locate(w, address, l);
    uint32_t count = w.reg<uint32_t>(i.b)[l];
    if (count == 0 || count > maximumCount)
      fault(w, ErrorKind::Barrier,
            "expected an mbarrier count of 1 to 1048575, but got " + std::to_string(count),
            1u << l);
    if (&block != w.block)
      fault(w, ErrorKind::Barrier, "mbarrier.init in another block's shared memory", 1u << l);
    if (block.findMbarrier(uint32_t(address)))
      fault(w, ErrorKind::Barrier, "mbarrier.init of an object that is in use; invalidate it first",
            1u << l);
    MBarrier m;
    m.address = uint32_t(address);
    m.expected = m.pending = count;
    block.mbarriers.push_back(m);
    if (!block.sharedShadow.empty())
      std::memset(&block.sharedShadow[address], Shadow::Mbarrier, 8);
    if (RaceDetector *race = raceOf(w))
      race->mbarrierInit(w, block, m.address);
    block.stamp++;
  });
}

void invalidate(Warp &w, const Inst &i) {
  eachLane(w, [&](unsigned l) {
    MbarrierRef ref = findMbarrier(w, laneAddress(w, i, l), l, "mbarrier.inval");
    uint32_t address = ref.object->address;
    ref.block->mbarriers.erase(ref.block->mbarriers.begin() +
                               (ref.object - ref.block->mbarriers.data()));
    if (!ref.block->sharedShadow.empty())
      std::memset(&ref.block->sharedShadow[address], Shadow::Undefined, 8);
  });
}

/// State token: [phase (upper 32 bits), pending count (lower 32 bits)].
uint64_t token(const MBarrier &m) { return m.phase << 32 | m.pending; }

void arrive(Warp &w, const Inst &i) {
  eachLane(w, [&](unsigned l) {
    MbarrierRef ref = findMbarrier(w, laneAddress(w, i, l), l, "mbarrier.arrive");
    bool expects = i.aux & 1, drop = i.aux & 2;
    uint32_t operand = i.b ? w.reg<uint32_t>(i.b)[l] : 1;
    uint32_t count = expects ? 1 : operand;
    if (i.dst)
      w.reg<uint64_t>(i.dst)[l] = token(*ref.object);
    if (drop) {
      if (ref.object->expected < count)
        fault(w, ErrorKind::Barrier, "arrive_drop below zero", 1u << l);
      ref.object->expected -= count;
    }
    if ((i.aux & 4) && ref.object->pending <= count && ref.object->transactions == 0)
      fault(w, ErrorKind::Barrier, "arrive.noComplete completes the phase", 1u << l);
    arriveMbarrier(w, ref, count, expects ? operand : 0, i.flags & InstFlag::Release, l);
  });
}

void expectTx(Warp &w, const Inst &i) {
  eachLane(w, [&](unsigned l) {
    MbarrierRef ref = findMbarrier(w, laneAddress(w, i, l), l, "mbarrier.expect_tx");
    arriveMbarrier(w, ref, 0, w.reg<uint32_t>(i.b)[l], false, l);
  });
}

/// A failed try_wait puts the warp to sleep until an event in the block; the warp then continues
/// with the result false, so that programs without a loop behave as on hardware. test_wait does not
/// sleep at first: the warp sleeps at the next failed test without an event in between.
void test(Warp &w, const Inst &i) {
  uint32_t done = 0;
  bool parity = i.aux & 8;
  eachLane(w, [&](unsigned l) {
    MbarrierRef ref = findMbarrier(w, laneAddress(w, i, l), l, "mbarrier.test_wait");
    if (ref.block != w.block)
      fault(w, ErrorKind::Barrier, "wait on an mbarrier of another block", 1u << l);
    uint64_t phase = ref.object->phase;
    bool complete = parity ? (phase & 1) != (w.reg<uint32_t>(i.b)[l] & 1)
                           : phase != w.reg<uint64_t>(i.b)[l] >> 32;
    if (!complete)
      return;
    done |= 1u << l;
    if (RaceDetector *race = raceOf(w))
      race->mbarrierWait(w, *ref.block, ref.object->address, i.flags & InstFlag::Acquire);
  });
  w.setPred(i.dst, done);
  if (done != w.exec) {
    bool goesOn = (i.aux & 16) && w.sleepStamp != w.block->stamp;
    w.yield = true;
    w.sleepStamp = w.block->stamp;
    if (goesOn)
      return;
    w.state = WarpState::Poll;
  }
}

void pendingCount(Warp &w, const Inst &i) {
  eachLane(w, [&](unsigned l) {
    w.reg<uint32_t>(i.dst)[l] = uint32_t(w.reg<uint64_t>(i.a)[l]) & maximumCount;
  });
}

} // namespace

Handler selectMbarrier(const Inst &i) {
  switch (i.op) {
  case Opcode::MbarrierInit:
    return init;
  case Opcode::MbarrierInval:
    return invalidate;
  case Opcode::MbarrierArrive:
    return arrive;
  case Opcode::MbarrierExpectTx:
    return expectTx;
  case Opcode::MbarrierTest:
    return test;
  case Opcode::MbarrierPending:
    return pendingCount;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
