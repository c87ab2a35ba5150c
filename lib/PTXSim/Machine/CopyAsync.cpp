// cp.async: copies of 4 to 16 bytes per lane, completed at a wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Mbarrier.h"
#include "lib/PTXSim/Machine/Race.h"
#include <cstring>

namespace ptxsim {

namespace {

void performCopy(Warp &w, const CopyItem &c) {
  Block &block = *w.block;
  uint8_t *to = block.shared + c.shared;
  if (c.sourceBytes == 16)
    std::memcpy(to, c.from, 16);
  else {
    if (c.sourceBytes)
      std::memcpy(to, c.from, c.sourceBytes);
    std::memset(to + c.sourceBytes, 0, size_t(c.bytes - c.sourceBytes));
  }
  if (!c.fromShadow && block.sharedShadow.empty())
    return;
  uint8_t *toShadow = &block.sharedShadow[c.shared];
  if (c.sourceBytes)
    std::memcpy(toShadow, c.fromShadow, c.sourceBytes);
  std::memset(toShadow + c.sourceBytes, Shadow::Defined, size_t(c.bytes - c.sourceBytes));
}

void performGroup(Warp &w, CopyGroup &group) {
  for (const CopyItem &c : group.items)
    performCopy(w, c);
  if (RaceDetector *race = raceOf(w))
    if (group.clock)
      race->copiesWaited(w, group.clock);
}

uint64_t operandAddress(const Warp &w, const Inst &i, const uint32_t *list, unsigned count,
                        unsigned which, unsigned lane) {
  int64_t offset = int32_t(list[count + which]);
  if (i.aux >> which & 1)
    return reinterpret_cast<const uint64_t *>(w.regs + list[which])[lane] + uint64_t(offset);
  return uint32_t(reinterpret_cast<const uint32_t *>(w.regs + list[which])[lane] +
                  uint32_t(offset));
}

/// Copies of a single instruction, at most one per lane.
struct CopyBatch {
  CopyItem items[32];
  unsigned count = 0;
  const CopyItem *begin() const { return items; }
  const CopyItem *end() const { return items + count; }
};

void observeCopy(Warp &w, const Inst &i, const CopyBatch &items) {
  uint64_t from[32] = {}, to[32] = {};
  uint32_t readers = 0, saved = w.exec;
  for (const CopyItem &c : items) {
    from[c.lane] = c.global;
    to[c.lane] = c.shared;
    if (c.sourceBytes)
      readers |= 1u << c.lane;
  }
  RaceDetector *race = raceOf(w);
  w.block->cluster->race = nullptr; // statistics only; race check below
  w.exec = readers;
  if (readers)
    observe(w, i, Space::Global, from, i.count, AccessKind::Read);
  w.exec = saved;
  observe(w, i, Space::Shared, to, i.count, AccessKind::Write);
  w.block->cluster->race = race;
  if (!race)
    return;
  uint32_t agent = race->agentOf(w, RaceDetector::CopyAgent), clock = w.copies.open.clock;
  Allocation *sources[32] = {};
  uint32_t whole = 0;
  for (const CopyItem &c : items) {
    if (c.sourceBytes)
      sources[c.lane] = w.block->cluster->launch->memory->find(c.global);
    if (c.sourceBytes == c.bytes)
      whole |= 1u << c.lane;
    else if (c.sourceBytes) // part of a lane's bytes
      race->globalRange(w, *sources[c.lane], c.global, c.sourceBytes,
                        {agent, clock, false, false, c.lane});
  }
  race->copyAccess(w, from, whole, i.count, sources, {agent, clock, false, false});
  race->copyAccess(w, to, saved, i.count, nullptr, {agent, clock, true, false});
}

/// Source in host memory; the first and the last byte must be in the same allocation.
const uint8_t *sourceOf(Warp &w, uint64_t from, uint32_t bytes, unsigned lane,
                        const uint8_t *&shadow) {
  Allocation *&hint = w.block->cluster->worker->hints[pcOf(w)];
  if (!hint || !hint->contains(from, bytes)) {
    resolveGlobal(w, from + bytes - 1, 1, AccessKind::Read, lane);
    resolveGlobal(w, from, 1, AccessKind::Read, lane);
  }
  shadow = hint->shadowAt(from);
  return hint->at(from);
}

CopyItem prepareCopy(Warp &w, const Inst &i, const uint32_t *list, unsigned l, bool ignored) {
  uint8_t bytes = uint8_t(i.count);
  uint64_t to = operandAddress(w, i, list, 2, 0, l), from = operandAddress(w, i, list, 2, 1, l);
  uint32_t sourceBytes = i.b ? w.reg<uint32_t>(i.b)[l] : bytes;
  if (sourceBytes > bytes)
    fault(w, ErrorKind::Memory,
          "cp.async with a source size of " + std::to_string(sourceBytes) + " for a copy of " +
              std::to_string(bytes) + " bytes",
          1u << l);
  if (ignored)
    sourceBytes = 0;
  if (to >> clusterRankShift && &sharedBlock(w, to, l) != w.block)
    fault(w, ErrorKind::Memory, "cp.async into the shared memory of another block", 1u << l);
  Target t = resolveShared(w, to, bytes, AccessKind::Write, l);
  if (t.shadow)
    checkWritable(w, t.shadow, bytes, l, to);
  CopyItem item{uint32_t(t.data - w.block->shared),
                from,
                nullptr,
                nullptr,
                bytes,
                uint8_t(sourceBytes),
                uint8_t(l)};
  if (sourceBytes) {
    // Hardware requires alignment to the full size, even if fewer bytes are read.
    if (from & (bytes - 1u))
      fault(w, ErrorKind::Misaligned,
            "misaligned: cp.async reads " + std::to_string(bytes) + " bytes at global address " +
                hex(from),
            1u << l);
    item.from = sourceOf(w, from, sourceBytes, l, item.fromShadow);
    requireOpen(w, item.fromShadow, sourceBytes, l, from);
  }
  return item;
}

void copyAsync(Warp &w, const Inst &i) {
  const uint32_t *list = slotsOf(w, i);
  uint32_t ignored = i.c ? w.pred(i.c) ^ uint32_t(i.imm) : 0;
  CopyBatch batch;
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    batch.items[batch.count++] = prepareCopy(w, i, list, l, ignored >> l & 1);
  }
  CopyGroup &open = w.copies.open;
  if (RaceDetector *race = raceOf(w))
    if (!open.clock)
      open.clock = race->tick(race->agentOf(w, RaceDetector::CopyAgent));
  if (w.block->instrumented)
    observeCopy(w, i, batch);
  AsyncMode mode = optionsOf(w).async;
  if (mode == AsyncMode::Eager ||
      (mode == AsyncMode::Random && w.block->cluster->worker->random() % 2)) {
    for (const CopyItem &c : batch)
      performCopy(w, c);
    return;
  }
  for (const CopyItem &c : batch) {
    std::memset(w.block->shared + c.shared, 0xff, c.bytes);
    if (!w.block->sharedShadow.empty())
      std::memset(&w.block->sharedShadow[c.shared], Shadow::Undefined, c.bytes);
  }
  open.items.insert(open.items.end(), batch.begin(), batch.end());
}

void commit(Warp &w, const Inst &) {
  w.copies.committed.push_back(std::move(w.copies.open));
  w.copies.open = CopyGroup();
}

void wait(Warp &w, const Inst &i) { completeCopies(w, size_t(i.imm), i.aux); }

/// The arrival follows all earlier cp.async of the lanes; completes those copies first.
void mbarrierArrive(Warp &w, const Inst &i) {
  completeCopies(w, 0, true);
  bool noinc = i.aux;
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    MbarrierRef ref = findMbarrier(w, laneAddress(w, i, l), l, "cp.async.mbarrier.arrive");
    if (!noinc)
      ref.object->pending++;
    arriveMbarrier(w, ref, 1, 0, true, l);
  }
}

} // namespace

void completeCopies(Warp &w, size_t keep, bool open) {
  while (w.copies.committed.size() > keep) {
    performGroup(w, w.copies.committed.front());
    w.copies.committed.pop_front();
  }
  if (open) {
    performGroup(w, w.copies.open);
    w.copies.open = CopyGroup();
  }
}

Handler selectCopy(const Inst &i) {
  switch (i.op) {
  case Opcode::CopyAsync:
    return copyAsync;
  case Opcode::CopyCommit:
    return commit;
  case Opcode::CopyWait:
    return wait;
  case Opcode::CopyMbarrierArrive:
    return mbarrierArrive;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
