// Times of the kernels of a program, run by run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/KernelTimes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <map>

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

void KernelTimes::print(llvm::raw_ostream &os) const {
  struct Sum {
    int64_t nanoseconds = 0;
    unsigned count = 0;
  };
  llvm::MapVector<std::string, Sum, std::map<std::string, unsigned>> sums;
  int64_t total = 0;
  for (const std::vector<Span> &run : runs)
    for (const Span &span : run) {
      Sum &sum = sums[span.name];
      sum.nanoseconds += span.nanoseconds;
      ++sum.count;
      total += span.nanoseconds;
    }
  auto sorted = sums.takeVector();
  llvm::sort(sorted, [](auto &a, auto &b) { return a.second.nanoseconds > b.second.nanoseconds; });
  size_t count = runs.size() - 1;
  os << "  ms/run   share  launches  kernel\n";
  for (auto &[name, sum] : sorted)
    os << llvm::format("%8.3f  %5.1f%%  %8u  ", 1e-6 * sum.nanoseconds / count,
                       100.0 * sum.nanoseconds / total, unsigned(sum.count / count))
       << name << "\n";
}

llvm::json::Array KernelTimes::toJson() const {
  // A step that is skipped runs fewer kernels.
  size_t most = 0;
  for (const std::vector<Span> &run : runs)
    most = std::max(most, run.size());
  llvm::json::Array rows;
  for (size_t i = 0; i < most; ++i) {
    std::vector<int64_t> times;
    std::string name;
    for (const std::vector<Span> &run : runs)
      if (run.size() == most) {
        times.push_back(run[i].nanoseconds);
        name = run[i].name;
      }
    llvm::sort(times);
    rows.push_back(
        llvm::json::Object{{"name", name}, {"median_nanoseconds", times[times.size() / 2]}});
  }
  return rows;
}
