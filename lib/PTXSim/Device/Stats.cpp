// Counters of memory requests, and the report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Stats.h"
#include <algorithm>
#include <cstdio>

namespace ptxsim {

void countGlobal(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes,
                 AccessKind kind) {
  uint64_t sectors[64], starts[32];
  unsigned n = 0, lanes = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    uint64_t a = addresses[firstLane(m)];
    starts[lanes++] = a;
    sectors[n++] = a >> 5;
    if ((a + bytes - 1) >> 5 != a >> 5)
      sectors[n++] = (a + bytes - 1) >> 5;
  }
  std::sort(sectors, sectors + n);
  std::sort(starts, starts + lanes);
  uint64_t distinct = uint64_t(std::unique(sectors, sectors + n) - sectors);
  uint64_t different = uint64_t(std::unique(starts, starts + lanes) - starts);
  uint64_t minimum = (different * bytes + 31) / 32;
  Worker &worker = *w.block->cluster->worker;
  for (uint64_t k = 0; k < distinct; k++) {
    if (kind != AccessKind::Write)
      worker.sectorsRead.insert(sectors[k]);
    if (kind != AccessKind::Read)
      worker.sectorsWritten.insert(sectors[k]);
  }
  Statistics &s = worker.statistics;
  bool isStore = kind == AccessKind::Write;
  (isStore ? s.globalStoreRequests : s.globalLoadRequests)++;
  (isStore ? s.globalStoreSectors : s.globalLoadSectors) += distinct;
  (isStore ? s.globalStoreSectorsMinimum : s.globalLoadSectorsMinimum) += minimum;
}

void countBulk(Warp &w, uint64_t address, unsigned bytes, bool isStore) {
  Worker &worker = *w.block->cluster->worker;
  (isStore ? worker.sectorsWritten : worker.sectorsRead).insertBytes(address, bytes);
}

void countShared(Warp &w, const uint64_t *addresses, uint32_t mask, unsigned bytes) {
  // A pass serves 32 words of 4 bytes: all lanes for accesses of 4 bytes, 16 for 8, 8 for 16.
  unsigned lanesPerPass = bytes >= 16 ? 8 : bytes == 8 ? 16 : 32;
  uint64_t waves = 0, minimum = 0;
  for (unsigned first = 0; first < 32; first += lanesPerPass) {
    uint64_t words[32][32];
    unsigned count[32] = {}, worst = 0;
    for (unsigned l = first; l < first + lanesPerPass; l++) {
      if (!(mask >> l & 1))
        continue;
      for (unsigned q = 0; q < std::max(bytes, 4u); q += 4) {
        uint64_t word = (addresses[l] + q) / 4;
        unsigned bank = word & 31;
        bool known = false;
        for (unsigned z = 0; z < count[bank]; z++)
          known |= words[bank][z] == word;
        if (!known && count[bank] < 32)
          words[bank][count[bank]++] = word;
        worst = std::max(worst, count[bank]);
      }
    }
    waves += worst;
    minimum += worst > 0;
  }
  Statistics &s = w.block->cluster->worker->statistics;
  s.sharedRequests++;
  s.sharedWaves += waves;
  s.sharedWavesMinimum += minimum;
  Statistics::Line &line = s.sharedLines[kernelOf(w).codeInfo[pcOf(w)].loc.line];
  line.requests++;
  line.waves += waves;
  line.minimum += minimum;
}

void Statistics::merge(const Statistics &o) {
  warpInstructions += o.warpInstructions;
  threadInstructions += o.threadInstructions;
  divergentBranches += o.divergentBranches;
  barriers += o.barriers;
  globalLoadRequests += o.globalLoadRequests;
  globalLoadSectors += o.globalLoadSectors;
  globalLoadSectorsMinimum += o.globalLoadSectorsMinimum;
  globalStoreRequests += o.globalStoreRequests;
  globalStoreSectors += o.globalStoreSectors;
  globalStoreSectorsMinimum += o.globalStoreSectorsMinimum;
  globalSectorsRead += o.globalSectorsRead;
  globalSectorsWritten += o.globalSectorsWritten;
  sharedRequests += o.sharedRequests;
  sharedWaves += o.sharedWaves;
  sharedWavesMinimum += o.sharedWavesMinimum;
  bulkBytesRead += o.bulkBytesRead;
  bulkBytesWritten += o.bulkBytesWritten;
  flops += o.flops;
  tensorFlops += o.tensorFlops;
  for (const auto &entry : o.instructionMix)
    instructionMix[entry.first] += entry.second;
  for (const auto &entry : o.executedLines)
    executedLines[entry.first] += entry.second;
  for (const auto &entry : o.sharedLines) {
    Line &line = sharedLines[entry.first];
    line.requests += entry.second.requests;
    line.waves += entry.second.waves;
    line.minimum += entry.second.minimum;
  }
}

static void appendRatio(std::string &out, const char *name, uint64_t requests, const char *unit,
                        uint64_t used, uint64_t minimum) {
  if (!requests)
    return;
  char text[160];
  std::snprintf(text, sizeof text,
                "%-16s %llu requests, %.2f %s per request, %.2f times the minimum\n", name,
                static_cast<unsigned long long>(requests), double(used) / double(requests), unit,
                minimum ? double(used) / double(minimum) : 0.0);
  out += text;
}

std::string statisticsReport(const Statistics &s) {
  char text[200];
  std::snprintf(text, sizeof text,
                "instructions     %llu warp, %llu thread\ndivergent        %llu branches\n"
                "barriers         %llu\n",
                static_cast<unsigned long long>(s.warpInstructions),
                static_cast<unsigned long long>(s.threadInstructions),
                static_cast<unsigned long long>(s.divergentBranches),
                static_cast<unsigned long long>(s.barriers));
  std::string out = text;
  appendRatio(out, "global loads", s.globalLoadRequests, "sectors", s.globalLoadSectors,
              s.globalLoadSectorsMinimum);
  appendRatio(out, "global stores", s.globalStoreRequests, "sectors", s.globalStoreSectors,
              s.globalStoreSectorsMinimum);
  if (s.globalSectorsRead || s.globalSectorsWritten) {
    std::snprintf(text, sizeof text, "global memory    %llu sectors read, %llu written\n",
                  static_cast<unsigned long long>(s.globalSectorsRead),
                  static_cast<unsigned long long>(s.globalSectorsWritten));
    out += text;
  }
  appendRatio(out, "shared memory", s.sharedRequests, "waves", s.sharedWaves, s.sharedWavesMinimum);
  for (const auto &line : s.sharedLines)
    if (line.second.waves > line.second.minimum) {
      std::snprintf(text, sizeof text, "  bank conflicts at line %u: %.2f times the minimum\n",
                    line.first, double(line.second.waves) / double(line.second.minimum));
      out += text;
    }
  std::vector<std::pair<uint64_t, std::string>> mix;
  for (const auto &entry : s.instructionMix)
    mix.push_back({entry.second, entry.first});
  std::sort(mix.rbegin(), mix.rend());
  out += "instruction mix\n";
  for (const auto &entry : mix) {
    std::snprintf(text, sizeof text, "  %10llu  %s\n", static_cast<unsigned long long>(entry.first),
                  entry.second.c_str());
    out += text;
  }
  return out;
}

} // namespace ptxsim
