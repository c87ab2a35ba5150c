// wgmma: fence, issue, commit and wait; completion is lazy and poisons the accumulators until then.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Wgmma.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/MatrixDescriptor.h"
#include "lib/PTXSim/Machine/Race.h"

namespace ptxsim {

namespace {

void requireFull(Warp &w) {
  if (w.exec != ~0u)
    fault(w, ErrorKind::Convergence, "divergent: wgmma executed by lanes " + hex(w.exec));
}

uint64_t uniform64(Warp &w, uint32_t slot) {
  const uint64_t *v = w.reg<uint64_t>(slot);
  for (unsigned l = 1; l < 32; l++)
    if (v[l] != v[0])
      fault(w, ErrorKind::Convergence, "lanes disagree on a matrix descriptor");
  return v[0];
}

/// Calls f(slot index) for every register the instruction uses: accumulators, then A.
template <class F> void eachRegister(Warp &w, const Inst &i, F f) {
  const uint32_t *slots = slotsOf(w, i);
  unsigned n = i.count + (i.aux & 4 ? 4u : 0);
  for (unsigned k = 0; k < n; k++)
    f(slotIndex(slots[k]), k < i.count);
}

void countInFlight(Warp &w, const Inst &i, int delta) {
  eachRegister(w, i, [&](uint32_t index, bool) {
    w.wgmma.inFlight[index] = uint8_t(w.wgmma.inFlight[index] + delta);
  });
}

void complete(Warp &w, const WgmmaItem &item) {
  countInFlight(w, *item.inst, -1);
  executeWgmma(w, item);
}

/// Every byte an operand in shared memory covers, as accesses of the wgmma agent.
void observeOperands(Warp &w, const Inst &i, uint64_t a, uint64_t b, uint32_t clock) {
  RaceDetector *race = raceOf(w);
  RaceDetector::AsyncAccess access{race->agentOf(w, RaceDetector::WgmmaAgent), clock, false, true,
                                   -1};
  unsigned n = unsigned(i.imm & 0xffff);
  unsigned element = i.type2 == Type::TF32                           ? 4
                     : i.type2 == Type::F16 || i.type2 == Type::BF16 ? 2
                                                                     : 1;
  auto touch = [&](uint64_t bits, bool major, unsigned first, unsigned extent) {
    MatrixDescriptor d(bits);
    d.eachChunk(major, element, first, extent, [&](uint32_t address, unsigned, unsigned) {
      race->sharedRange(w, *w.block, address, 16, access);
    });
  };
  if (!(i.aux & 4))
    touch(a, i.aux & 1, (w.id & 3) * 16, 16);
  touch(b, i.aux & 2, 0, n);
}

void checkDescriptor(Warp &w, uint64_t bits, const char *which) {
  if (MatrixDescriptor(bits).baseOffset)
    fault(w, ErrorKind::Unsupported,
          std::string("matrix descriptor of ") + which + " with a base offset");
}

void issue(Warp &w, const Inst &i) {
  requireFull(w);
  bool registers = i.aux & 4;
  WgmmaItem item{&i, registers ? 0 : uniform64(w, i.a), uniform64(w, i.b), false};
  uint32_t scale = w.pred(i.c);
  if (scale != 0 && scale != ~0u)
    fault(w, ErrorKind::Convergence, "lanes disagree on scale-d");
  item.accumulate = scale != 0;
  if (!registers)
    checkDescriptor(w, item.a, "A");
  checkDescriptor(w, item.b, "B");
  uint32_t dirty = 0;
  // Accumulators that an earlier wgmma of the same shape still works on need no fence.
  eachRegister(w, i, [&](uint32_t index, bool accumulator) {
    if (w.wgmma.unfenced[index] && !(accumulator && w.wgmma.inFlight[index]))
      dirty = index + 1;
    bool reads = !accumulator || item.accumulate;
    if (w.defined && reads && !w.wgmma.inFlight[index] && w.defined[index] != ~0u)
      reportUndefined(w, index, ~w.defined[index]);
  });
  if (RaceDetector *race = raceOf(w)) {
    auto name = kernelOf(w).slotNames.find(dirty - 1);
    if (dirty)
      race->report(w,
                   "register " + (name == kernelOf(w).slotNames.end() ? "" : name->second) +
                       " of this wgmma was accessed since the last wgmma.fence",
                   ~0u);
    if (!w.wgmma.open.clock)
      w.wgmma.open.clock = race->tick(race->agentOf(w, RaceDetector::WgmmaAgent));
    observeOperands(w, i, item.a, item.b, w.wgmma.open.clock);
  }
  countInFlight(w, i, 1);
  AsyncMode mode = optionsOf(w).async;
  bool now = mode == AsyncMode::Eager || (mode == AsyncMode::Random && !w.wgmma.busy() &&
                                          w.block->cluster->worker->random() % 2);
  if (now) {
    complete(w, item);
    return;
  }
  if (w.defined)
    eachRegister(w, i, [&](uint32_t index, bool accumulator) {
      if (accumulator) {
        w.defined[index] = 0;
        w.origin[index] = pcOf(w) + 1;
      }
    });
  w.wgmma.open.items.push_back(item);
}

void fence(Warp &w, const Inst &) {
  requireFull(w);
  std::fill(w.wgmma.unfenced.begin(), w.wgmma.unfenced.end(), 0);
}

void commit(Warp &w, const Inst &) {
  requireFull(w);
  w.wgmma.committed.push_back(std::move(w.wgmma.open));
  w.wgmma.open = WgmmaGroup();
}

void wait(Warp &w, const Inst &i) {
  requireFull(w);
  completeWgmma(w, size_t(i.imm));
}

} // namespace

void completeWgmma(Warp &w, size_t keep) {
  const Inst *current = w.current;
  while (w.wgmma.committed.size() > keep) {
    WgmmaGroup &group = w.wgmma.committed.front();
    for (const WgmmaItem &item : group.items) {
      w.current = item.inst;
      complete(w, item);
    }
    if (RaceDetector *race = raceOf(w))
      if (group.clock)
        race->acquireAgent(w, race->agentOf(w, RaceDetector::WgmmaAgent), group.clock);
    w.wgmma.committed.pop_front();
  }
  w.current = current;
}

void checkAsyncAtExit(Warp &w) {
  bool copies = !w.copies.open.items.empty();
  for (const CopyGroup &g : w.copies.committed)
    copies |= !g.items.empty();
  if (copies)
    fault(w, ErrorKind::Async, "the warp exited with cp.async copies that nobody waited for", ~0u);
  bool stores = !w.bulk.open.ids.empty();
  for (const BulkGroup &g : w.bulk.committed)
    stores |= !g.ids.empty();
  if (stores)
    fault(w, ErrorKind::Async,
          "the warp exited with bulk stores from shared memory that nobody waited for", ~0u);
  if (w.wgmma.busy())
    fault(w, ErrorKind::Async, "the warp exited with a wgmma that nobody waited for", ~0u);
}

Handler selectWgmma(const Inst &i) {
  switch (i.op) {
  case Opcode::WgmmaMma:
    return issue;
  case Opcode::WgmmaFence:
    return fence;
  case Opcode::WgmmaCommit:
    return commit;
  case Opcode::WgmmaWait:
    return wait;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
