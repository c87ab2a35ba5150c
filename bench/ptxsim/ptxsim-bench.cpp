// Speed of the PTX interpreter: GEMMs in GFLOP/s, scalar kernels in warp instructions per second,
// and the factors of threads, definedness and the race mode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelSuite.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace ptxsim;

namespace {

struct Measurement {
  double seconds = 0; ///< processor time: other work on the machine does not count
  double wall = 0;
  uint64_t instructions = 0;
};

/// The best of three runs; every result is checked against the reference.
Measurement measure(const char *name, unsigned size, const Options &options) {
  const char *compiler = "nvcc";
  Measurement best;
  for (const KernelCase &c : kernelCases()) {
    if (std::strcmp(c.name, name))
      continue;
    std::string path = std::string(PTXSIM_KERNEL_DIR) + "/" + c.file + "." + compiler + ".ptx";
    for (int k = 0; k < 3; k++) {
      Device device(options);
      Program program = device.load(Module::parse(readText(path), path));
      Runner runner(device, program);
      std::string bad = c.run(runner, size);
      if (!bad.empty())
        throw Error(ErrorKind::Argument, std::string(name) + ": " + bad);
      best.seconds = k ? std::min(best.seconds, runner.cpuSeconds) : runner.cpuSeconds;
      best.wall = k ? std::min(best.wall, runner.seconds) : runner.seconds;
      best.instructions = runner.statistics.warpInstructions;
    }
  }
  return best;
}

Options plain() {
  Options o;
  o.definedness = false;
  return o;
}

} // namespace

int main() {
  try {
    std::printf("executor %s, one thread, definedness and race off, bounds checks on\n",
                executorName());
    const double flop = 2.0 * 1024 * 1024 * 1024;
    for (const char *name : {"gemm_f16", "gemm_wgmma"}) {
      Measurement m = measure(name, 1024, plain()), small = measure(name, 512, plain());
      Options checked, racing = plain();
      racing.race = true;
      Measurement d = measure(name, 512, checked), r = measure(name, 512, racing);
      std::printf("%-12s 1024^3  %6.2f GFLOP/s  %6.1f M warp instructions/s  (goal: %s GFLOP/s)\n",
                  name, flop / m.seconds * 1e-9, double(m.instructions) / m.seconds * 1e-6,
                  name[5] == 'f' ? "10" : "5");
      std::printf("             512^3, definedness %.2f times, race %.2f times\n",
                  d.seconds / small.seconds, r.seconds / small.seconds);
    }
    struct {
      const char *name;
      unsigned size;
    } scalar[] = {
        {"reduce_sum", 1000000}, {"divergent", 20000}, {"softmax", 128}, {"layer_norm", 128}};
    double product = 1, definedness = 1, race = 1;
    for (auto &s : scalar) {
      Measurement base = measure(s.name, s.size, plain());
      Options checked, racing = plain();
      racing.race = true;
      Measurement d = measure(s.name, s.size, checked);
      Measurement r = measure(s.name, s.size, racing);
      double rate = double(base.instructions) / base.seconds * 1e-6;
      std::printf("%-12s %6.1f M warp instructions/s, definedness %.2f times, race %.2f times\n",
                  s.name, rate, d.seconds / base.seconds, r.seconds / base.seconds);
      product *= rate;
      definedness *= d.seconds / base.seconds;
      race *= r.seconds / base.seconds;
    }
    std::printf("geometric mean %.1f M warp instructions/s (goal: 25), definedness %.2f times "
                "(goal: 2), race %.2f times (goal: 3)\n",
                std::pow(product, 0.25), std::pow(definedness, 0.25), std::pow(race, 0.25));
    Options two = plain();
    two.threads = 2;
    Measurement single = measure("gemm_f16", 512, plain());
    Measurement pair = measure("gemm_f16", 512, two);
    // On a busy machine only processor time is meaningful: the sum over both threads.
    std::printf("two threads: %.2f times as fast (goal: 1.7), together %.2f times the processor "
                "time of one\n",
                single.wall / pair.wall, pair.seconds / single.seconds);
    return 0;
  } catch (const Error &e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
