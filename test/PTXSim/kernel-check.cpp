// Runs a kernel of the suite from a given PTX file: for the fault injector and for recompiled PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a line, "ok", "wrong: ...", "error: ..." or "race: ...", and exits with 0, 1, 2 or 3.
#include "test/PTXSim/KernelSuite.h"
#include <cstdio>
#include <cstring>

using namespace ptxsim;

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(
        stderr,
        "usage: ptxsim-kernel-check KERNEL FILE.ptx [race] [warp] [lines] [eager] [random=SEED]\n");
    return 4;
  }
  Options options;
  options.instructionBudget = 20000000;
  for (int k = 3; k < argc; k++) {
    if (!std::strcmp(argv[k], "race"))
      options.race = true;
    else if (!std::strcmp(argv[k], "lines")) // prints the PTX lines that run
      options.statistics = true;
    else if (!std::strcmp(argv[k], "warp")) // the stricter reading of wgmma
      options.wgmma = WgmmaModel::Warp;
    else if (!std::strcmp(argv[k], "eager"))
      options.async = AsyncMode::Eager;
    else if (!std::strncmp(argv[k], "random=", 7)) {
      options.async = AsyncMode::Random;
      options.scheduleQuantum = 40;
      options.seed = std::strtoull(argv[k] + 7, nullptr, 10);
    }
  }
  for (const KernelCase &c : kernelCases()) {
    if (std::strcmp(c.name, argv[1]))
      continue;
    try {
      Device device(options);
      Program program = device.load(Module::parse(readText(argv[2]), argv[2]));
      Runner runner(device, program);
      std::string bad = c.run(runner, 0);
      if (options.statistics) {
        for (const auto &line : runner.statistics.executedLines)
          std::printf("%u\n", line.first);
        return 0;
      }
      if (!runner.findings.empty()) {
        std::printf("race: %s\n", runner.findings[0].message.c_str());
        return 3;
      }
      if (runner.undefined)
        bad = "result bytes that nobody wrote";
      std::printf(bad.empty() ? "ok\n" : "wrong: %s\n", bad.c_str());
      return bad.empty() ? 0 : 1;
    } catch (const Error &e) {
      std::printf("error: %s\n", e.what());
      return 2;
    }
  }
  std::fprintf(stderr, "unknown kernel %s\n", argv[1]);
  return 4;
}
