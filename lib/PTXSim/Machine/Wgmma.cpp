// wgmma: fence, issue, commit and wait; execution is lazy, and accumulators are poisoned until
// then.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Wgmma.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/MatrixDescriptor.h"
#include "lib/PTXSim/Machine/Race.h"
#include <algorithm>

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

/// Calls f(slot index) for every register of the instruction: accumulators, then A.
template <class F> void eachRegister(Warp &w, const Inst &i, F f) {
  const uint32_t *slots = slotsOf(w, i);
  unsigned n = i.count + (i.aux & 4 ? 4u : 0);
  for (unsigned k = 0; k < n; k++)
    f(slotIndex(slots[k]), k < i.count);
}

bool perWarp(const Warp &w) { return optionsOf(w).wgmma == WgmmaModel::Warp; }
/// Warps per wgmma.
unsigned sizeOf(const Warp &w) { return perWarp(w) ? 1 : 4; }
Warp &firstOf(Warp &w) { return w.block->warps[perWarp(w) ? w.id : w.id & ~3u]; }
Warpgroup &groupOf(Warp &w) { return w.block->warpgroups[firstOf(w).id]; }

void countInFlight(Warp &w, const Inst &i, int delta) {
  eachRegister(w, i, [&](uint32_t index, bool) {
    w.wgmma.inFlight[index] = uint8_t(w.wgmma.inFlight[index] + delta);
  });
}

/// Makes a result undefined until the warp waits.
void hideResult(Warp &w, const Inst &i) {
  if (!w.defined)
    return;
  eachRegister(w, i, [&](uint32_t index, bool accumulator) {
    if (accumulator) {
      w.defined[index] = 0;
      w.origin[index] = uint32_t(&i - kernelOf(w).code.data()) + 1;
    }
  });
}

/// Computes the rows of all warps; warps that have not waited keep undefined results.
void perform(Warp &w, WgmmaOperation &op) {
  Warp *first = &firstOf(w);
  for (unsigned k = 0; k < sizeOf(w); k++) {
    Warp &member = first[k];
    const Inst *current = member.current;
    member.current = op.item.inst;
    WgmmaItem item = op.item;
    item.accumulate = op.accumulate[k];
    executeWgmma(member, item);
    hideResult(member, *op.item.inst);
    member.current = current;
  }
  op.done = true;
}

/// Reports all bytes of the shared-memory operands as accesses of the wgmma agent.
void observeOperands(Warp &w, const WgmmaOperation &op) {
  RaceDetector *race = raceOf(w);
  const Inst &i = *op.item.inst;
  RaceDetector::AsyncAccess access{race->agentOf(firstOf(w), RaceDetector::WgmmaAgent), op.clock,
                                   false, true, -1};
  unsigned n = unsigned(i.imm & 0xffff);
  unsigned element = i.type2 == Type::TF32                           ? 4
                     : i.type2 == Type::F16 || i.type2 == Type::BF16 ? 2
                                                                     : 1;
  auto touch = [&](uint64_t bits, bool major, unsigned first, unsigned extent) {
    MatrixDescriptor d(bits);
    std::vector<uint32_t> chunks;
    d.eachChunk(major, element, first, extent,
                [&](uint32_t address, unsigned, unsigned) { chunks.push_back(address); });
    std::sort(chunks.begin(), chunks.end());
    chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
    for (size_t k = 0, end; k < chunks.size(); k = end) { // merges neighbours to a single access
      for (end = k + 1; end < chunks.size() && chunks[end] == chunks[end - 1] + 16;)
        end++;
      race->sharedRange(w, *w.block, chunks[k], unsigned(16 * (end - k)), access);
    }
  };
  if (!(i.aux & 4))
    touch(op.item.a, i.aux & 1, perWarp(w) ? (w.id & 3) * 16 : 0, perWarp(w) ? 16 : 64);
  touch(op.item.b, i.aux & 2, 0, n);
}

/// Starts the operation, issued by all warps of the group.
void begin(Warp &w, uint64_t number) {
  Warpgroup &group = groupOf(w);
  WgmmaOperation &op = group.operation(number);
  if (RaceDetector *race = raceOf(w)) {
    op.clock = race->tick(race->agentOf(firstOf(w), RaceDetector::WgmmaAgent));
    race->wgmmaBegins(w, firstOf(w), number, [&] { observeOperands(w, op); });
  }
  w.block->stamp++; // another warp may wait for this operation
  AsyncMode mode = optionsOf(w).async;
  bool ready = number == group.first || group.operation(number - 1).done;
  if (mode == AsyncMode::Eager ||
      (mode == AsyncMode::Random && ready && w.block->cluster->worker->random() % 2))
    perform(w, op);
}

void checkDescriptor(Warp &w, uint64_t bits, const char *which) {
  if (MatrixDescriptor(bits).baseOffset)
    fault(w, ErrorKind::Unsupported,
          std::string("matrix descriptor of ") + which + " with a base offset");
}

