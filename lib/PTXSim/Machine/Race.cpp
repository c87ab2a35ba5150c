// Happens-before race detection: the accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Race.h"

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
    shared[r] = std::vector<RacePage>(cluster.blocks[r].sharedBytes / RacePage::bytes + 1);
  named.assign(cluster.blocks.size(), {});
  mbarriers.clear();
  clusterArrived.clear();
  clusterDone.clear();
  clusterInits.clear();
  clusterInitsDone.clear();
  sharedTables = Tables();
  remoteUses.clear();
  wgmmaKnows.clear();
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
  const std::set<uint32_t> &hidden = optionsOf(w).suppressedLines;
  if (hidden.count(kernel.codeInfo[pc].loc.line) ||
      (otherPc != ~0u && hidden.count(kernel.codeInfo[otherPc].loc.line))) {
    suppressed++;
    return;
  }
  if (findings.size() >= optionsOf(w).maximumFindings)
    return;
  const Block &b = *w.block;
  Finding f;
  f.line = kernel.codeInfo[pc].loc.line;
  f.message = describeLine(kernel, pc) + ": " + message + "\n  in kernel " + kernel.info.name +
              ", block (" + std::to_string(b.id.x) + "," + std::to_string(b.id.y) + "," +
              std::to_string(b.id.z) + ") warp " + std::to_string(w.id) + ", lanes " + hex(w.exec) +
              ": " + std::string(kernel.codeInfo[pc].spelling);
  if (otherPc != ~0u) {
    f.otherLine = kernel.codeInfo[otherPc].loc.line;
    f.message += "\n  the other access: " + describeLine(kernel, otherPc) + ": " +
                 std::string(kernel.codeInfo[otherPc].spelling);
  }
  findings.push_back(std::move(f));
}

