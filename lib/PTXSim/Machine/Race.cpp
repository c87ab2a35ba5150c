// Happens-before race detection: the accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine/Race.h"

namespace ptxsim {

void Knowledge::join(const Knowledge &other) {
  seen.join(other.seen);
  fenced.join(other.fenced);
  for (const auto &entry : other.foreign)
    foreign[entry.first].join(entry.second);
}
void Knowledge::clear() {
  seen.clear();
  fenced.clear();
  foreign.clear();
}

RaceDetector::RaceDetector(Cluster &cluster, std::vector<Finding> &findings)
    : cluster(cluster), findings(findings) {
  warpsPerBlock = uint32_t(cluster.blocks[0].warps.size());
  warpCount = uint32_t(cluster.blocks.size()) * warpsPerBlock;
}

void RaceDetector::reset() {
  nextAgent = warpCount * 5;
  asyncClocks.assign(nextAgent, 0);
  warps.assign(warpCount, WarpState());
  for (uint32_t k = 0; k < warpCount; k++)
    warps[k].knows.seen.set(k, 1);
  shared.resize(cluster.blocks.size());
  for (size_t r = 0; r < shared.size(); r++)
    shared[r].assign(cluster.blocks[r].sharedBytes / 4 + 1, RaceWord());
  named.assign(cluster.blocks.size(), {});
  mbarriers.clear();
  clusterArrived.clear();
  clusterDone.clear();
  sharedTables = Tables();
  remoteUses.clear();
  exits.assign(cluster.blocks.size(), VectorClock());
}

uint32_t RaceDetector::index(const Warp &w) const { return w.block->rank * warpsPerBlock + w.id; }

uint32_t RaceDetector::agentOf(const Warp &w, AgentKind kind) const {
  return warpCount * kind + index(w);
}

uint32_t RaceDetector::mbarrierAgent(MBarrier &m) {
  if (m.agent == ~0u) {
    m.agent = nextAgent++;
    asyncClocks.push_back(0);
  }
  return m.agent;
}

void RaceDetector::acquireAgent(Warp &w, uint32_t agent, uint32_t clock) {
  VectorClock &seen = state(w).knows.seen;
  if (seen.get(agent) < clock)
    seen.set(agent, clock);
}

std::string RaceDetector::agentName(uint32_t agent) const {
  const char *kinds[] = {"warp ", "cp.async of warp ", "wgmma of warp ", "bulk store of warp ",
                         "bulk store of warp "};
  if (agent >= warpCount * 5)
    return "a copy that signals an mbarrier";
  uint32_t warp = agent % warpCount;
  std::string name = kinds[agent / warpCount] + std::to_string(warp % warpsPerBlock);
  if (cluster.blocks.size() > 1)
    name += " of block rank " + std::to_string(warp / warpsPerBlock);
  return name;
}

// --- Reports ----------------------------------------------------------------------------------

void RaceDetector::report(Warp &w, const std::string &message, uint32_t otherPc) {
  const Kernel &kernel = kernelOf(w);
  uint32_t pc = pcOf(w);
  std::string kind = message.substr(0, 24);
  if (!reported.emplace(std::make_tuple(kind, pc, otherPc), true).second)
    return;
  if (findings.size() >= optionsOf(w).maximumFindings)
    return;
  const Block &b = *w.block;
  Finding f;
  f.line = kernel.codeInfo[pc].loc.line;
  f.message = describeLine(kernel, pc) + ": " + message + "\n  in kernel " + kernel.info.name +
              ", block (" + std::to_string(b.id.x) + "," + std::to_string(b.id.y) + "," +
              std::to_string(b.id.z) + ") warp " + std::to_string(w.id) + ", lanes " +
              hex(w.exec) + ": " + std::string(kernel.codeInfo[pc].spelling);
  if (otherPc != ~0u) {
    f.otherLine = kernel.codeInfo[otherPc].loc.line;
    f.message += "\n  the other access: " + describeLine(kernel, otherPc) + ": " +
                 std::string(kernel.codeInfo[otherPc].spelling);
  }
  findings.push_back(std::move(f));
}

void RaceDetector::conflict(Warp &w, const char *kind, const Accessor &a, uint32_t otherPc,
                            uint64_t address, const char *space) {
  report(w, std::string(kind) + " race on " + space + " address " + hex(address) + " between " +
                agentName(a.agent) + (a.lane >= 0 ? " lane " + std::to_string(a.lane) : "") +
                " and an earlier access",
         otherPc);
}

// --- Cells ------------------------------------------------------------------------------------

bool RaceDetector::ordered(Warp &w, uint64_t cellCluster, uint32_t agent, uint32_t clock) {
  Knowledge &knows = state(w).knows;
  if (cellCluster == cluster.index + 1)
    return knows.seen.get(agent) >= clock;
  auto found = knows.foreign.find(cellCluster);
  return found != knows.foreign.end() && found->second.get(agent) >= clock;
}

static bool lanesMayDiffer(int a, int b) { return a < 0 || b < 0 || a != b; }

void RaceDetector::copiesWaited(Warp &w, uint32_t clock) {
  acquireAgent(w, agentOf(w, CopyAgent), clock);
  auto &epochs = state(w).copyWaitEpoch;
  if (clock >= epochs.size())
    epochs.resize(clock + 1, 0);
  epochs[clock] = state(w).epoch;
}

/// Data that one lane's cp.async wrote is another lane's only after a wait and a warp barrier.
bool RaceDetector::lanesUnordered(Warp &w, const RaceCell &cell, const Accessor &a) {
  if (cell.writer != agentOf(w, CopyAgent) || a.agent != index(w))
    return false;
  const auto &epochs = state(w).copyWaitEpoch;
  return cell.writeClock < epochs.size() && epochs[cell.writeClock] == a.epoch &&
         lanesMayDiffer(cell.writeLane, a.lane);
}

void RaceDetector::checkReaders(Warp &w, RaceCell &cell, const Accessor &a, uint64_t address,
                                const char *space) {
  uint64_t mine = cluster.index + 1;
  if (cell.sharedReads) {
    const ReadSet &set = tables->readSets[cell.sharedReads - 1];
    for (uint32_t agent = 0; agent < set.clockAndPc.size(); agent++) {
      auto entry = set.clockAndPc[agent];
      if (entry.first && agent != a.agent && !(cell.readStrong && a.strong) &&
          !ordered(w, cell.cluster, agent, entry.first))
        conflict(w, "read-write", a, entry.second, address, space);
    }
    return;
  }
  if (!cell.readClock || (cell.readStrong && a.strong))
    return;
  uint32_t warp = a.agent < 2 * warpCount ? a.agent % warpCount : a.agent; // with its cp.async
  if (cell.reader != warp || cell.cluster != mine) {
    if (!ordered(w, cell.cluster, cell.reader, cell.readClock))
      conflict(w, "read-write", a, cell.readPc, address, space);
  } else if (cell.readEpoch == a.epoch && cell.readPc != a.pc &&
             lanesMayDiffer(cell.readLane, a.lane)) {
    conflict(w, "read-write lane", a, cell.readPc, address, space);
  }
}

void RaceDetector::recordRead(RaceCell &cell, const Accessor &a) {
  bool first = cell.readClock == 0 && !cell.sharedReads;
  bool same = cell.reader == a.agent && !cell.sharedReads;
  if (first || same) {
    bool manyLanes = same && !first && cell.readEpoch == a.epoch && cell.readLane != a.lane;
    cell.reader = uint16_t(a.agent);
    cell.readClock = a.clock;
    cell.readPc = a.pc;
    cell.readEpoch = a.epoch;
    cell.readLane = manyLanes ? int8_t(-1) : int8_t(a.lane);
    cell.readStrong = a.strong;
    return;
  }
  if (!cell.sharedReads) {
    tables->readSets.emplace_back();
    cell.sharedReads = uint32_t(tables->readSets.size());
    auto &entries = tables->readSets.back().clockAndPc;
    entries.resize(cell.reader + 1u);
    entries[cell.reader] = {cell.readClock, cell.readPc};
  }
  auto &entries = tables->readSets[cell.sharedReads - 1].clockAndPc;
  if (a.agent >= entries.size())
    entries.resize(a.agent + 1);
  entries[a.agent] = {a.clock, a.pc};
  cell.readStrong &= a.strong;
}

void RaceDetector::touchCell(Warp &w, RaceCell &cell, const Accessor &a, uint64_t address,
                             const char *space) {
  uint64_t mine = cluster.index + 1;
  bool bothStrong = cell.writeStrong && a.strong;
  if (cell.writer != 0xffff && !bothStrong) {
    bool same = cell.writer == a.agent && cell.cluster == mine;
    if (!same && !ordered(w, cell.cluster, cell.writer, cell.writeClock)) {
      conflict(w, a.write ? "write-write" : "write-read", a, cell.writePc, address, space);
    } else if (same && a.agent >= warpCount && cell.writeClock != a.clock &&
               !ordered(w, mine, cell.writer, cell.writeClock)) {
      conflict(w, "write-write", a, cell.writePc, address, space);
    } else if (same && a.agent < warpCount && cell.writeEpoch == a.epoch && cell.writePc != a.pc &&
               lanesMayDiffer(cell.writeLane, a.lane)) {
      conflict(w, a.write ? "write-write lane" : "write-read lane", a, cell.writePc, address,
               space);
    } else if (cell.cluster == mine && lanesUnordered(w, cell, a)) {
      conflict(w, a.write ? "write-write lane" : "write-read lane", a, cell.writePc, address,
               space);
    } else if (a.async && !cell.writeAsync && cell.cluster == mine &&
               state(w).knows.fenced.get(cell.writer) < cell.writeClock) {
      report(w, "missing fence.proxy.async: an asynchronous access to " + std::string(space) +
                    " address " + hex(address) + " after an ordinary write by " +
                    agentName(cell.writer),
             cell.writePc);
    }
  }
  if (a.write) {
    checkReaders(w, cell, a, address, space);
    cell = RaceCell();
    cell.cluster = mine;
    cell.writer = uint16_t(a.agent);
    cell.writeClock = a.clock;
    cell.writePc = a.pc;
    cell.writeEpoch = a.epoch;
    cell.writeLane = int8_t(a.lane);
    cell.writeStrong = a.strong;
    cell.writeAsync = a.async;
    return;
  }
  if (cell.cluster != mine && cell.writer == 0xffff) {
    // Only reads so far, by an earlier cluster: remembering the latest reader is enough in practice,
    // as writes of a third cluster race with it just as well.
    cell.readClock = 0;
    cell.sharedReads = 0;
    cell.cluster = mine;
  }
  if (cell.cluster == mine)
    recordRead(cell, a);
}

void RaceDetector::touch(Warp &w, RaceWord &word, unsigned byteMask, const Accessor &a,
                         uint64_t address, const char *space) {
  if (!word.split && byteMask == 15)
    return touchCell(w, word.whole, a, address, space);
  if (!word.split) {
    tables->splits.push_back({word.whole, word.whole, word.whole, word.whole});
    word.split = uint32_t(tables->splits.size());
  }
  for (unsigned k = 0; k < 4; k++)
    if (byteMask >> k & 1)
      touchCell(w, tables->splits[word.split - 1][k], a, address + k, space);
  if (byteMask == 15 && a.write) { // the bytes agree again
    word.whole = tables->splits[word.split - 1][0];
    word.split = 0;
  }
}

void RaceDetector::rangeAccess(Warp &w, RaceWord &word, uint64_t wordAddress, uint64_t begin,
                               uint64_t end, const Accessor &a, const char *space) {
  unsigned first = begin > wordAddress ? unsigned(begin - wordAddress) : 0;
  unsigned last = end < wordAddress + 4 ? unsigned(end - wordAddress) : 4;
  touch(w, word, ((1u << last) - 1) & ~((1u << first) - 1), a, wordAddress, space);
}

RaceWord &RaceDetector::globalWord(Allocation &allocation, uint64_t address) {
  uint64_t word = (address - allocation.base) / 4;
  auto &pages = allocation.racePages;
  if (pages.empty())
    pages.resize(allocation.size / 4096 + 1);
  auto &page = pages[word / 1024];
  if (!page)
    page = std::make_unique<RacePage>();
  return page->words[word % 1024];
}

// --- Accesses ---------------------------------------------------------------------------------

RaceDetector::Accessor RaceDetector::accessorOf(Warp &w, const Inst &i, AccessKind kind) {
  Accessor a;
  a.agent = index(w);
  a.clock = warpClock(w);
  a.lane = -1;
  a.epoch = state(w).epoch;
  a.pc = pcOf(w);
  a.write = kind != AccessKind::Read;
  a.strong = i.flags & InstFlag::Strong;
  a.async = false;
  return a;
}

void RaceDetector::globalAccess(Warp &w, const Inst &i, const uint64_t *addresses, uint32_t mask,
                                unsigned bytes, AccessKind kind) {
  Accessor a = accessorOf(w, i, kind);
  tables = &globalTables;
  for (uint32_t m = mask; m; m &= m - 1) {
    unsigned l = firstLane(m);
    uint64_t begin = addresses[l], end = begin + bytes;
    Target t = resolveGlobal(w, begin, bytes, kind, l);
    if (!t.data)
      continue;
    Allocation &allocation = *cluster.worker->hints[pcOf(w)];
    if (allocation.readOnly)
      continue;
    a.lane = int(l);
    for (uint64_t at = begin & ~uint64_t(3); at < end; at += 4)
      rangeAccess(w, globalWord(allocation, at), at, begin, end, a, "global");
    if (a.strong)
      synchronizeAt(w, i, begin, kind != AccessKind::Write, kind != AccessKind::Read);
  }
}

void RaceDetector::sharedAccess(Warp &w, const Inst &i, const uint64_t *addresses, uint32_t mask,
                                unsigned bytes, AccessKind kind) {
  Accessor a = accessorOf(w, i, kind);
  bool collective = i.op == Opcode::LoadMatrix || i.op == Opcode::StoreMatrix;
  for (uint32_t m = mask; m; m &= m - 1) {
    unsigned l = firstLane(m);
    uint64_t begin = addresses[l];
    resolveShared(w, begin, bytes, kind, l);
    Block &block = sharedBlock(w, begin, l);
    tables = &sharedTables;
    a.lane = collective ? -1 : int(l);
    uint64_t end = begin + bytes;
    for (uint64_t at = begin & ~uint64_t(3); at < end; at += 4)
      rangeAccess(w, shared[block.rank][at / 4], at, begin, end, a, "shared");
    if (&block != w.block)
      remoteUse(w, block, a.agent, a.clock, "access");
    if (a.strong)
      synchronizeAt(w, i, sharedWindow + (uint64_t(block.rank) << 32) + begin,
                    kind != AccessKind::Write, kind != AccessKind::Read);
  }
}

void RaceDetector::sharedRange(Warp &w, Block &block, uint32_t offset, unsigned bytes,
                               const AsyncAccess &access) {
  Accessor a{access.agent, access.clock, access.lane, state(w).epoch, pcOf(w), access.write, false,
             access.asyncProxy};
  tables = &sharedTables;
  uint64_t end = uint64_t(offset) + bytes;
  for (uint64_t at = offset & ~3u; at < end; at += 4)
    rangeAccess(w, shared[block.rank][at / 4], at, offset, end, a, "shared");
}

void RaceDetector::globalRange(Warp &w, Allocation &allocation, uint64_t address, unsigned bytes,
                               const AsyncAccess &access) {
  Accessor a{access.agent, access.clock, access.lane, state(w).epoch, pcOf(w), access.write, false,
             access.asyncProxy};
  tables = &globalTables;
  uint64_t end = address + bytes;
  for (uint64_t at = address & ~uint64_t(3); at < end; at += 4)
    rangeAccess(w, globalWord(allocation, at), at, address, end, a, "global");
}

void RaceDetector::beforeInstruction(Warp &w, const Inst &i) {
  if (i.flags & InstFlag::WgmmaOperands)
    return;
  const uint32_t *list = kernelOf(w).useDef.data() + i.uses;
  unsigned n = i.useCount + i.defCount;
  for (unsigned k = 0; k < n; k++) {
    w.wgmma.unfenced[list[k]] = 1;
    if (!w.wgmma.inFlight[list[k]])
      continue;
    auto name = kernelOf(w).slotNames.find(list[k]);
    report(w, "wgmma in flight: register " +
                  (name == kernelOf(w).slotNames.end() ? "" : name->second) +
                  " is accessed before the wait",
           ~0u);
  }
}

} // namespace ptxsim