void checkRegisters(Warp &w, const Inst &i, bool accumulate) {
  uint32_t dirty = 0;
  // Accumulators in flight from an earlier wgmma of the same shape need no fence.
  eachRegister(w, i, [&](uint32_t index, bool accumulator) {
    if (w.wgmma.unfenced[index] && !(accumulator && w.wgmma.inFlight[index]))
      dirty = index + 1;
    bool reads = !accumulator || accumulate;
    if (w.defined && reads && !w.wgmma.inFlight[index] && w.defined[index] != ~0u)
      reportUndefined(w, index, ~w.defined[index]);
  });
  RaceDetector *race = raceOf(w);
  if (!race || !dirty)
    return;
  auto name = kernelOf(w).slotNames.find(dirty - 1);
  race->report(w,
               "register " + (name == kernelOf(w).slotNames.end() ? "" : name->second) +
                   " of this wgmma was accessed since the last wgmma.fence",
               ~0u);
}

/// Finds the operation of a wgmma: all warps of a group issue the same sequence.
WgmmaOperation &joinOperation(Warp &w, const WgmmaItem &item) {
  Warpgroup &group = groupOf(w);
  uint64_t number = w.wgmma.issued;
  if (number == group.first + group.operations.size())
    group.operations.push_back({item});
  WgmmaOperation &op = group.operation(number);
  if (op.item.inst != item.inst)
    fault(w, ErrorKind::Async,
          "the warps of a warpgroup issue different wgmma: another warp issued the wgmma of " +
              describeLine(kernelOf(w), uint32_t(op.item.inst - kernelOf(w).code.data())));
  if (op.item.a != item.a || op.item.b != item.b)
    fault(w, ErrorKind::Async, "the warps of a warpgroup disagree on a matrix descriptor");
  return op;
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
  if (firstOf(w).id + sizeOf(w) > w.block->warps.size())
    fault(w, ErrorKind::Async, "expected a warpgroup of four warps for wgmma");
  checkRegisters(w, i, item.accumulate);
  WgmmaOperation &op = joinOperation(w, item);
  op.accumulate[w.id - firstOf(w).id] = item.accumulate;
  op.issued++;
  uint64_t number = w.wgmma.issued++;
  if (RaceDetector *race = raceOf(w))
    race->wgmmaIssued(w, firstOf(w), number);
  countInFlight(w, i, 1);
  hideResult(w, i);
  if (op.issued == sizeOf(w))
    begin(w, number);
}

void fence(Warp &w, const Inst &) {
  requireFull(w);
  std::fill(w.wgmma.unfenced.begin(), w.wgmma.unfenced.end(), 0);
}

void commit(Warp &w, const Inst &) {
  requireFull(w);
  w.wgmma.committed.push_back(w.wgmma.issued);
}

/// Performs the operations before `end` and defines the warp's results.
void finish(Warp &w, uint64_t end) {
  Warpgroup &group = groupOf(w);
  for (uint64_t number = w.wgmma.waited; number < end; number++) {
    WgmmaOperation &op = group.operation(number);
    if (!op.done)
      perform(w, op);
    countInFlight(w, *op.item.inst, -1);
    eachRegister(w, *op.item.inst, [&](uint32_t index, bool accumulator) {
      if (w.defined && accumulator && !w.wgmma.inFlight[index])
        w.defined[index] = ~0u;
    });
    if (RaceDetector *race = raceOf(w))
      race->acquireAgent(w, race->agentOf(firstOf(w), RaceDetector::WgmmaAgent), op.clock);
    op.waited++;
  }
  w.wgmma.waited = end;
  while (!group.operations.empty() && group.operations.front().waited == sizeOf(w)) {
    group.operations.pop_front();
    group.first++;
  }
}

void wait(Warp &w, const Inst &i) {
  requireFull(w);
  size_t keep = size_t(i.imm), groups = w.wgmma.committed.size();
  if (groups <= keep)
    return;
  uint64_t end = w.wgmma.committed[groups - keep - 1];
  if (end > w.wgmma.waited && groupOf(w).operation(end - 1).issued < sizeOf(w)) {
    w.pc--; // waits for another warp of the group to issue; retries
    w.yield = true;
    w.state = WarpState::Poll;
    w.sleepStamp = w.block->stamp;
    return;
  }
  finish(w, end);
  w.wgmma.committed.erase(w.wgmma.committed.begin(), w.wgmma.committed.end() - long(keep));
}

} // namespace

void checkAsyncAtExit(Warp &w) {
  if (!optionsOf(w).strictExits) {
    completeCopies(w, 0, true); // bulk stores complete with the cluster
    w.bulk = BulkQueue();
  }
  bool copies = !w.copies.open.items.empty();
  for (const CopyGroup &g : w.copies.committed)
    copies |= !g.items.empty();
  if (copies)
    fault(w, ErrorKind::Async, "the warp exited with pending cp.async copies", ~0u);
  bool stores = !w.bulk.open.ids.empty();
  for (const BulkGroup &g : w.bulk.committed)
    stores |= !g.ids.empty();
  if (stores)
    fault(w, ErrorKind::Async, "the warp exited with pending bulk stores from shared memory", ~0u);
  if (w.wgmma.busy())
    fault(w, ErrorKind::Async, "the warp exited with a pending wgmma", ~0u);
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
