// Times of the kernels of a program, run by run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/KernelTimes.h"
#include "llvm/ADT/STLExtras.h"

using namespace ampc;

void KernelTimes::add(void *context, const char *name, uint64_t begin, uint64_t end) {
  static_cast<KernelTimes *>(context)->runs.back().push_back({name, int64_t(end - begin)});
}

ampc_hooks KernelTimes::hooks() {
  ampc_hooks hooks = {};
  hooks.size = sizeof hooks;
  hooks.context = this;
  hooks.on_span = add;
  return hooks;
}

void KernelTimes::endRun() { runs.emplace_back(); }

std::vector<TimedKernel> KernelTimes::medians() const {
  size_t most = 0;
  for (const std::vector<Span> &run : runs)
    most = std::max(most, run.size());
  std::vector<TimedKernel> rows;
  for (size_t i = 0; i < most; ++i) {
    std::vector<int64_t> times;
    std::string name;
    for (const std::vector<Span> &run : runs)
      if (run.size() == most) {
        times.push_back(run[i].nanoseconds);
        name = run[i].name;
      }
    llvm::sort(times);
    rows.push_back({std::move(name), times[times.size() / 2], times.front()});
  }
  return rows;
}
