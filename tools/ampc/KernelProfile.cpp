// Measured times of a program's kernels, next to the work of the kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/KernelProfile.h"
#include "llvm/Support/Format.h"
#include <numeric>

using namespace ampc;

/// Whether costs and times are of the same kernels; not if another target's code ran.
static bool areOfTimes(const std::vector<KernelCost> &costs,
                       const std::vector<TimedKernel> &times) {
  return costs.size() == times.size() &&
         llvm::all_of(llvm::zip(costs, times), [](const auto &pair) {
           auto &[cost, time] = pair;
           return cost.launch->name == time.name;
         });
}

KernelProfile::KernelProfile(std::vector<TimedKernel> times, std::vector<KernelCost> costs)
    : times(std::move(times)), costs(std::move(costs)) {
  if (!areOfTimes(this->costs, this->times))
    this->costs.clear();
}

int64_t KernelProfile::measured() const {
  return std::accumulate(
      times.begin(), times.end(), int64_t(0),
      [](int64_t sum, const TimedKernel &kernel) { return sum + kernel.nanoseconds; });
}
std::optional<double> KernelProfile::predicted() const {
  if (costs.empty() || !costs.front().predicted)
    return std::nullopt;
  return std::accumulate(costs.begin(), costs.end(), 0.0, [](double sum, const KernelCost &cost) {
    return sum + cost.predicted->total;
  });
}

/// Rate per nanosecond; 0 for kernels without measurable time.
static double perNanosecond(double amount, int64_t nanoseconds) {
  return nanoseconds > 0 ? amount / nanoseconds : 0;
}

void KernelProfile::printRow(llvm::raw_ostream &os, size_t kernel) const {
  const TimedKernel &time = times[kernel];
  os << llvm::format("%5zu  %8.3f  %5.1f%%  ", kernel + 1, 1e-6 * time.nanoseconds,
                     100.0 * perNanosecond(time.nanoseconds, measured()));
  if (const KernelCost *cost = costOf(kernel)) {
    const cost::Work &work = cost->launch->work;
    if (cost->predicted)
      os << llvm::format("%9.3f  ", 1e-6 * cost->predicted->total);
    else
      os << "        -  ";
    os << llvm::format("%8.1f  %6.1f  ", perNanosecond(work.flops(), time.nanoseconds),
                       perNanosecond(work.bytes(false) + work.bytes(true), time.nanoseconds));
    if (cost->predicted)
      os << llvm::format("%4.0f%%  ",
                         100 * perNanosecond(cost->predicted->limit, time.nanoseconds));
    else
      os << "    -  ";
    os << llvm::format("%5lld  ", (long long)cost->tasks) << time.name << " " << cost->launch->kind
       << " " << cost->launch->form << "\n";
    return;
  }
  os << "        -         -       -      -      -  " << time.name << "\n";
}

void KernelProfile::print(llvm::raw_ostream &os) const {
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-times[a].nanoseconds, a) < std::pair(-times[b].nanoseconds, b);
  });
  os << "    #        ms   share  predicted  GFLOP/s    GB/s  limit  tasks  kernel\n";
  for (size_t kernel : order)
    printRow(os, kernel);
  os << llvm::format("  all  %8.3f  100.0%%  ", 1e-6 * measured());
  if (auto all = predicted())
    os << llvm::format("%9.3f  ", 1e-6 * *all) << "\n";
  else
    os << "        -\n";
}

llvm::json::Array KernelProfile::toJson() const {
  llvm::json::Array rows;
  for (auto [i, time] : llvm::enumerate(times)) {
    llvm::json::Object row{{"number", int64_t(i + 1)},
                           {"name", time.name},
                           {"median_nanoseconds", time.nanoseconds},
                           {"least_nanoseconds", time.least}};
    if (const KernelCost *cost = costOf(i)) {
      cost->addTo(row);
      double flops = cost->launch->work.flops();
      int64_t bytes = cost->launch->work.bytes(false) + cost->launch->work.bytes(true);
      row["gflop_per_s"] = perNanosecond(flops, time.nanoseconds);
      row["gb_per_s"] = perNanosecond(bytes, time.nanoseconds);
      if (cost->predicted)
        row["share_of_limit"] = perNanosecond(cost->predicted->limit, time.nanoseconds);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}
