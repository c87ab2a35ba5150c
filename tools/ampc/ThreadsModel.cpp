// Model of task scheduling on more threads than this machine has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ThreadsModel.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <numeric>
#include <queue>

using namespace ampc;

/// Maximum number of threads of the runtime.
constexpr int32_t mostThreads = 256;

void ShareTimes::setUp(ampc_options &options) {
  options.threads = mostThreads;
  options.parallel_for = runShares;
  options.parallel_context = this;
}

ampc_hooks ShareTimes::hooks() {
  ampc_hooks hooks = {};
  hooks.size = sizeof hooks;
  hooks.context = this;
  hooks.on_span = endKernel;
  return hooks;
}

void ShareTimes::runShares(void *context, int32_t count, void (*body)(void *, int32_t),
                           void *argument) {
  auto *self = static_cast<ShareTimes *>(context);
  using Clock = std::chrono::steady_clock;
  for (int32_t i = 0; i < count; ++i) {
    Clock::time_point start = Clock::now();
    body(argument, i);
    self->shares.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
}

static void takeLeast(std::vector<double> &least, const std::vector<double> &now) {
  if (least.size() != now.size())
    least = now;
  for (size_t i = 0; i < now.size(); ++i)
    least[i] = std::min(least[i], now[i]);
}

void ShareTimes::endKernel(void *context, const char *name, uint64_t begin, uint64_t end) {
  auto *self = static_cast<ShareTimes *>(context);
  double parallel = std::accumulate(self->shares.begin(), self->shares.end(), 0.0);
  double serial = std::max(0.0, double(end - begin) - parallel);
  if (self->next == self->kernels.size())
    self->kernels.push_back({name, self->shares, serial});
  Kernel &kernel = self->kernels[self->next++];
  takeLeast(kernel.tasks, self->shares);
  kernel.serial = std::min(kernel.serial, serial);
  self->shares.clear();
}

void ShareTimes::endRun() {
  next = 0;
  shares.clear();
}

/// Finish time of the last thread under the guided self-scheduling of lib/Runtime/Run.c: a thread
/// takes half of the remaining tasks of its share, then of other shares.
static double dynamicTime(llvm::ArrayRef<double> tasks, int64_t threads) {
  int64_t count = tasks.size(), shares = std::min(count, threads);
  std::vector<std::pair<int64_t, int64_t>> open;
  for (int64_t share = 0; share < shares; ++share)
    open.push_back({count * share / shares, count * (share + 1) / shares});
  // Next request of a thread: time, and the thread's number.
  using Free = std::pair<double, int64_t>;
  std::priority_queue<Free, std::vector<Free>, std::greater<Free>> free;
  for (int64_t thread = 0; thread < threads; ++thread)
    free.push({0, thread});
  double last = 0;
  while (!free.empty()) {
    auto [now, thread] = free.top();
    free.pop();
    last = std::max(last, now);
    for (int64_t i = 0; i < shares; ++i) {
      auto &[next, end] = open[(thread + i) % shares];
      if (next == end)
        continue;
      for (int64_t most = next + (end - next + 1) / 2; next < most; ++next)
        now += tasks[next];
      free.push({now, thread});
      break;
    }
  }
  return last;
}

Shared ampc::shareOut(const ShareTimes::Kernel &kernel, int64_t threads) {
  Shared result;
  int64_t count = kernel.tasks.size();
  for (int64_t share = 0; share < threads; ++share) {
    double time = 0;
    for (int64_t i = count * share / threads; i < count * (share + 1) / threads; ++i)
      time += kernel.tasks[i];
    result.fixed = std::max(result.fixed, time);
    result.busy += time;
  }
  result.dynamic = dynamicTime(kernel.tasks, threads);
  result.fixed += kernel.serial;
  result.dynamic += kernel.serial;
  return result;
}

namespace {
struct Row {
  size_t number;
  Shared shared;
  double alone; ///< time on a single thread
};
} // namespace

static double idleShare(double busy, double time, int64_t threads) {
  return time > 0 ? 100 * std::max(0.0, 1 - busy / (time * threads)) : 0;
}

static Row rowOf(size_t number, const ShareTimes::Kernel &kernel, int64_t threads, double fork) {
  Row row{number, shareOut(kernel, threads), 0};
  row.shared.busy += kernel.serial;
  row.alone = row.shared.busy;
  if (!kernel.tasks.empty() && threads > 1) {
    row.shared.fixed += fork;
    row.shared.dynamic += fork;
  }
  return row;
}

static void printRow(const Row &row, int64_t threads, llvm::raw_ostream &os) {
  os << llvm::format("%9.3f  %9.3f  %4.0f%%  %10.3f  %4.0f%%", 1e-6 * row.alone,
                     1e-6 * row.shared.fixed, idleShare(row.shared.busy, row.shared.fixed, threads),
                     1e-6 * row.shared.dynamic,
                     idleShare(row.shared.busy, row.shared.dynamic, threads));
}

void ampc::printThreadsModel(std::vector<ShareTimes::Kernel> kernels,
                             llvm::ArrayRef<KernelCost> costs, int64_t threads,
                             double forkNanoseconds, llvm::raw_ostream &os) {
  std::vector<Row> rows;
  Row all = {};
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    // Drops shares without tasks.
    kernel.tasks.resize(std::min<size_t>(kernel.tasks.size(), costs[i].tasks));
    Row row = rowOf(i, kernel, threads, forkNanoseconds);
    all.alone += row.alone;
    all.shared.fixed += row.shared.fixed;
    all.shared.dynamic += row.shared.dynamic;
    all.shared.busy += row.shared.busy;
    rows.push_back(row);
  }
  llvm::sort(rows, [&](const Row &a, const Row &b) {
    auto lost = [&](const Row &row) { return row.shared.fixed * threads - row.shared.busy; };
    return std::pair(-lost(a), a.number) < std::pair(-lost(b), b.number);
  });
  os << "threads: " << threads
     << ", simulated from tasks that ran one after the other, without contention for bandwidth\n"
     << "    #  tasks   ms alone   ms fixed   idle  ms dynamic   idle  kernel\n";
  for (const Row &row : rows) {
    os << llvm::format("%5zu  %5lld  ", row.number + 1, (long long)costs[row.number].tasks);
    printRow(row, threads, os);
    const cost::Launch &launch = *costs[row.number].launch;
    os << "  " << launch.name << " " << launch.kind << " " << launch.form << "\n";
  }
  os << "  all         ";
  printRow(all, threads, os);
  os << "\n";
}
