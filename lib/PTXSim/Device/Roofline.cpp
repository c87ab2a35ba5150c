// Roofline estimate of a launch from the launch's counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/PTXSim/PTXSim.h"
#include <algorithm>
#include <cstdio>

namespace ptxsim {

const std::vector<Chip> &knownChips() {
  // Source: vendor data sheets, dense tensor throughput without sparsity. Shared memory: 128 bytes
  // per clock and multiprocessor at boost clock.
  static const std::vector<Chip> chips = {
      {"A100", 312, 19.5, 2039, 19.5, 108},     {"H100", 989, 66.9, 3350, 33.4, 132},
      {"H200", 989, 66.9, 4800, 33.4, 132},     {"B200", 2250, 75, 8000, 35.0, 148},
      {"RTX 4090", 165, 82.6, 1008, 41.3, 128},
  };
  return chips;
}

std::string rooflineReport(const Statistics &s, const Chip &chip) {
  double bytes = 32.0 * double(s.globalSectorsRead + s.globalSectorsWritten);
  double work = double(s.flops + s.tensorFlops);
  struct Bound {
    const char *name;
    double seconds;
  } bounds[] = {
      {"tensor cores", double(s.tensorFlops) / (chip.tensorTflops16 * 1e12)},
      {"f32 arithmetic", double(s.flops) / (chip.vectorTflops32 * 1e12)},
      {"global memory", bytes / (chip.memoryGBs * 1e9)},
      {"shared memory", 128.0 * double(s.sharedWaves) / (chip.sharedTBs * 1e12)},
  };
  const Bound *worst =
      std::max_element(std::begin(bounds), std::end(bounds),
                       [](const Bound &a, const Bound &b) { return a.seconds < b.seconds; });
  char text[256];
  std::string out;
  std::snprintf(text, sizeof text,
                "%s: arithmetic intensity %.2f flop/byte (%.3g flop, %.3g bytes)\n", chip.name,
                bytes > 0 ? work / bytes : 0.0, work, bytes);
  out += text;
  for (const Bound &b : bounds) {
    std::snprintf(text, sizeof text, "  %-15s %10.3f us%s\n", b.name, b.seconds * 1e6,
                  &b == worst ? "  <- bound" : "");
    out += text;
  }
  out +=
      "  Lower bound at peak rates. Left out: cache misses of shared lines (a sector comes from\n  "
      "memory once), latency, occupancy, launch cost, instruction issue, and changes by ptxas.\n";
  return out;
}

} // namespace ptxsim
