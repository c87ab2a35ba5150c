// Predicted time of a launch from the launch's counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/PTXSim/PTXSim.h"
#include <algorithm>
#include <cstdio>

namespace ptxsim {

const std::vector<SustainedRates> &sustainedRates() {
  // H200: products at the rate of large products (bench/results), memory at the rate of a copy,
  // half an instruction a cycle of each of 132 x 4 dispatchers at 1.755 GHz, and a wave of shared
  // memory a cycle of each multiprocessor. A launch of a graph costs 1.3 us to start (Hazy
  // Research, H100) and as much until its first loads arrive: the sum is fitted to the step of
  // char-gpt, 0.689 ms for 230 launches (bench/results).
  static const std::vector<SustainedRates> rates = {
      {"H200", 90, 770, 4200, 132 * 4 * 1.755 * 0.5, 132 * 1.755, 2.6}};
  return rates;
}

double Prediction::total() const { return launch + std::max({tensor, memory, issue, shared}); }

const char *Prediction::bound() const {
  double most = std::max({tensor, memory, issue, shared});
  return most == tensor ? "tensor" : most == memory ? "memory" : most == issue ? "issue" : "shared";
}

Prediction predict(const Statistics &s, uint64_t launches, const SustainedRates &rates) {
  Prediction p;
  p.tensor = double(s.tensorFlops) / (rates.tensorTflops16 * 1e3);
  p.memory = 32.0 * double(s.globalSectorsRead + s.globalSectorsWritten) / rates.memoryGBs;
  p.issue = double(s.warpInstructions) / rates.warpGinstructions;
  p.shared = double(s.sharedWaves) / rates.sharedGwaves;
  p.launch = 1e3 * rates.launchMicroseconds * double(launches);
  return p;
}

std::string predictionReport(const Statistics &statistics, const SustainedRates &rates) {
  Prediction p = predict(statistics, 1, rates);
  const std::pair<const char *, double> rows[] = {{"tensor", p.tensor}, {"memory", p.memory},
                                                  {"issue", p.issue},   {"shared", p.shared},
                                                  {"launch", p.launch}, {"predicted", p.total()}};
  std::string out = std::string(rates.name) + ", predicted, bound by " + p.bound() + ":\n";
  for (const auto &row : rows) {
    char text[64];
    std::snprintf(text, sizeof text, "  %-15s %10.3f us\n", row.first, row.second * 1e-3);
    out += text;
  }
  return out;
}

} // namespace ptxsim