void RaceDetector::conflict(Warp &w, const char *kind, const Accessor &a, uint32_t otherPc,
                            uint64_t address, const char *space) {
  report(w,
         std::string(kind) + " race on " + space + " address " + hex(address) + " between " +
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
      report(w,
             "missing fence.proxy.async: an asynchronous access to " + std::string(space) +
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
    // Only reads so far, by an earlier cluster: remembering the latest reader is enough in
    // practice, as writes of a third cluster race with it just as well.
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

// --- Lines ------------------------------------------------------------------------------------

/// Read sets belong to one cell: a copy gets its own.
RaceCell RaceDetector::copyCell(const RaceCell &cell, int lane) {
  RaceCell result = cell;
  if (cell.writer != 0xffff)
    result.writeLane = int8_t(lane);
  if (cell.readLane >= 0)
    result.readLane = int8_t(lane);
  if (cell.sharedReads) {
    ReadSet copy = tables->readSets[cell.sharedReads - 1];
    tables->readSets.push_back(std::move(copy));
    result.sharedReads = uint32_t(tables->readSets.size());
  }
  return result;
}

void RaceDetector::expandLine(RacePage &page, unsigned index, uint64_t lineAddress) {
  if (!page.words)
    page.words = std::make_unique<RaceWord[]>(RacePage::bytes / 4);
  RaceLine &line = page.lines[index];
  line.uniform = false;
  for (unsigned k = 0; k < RacePage::lineBytes / 4; k++) {
    RaceWord &word = page.words[index * (RacePage::lineBytes / 4) + k];
    uint64_t address = lineAddress + 4 * k;
    word = RaceWord();
    if (line.untouched())
      continue;
    auto laneAt = [&](uint64_t at) {
      return line.pattern.bytes ? line.pattern.at(at) : int(line.cell.writeLane);
    };
    if (line.pattern.bytes == 0 || line.pattern.bytes >= 4) {
      word.whole = line.pattern.bytes ? copyCell(line.cell, laneAt(address))
                                      : copyCell(line.cell, line.cell.writeLane);
      if (!line.pattern.bytes)
        word.whole.readLane = line.cell.readLane;
      continue;
    }
    std::array<RaceCell, 4> bytes;
    for (unsigned b = 0; b < 4; b++)
      bytes[b] = copyCell(line.cell, laneAt(address + b));
    tables->splits.push_back(bytes);
    word.split = uint32_t(tables->splits.size());
  }
}

void RaceDetector::lineAccess(Warp &w, RacePage &page, unsigned index, uint64_t lineAddress,
                              uint64_t begin, uint64_t end, Accessor &a, const LanePattern &pattern,
                              const char *space) {
  RaceLine &line = page.lines[index];
  bool whole = begin <= lineAddress && end >= lineAddress + RacePage::lineBytes;
  if (line.uniform && whole && (line.untouched() || line.pattern == pattern)) {
    a.lane = pattern.bytes ? 0 : pattern.lane;
    line.pattern = pattern;
    return touchCell(w, line.cell, a, lineAddress, space);
  }
  if (line.uniform)
    expandLine(page, index, lineAddress);
  RaceWord *words = &page.words[index * (RacePage::lineBytes / 4)];
  uint64_t first = begin > lineAddress ? begin : lineAddress;
  uint64_t last = end < lineAddress + RacePage::lineBytes ? end : lineAddress + RacePage::lineBytes;
  for (uint64_t at = first; at < last;) {
    uint64_t word = at & ~uint64_t(3), stop = word + 4 < last ? word + 4 : last;
    if (pattern.bytes && pattern.bytes < 4) // several lanes in one word
      stop = at + pattern.bytes < stop ? at + pattern.bytes : stop;
    unsigned mask = ((1u << (stop - word)) - 1) & ~((1u << (at - word)) - 1);
    a.lane = pattern.at(at);
    touch(w, words[(word - lineAddress) / 4], mask, a, word, space);
    at = stop;
  }
  if (whole && a.write) { // everything is as after this write
    line.cell = RaceCell();
    a.lane = pattern.bytes ? 0 : pattern.lane;
    line.uniform = true;
    line.pattern = pattern;
    touchCell(w, line.cell, a, lineAddress, space);
  }
}

void RaceDetector::pageAccess(Warp &w, RacePage &page, uint64_t pageAddress, uint64_t begin,
                              uint64_t end, Accessor a, const LanePattern &pattern,
                              const char *space) {
  uint64_t from = begin > pageAddress ? begin : pageAddress;
  uint64_t to = end < pageAddress + RacePage::bytes ? end : pageAddress + RacePage::bytes;
  for (uint64_t at = from / RacePage::lineBytes * RacePage::lineBytes; at < to;
       at += RacePage::lineBytes)
    lineAccess(w, page, unsigned((at - pageAddress) / RacePage::lineBytes), at, from, to, a,
               pattern, space);
}

void RaceDetector::sharedBytes(Warp &w, Block &block, uint64_t begin, uint64_t end,
                               const Accessor &a, const LanePattern &pattern) {
  tables = &sharedTables;
  for (uint64_t page = begin / RacePage::bytes; page * RacePage::bytes < end; page++)
    pageAccess(w, shared[block.rank][page], page * RacePage::bytes, begin, end, a, pattern,
               "shared");
}

void RaceDetector::globalBytes(Warp &w, Allocation &allocation, uint64_t begin, uint64_t end,
                               const Accessor &a, const LanePattern &pattern) {
  if (allocation.readOnly)
    return;
  tables = &globalTables;
  auto &pages = allocation.racePages;
  if (pages.empty())
    pages.resize(allocation.size / RacePage::bytes + 1);
  for (uint64_t k = (begin - allocation.base) / RacePage::bytes;
       allocation.base + k * RacePage::bytes < end; k++) {
    if (!pages[k])
      pages[k] = std::make_unique<RacePage>();
    pageAccess(w, *pages[k], allocation.base + k * RacePage::bytes, begin, end, a, pattern,
               "global");
  }
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

/// Lanes [first, last) of a request that one pattern describes.
struct LaneRun {
  unsigned last;
  uint64_t begin, end;
  LanePattern pattern;
};
static LaneRun nextRun(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned first) {
  LaneRun run{32, addresses[first], addresses[first] + 32 * bytes, {addresses[0], bytes, -1}};
  bool contiguous = first == 0 && mask == ~0u;
  for (unsigned l = 1; l < 32 && contiguous; l++)
    contiguous = addresses[l] == addresses[0] + l * bytes;
  if (contiguous)
    return run;
  unsigned last = first + 1; // lanes with the same address count as many
  while (last < 32 && (mask >> last & 1) && addresses[last] == addresses[first])
    last++;
  return {
      last, addresses[first], addresses[first] + bytes, {0, 0, last - first > 1 ? -1 : int(first)}};
}

void RaceDetector::globalAccess(Warp &w, const Inst &i, const uint64_t *addresses, uint32_t mask,
                                unsigned bytes, AccessKind kind) {
  Accessor a = accessorOf(w, i, kind);
  for (unsigned l = 0; l < 32;) {
    if (!(mask >> l & 1)) {
      l++;
      continue;
    }
    LaneRun run = nextRun(addresses, mask, bytes, l);
    resolveGlobal(w, run.end - bytes, bytes, kind, l);
    resolveGlobal(w, run.begin, bytes, kind, l);
    globalBytes(w, *cluster.worker->hints[pcOf(w)], run.begin, run.end, a, run.pattern);
    if (a.strong)
      for (uint64_t at = run.begin; at < run.end; at += bytes)
        synchronizeAt(w, i, at, kind != AccessKind::Write, kind != AccessKind::Read);
    l = run.last;
  }
}

void RaceDetector::sharedAccess(Warp &w, const Inst &i, const uint64_t *addresses, uint32_t mask,
                                unsigned bytes, AccessKind kind) {
  Accessor a = accessorOf(w, i, kind);
  bool collective = i.op == Opcode::LoadMatrix || i.op == Opcode::StoreMatrix;
  for (unsigned l = 0; l < 32;) {
    if (!(mask >> l & 1)) {
      l++;
      continue;
    }
    LaneRun run = nextRun(addresses, mask, bytes, l);
    if (collective)
      run.pattern = LanePattern();
    resolveShared(w, run.end - bytes, bytes, kind, l);
    uint64_t begin = run.begin;
    Block &block = sharedBlock(w, begin, l);
    uint64_t shift = run.begin - begin;
    run.pattern.base -= run.pattern.bytes ? shift : 0;
    sharedBytes(w, block, begin, run.end - shift, a, run.pattern);
    if (&block != w.block)
      remoteUse(w, block, a.agent, a.clock, "access");
    if (a.strong)
      for (uint64_t at = begin; at < run.end - shift; at += bytes)
        synchronizeAt(w, i, sharedWindow + (uint64_t(block.rank) << 32) + at,
                      kind != AccessKind::Write, kind != AccessKind::Read);
    l = run.last;
  }
}

void RaceDetector::sharedRange(Warp &w, Block &block, uint32_t offset, unsigned bytes,
                               const AsyncAccess &access) {
  Accessor a{access.agent, access.clock, access.lane, state(w).epoch,
             pcOf(w),      access.write, false,       access.asyncProxy};
  sharedBytes(w, block, offset, uint64_t(offset) + bytes, a, {0, 0, access.lane});
}

void RaceDetector::globalRange(Warp &w, Allocation &allocation, uint64_t address, unsigned bytes,
                               const AsyncAccess &access) {
  Accessor a{access.agent, access.clock, access.lane, state(w).epoch,
             pcOf(w),      access.write, false,       access.asyncProxy};
  globalBytes(w, allocation, address, address + bytes, a, {0, 0, access.lane});
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
    report(w,
           "wgmma in flight: register " +
               (name == kernelOf(w).slotNames.end() ? "" : name->second) +
               " is accessed before the wait",
           ~0u);
  }
}

} // namespace ptxsim
