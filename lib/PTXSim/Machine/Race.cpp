// Happens-before race detection: accesses.
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

/// Lanes [first, last) of a request that share a pattern. Example: 32 lanes of 4 contiguous bytes.
struct LaneRun {
  unsigned last;
  uint64_t begin, end;
  LanePattern pattern;
};
static LaneRun nextRun(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned first) {
  uint64_t begin = addresses[first];
  auto runs = [&](uint64_t step) {
    unsigned last = first + 1;
    while (last < 32 && (mask >> last & 1) && addresses[last] == begin + (last - first) * step)
      last++;
    return last;
  };
  unsigned last = runs(bytes);
  if (last > first + 1)
    return {last, begin, begin + (last - first) * bytes, {begin - first * bytes, bytes, -1}};
  last = runs(0); // lanes with the same address: lane unknown
  return {last, begin, begin + bytes, {0, 0, last - first > 1 ? -1 : int(first)}};
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

void RaceDetector::copyAccess(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes,
                              Allocation *const *allocations, const AsyncAccess &access) {
  for (unsigned l = 0; l < 32;) {
    if (!(mask >> l & 1)) {
      l++;
      continue;
    }
    Accessor a{access.agent, access.clock, int(l), state(w).epoch,
               pcOf(w),      access.write, false,  access.asyncProxy};
    LaneRun run = nextRun(addresses, mask, bytes, l);
    Allocation *allocation = allocations ? allocations[l] : nullptr;
    if (!allocations)
      sharedBytes(w, *w.block, run.begin, run.end, a, run.pattern);
    else if (allocation->contains(run.begin, run.end - run.begin))
      globalBytes(w, *allocation, run.begin, run.end, a, run.pattern);
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
