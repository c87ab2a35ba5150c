// Happens-before race detection: access histories, as coarse as the accesses allow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Race.h"
#include <algorithm>

namespace ptxsim {

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

/// Data written by a lane's cp.async reaches other lanes only after a wait and a warp barrier.
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
    // Earlier clusters only read: the latest reader suffices in practice, since a write by a third
    // cluster races with any of the readers.
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
  if (byteMask == 15 && a.write) { // histories are equal again
    word.whole = tables->splits[word.split - 1][0];
    word.split = 0;
  }
}

// --- Lines ------------------------------------------------------------------------------------

/// Copies a cell; a read set belongs to a single cell, so the copy gets a new set.
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

void RaceDetector::splitIntoQuarters(RacePage &page, unsigned index, uint64_t lineAddress) {
  constexpr unsigned count = RacePage::lineBytes / RacePage::quarterBytes;
  if (!page.quarters)
    page.quarters = std::make_unique<RaceLine[]>(RacePage::bytes / RacePage::quarterBytes);
  RaceLine &line = page.lines[index];
  line.uniform = false;
  for (unsigned k = 0; k < count; k++) {
    RaceLine &quarter = page.quarters[index * count + k];
    quarter = line;
    quarter.uniform = true;
    quarter.pattern = line.pattern.within(lineAddress + k * RacePage::quarterBytes);
    if (line.untouched())
      continue;
    if (quarter.pattern.bytes != line.pattern.bytes) { // accessed by a single lane
      quarter.cell = copyCell(line.cell, quarter.pattern.lane);
    } else if (k && line.cell.sharedReads) { // the first quarter keeps the line's set
      ReadSet copy = tables->readSets[line.cell.sharedReads - 1];
      tables->readSets.push_back(std::move(copy));
      quarter.cell.sharedReads = uint32_t(tables->readSets.size());
    }
  }
}

void RaceDetector::splitIntoWords(RacePage &page, unsigned index, uint64_t quarterAddress) {
  constexpr unsigned count = RacePage::quarterBytes / 4;
  if (!page.words)
    page.words = std::make_unique<RaceWord[]>(RacePage::bytes / 4);
  RaceLine &line = page.quarters[index];
  line.uniform = false;
  for (unsigned k = 0; k < count; k++) {
    RaceWord &word = page.words[index * count + k];
    uint64_t address = quarterAddress + 4 * k;
    word = RaceWord();
    if (line.untouched())
      continue;
    auto laneAt = [&](uint64_t at) {
      return line.pattern.bytes ? line.pattern.at(at) : int(line.cell.writeLane);
    };
    if (line.pattern.bytes == 0 || line.pattern.bytes >= 4) {
      word.whole = copyCell(line.cell, laneAt(address));
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

void RaceDetector::wordAccess(Warp &w, RaceWord *words, uint64_t begin, uint64_t end, Accessor &a,
                              const LanePattern &pattern, const char *space) {
  for (uint64_t at = begin, base = begin & ~uint64_t(3); at < end;) {
    uint64_t word = at & ~uint64_t(3), stop = word + 4 < end ? word + 4 : end;
    if (pattern.bytes && pattern.bytes < 4) // several lanes in a word
      stop = at + pattern.bytes < stop ? at + pattern.bytes : stop;
    unsigned mask = ((1u << (stop - word)) - 1) & ~((1u << (at - word)) - 1);
    a.lane = pattern.at(at);
    touch(w, words[(word - base) / 4], mask, a, word, space);
    at = stop;
  }
}

template <bool Quarter>
void RaceDetector::lineAccess(Warp &w, RacePage &page, unsigned index, uint64_t address,
                              uint64_t begin, uint64_t end, Accessor &a, const LanePattern &pattern,
                              const char *space) {
  constexpr unsigned size = Quarter ? RacePage::quarterBytes : RacePage::lineBytes;
  RaceLine &line = Quarter ? page.quarters[index] : page.lines[index];
  bool whole = begin <= address && end >= address + size;
  if (line.uniform && whole && (line.untouched() || line.pattern == pattern)) {
    a.lane = pattern.bytes ? 0 : pattern.lane;
    line.pattern = pattern;
    return touchCell(w, line.cell, a, address, space);
  }
  uint64_t first = std::max(begin, address), last = std::min(end, address + size);
  if constexpr (Quarter) {
    if (line.uniform)
      splitIntoWords(page, index, address);
    wordAccess(w, &page.words[index * (size / 4) + (first - address) / 4], first, last, a, pattern,
               space);
  } else {
    if (line.uniform)
      splitIntoQuarters(page, index, address);
    constexpr unsigned part = RacePage::quarterBytes;
    for (uint64_t at = first / part * part; at < last; at += part)
      lineAccess<true>(w, page, unsigned(index * (size / part) + (at - address) / part), at, first,
                       last, a, pattern.within(at), space);
  }
  if (whole && a.write) { // the write replaces all history
    line.cell = RaceCell();
    a.lane = pattern.bytes ? 0 : pattern.lane;
    line.uniform = true;
    line.pattern = pattern;
    touchCell(w, line.cell, a, address, space);
  }
}

void RaceDetector::pageAccess(Warp &w, RacePage &page, uint64_t pageAddress, uint64_t begin,
                              uint64_t end, Accessor a, const LanePattern &pattern,
                              const char *space) {
  uint64_t from = begin > pageAddress ? begin : pageAddress;
  uint64_t to = end < pageAddress + RacePage::bytes ? end : pageAddress + RacePage::bytes;
  for (uint64_t at = from / RacePage::lineBytes * RacePage::lineBytes; at < to;
       at += RacePage::lineBytes)
    lineAccess<false>(w, page, unsigned((at - pageAddress) / RacePage::lineBytes), at, from, to, a,
                      pattern, space);
}

} // namespace ptxsim
