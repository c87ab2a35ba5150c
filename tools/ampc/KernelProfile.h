// Measured times of the kernels of a program beside what they do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_KERNELPROFILE_H
#define TOOLS_AMPC_KERNELPROFILE_H

#include "tools/ampc/KernelTimes.h"
#include "tools/ampc/ProgramCosts.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
class KernelProfile {
public:
  /// `costs`: of the same kernels, or empty.
  KernelProfile(std::vector<TimedKernel> times, std::vector<KernelCost> costs);

  /// A line per kernel with its number in the schedule, the longest first, and sums.
  void print(llvm::raw_ostream &os) const;
  /// A row per kernel in the order of the schedule.
  llvm::json::Array toJson() const;
  /// Rectangles as wide as times: the step, its stages, modules, ops and kernels.
  void writeSvg(llvm::raw_ostream &os, llvm::StringRef title) const;

  /// Nanoseconds of all kernels. Nothing: no machine.
  int64_t measured() const;
  std::optional<double> predicted() const;

private:
  const KernelCost *costOf(size_t kernel) const { return costs.empty() ? nullptr : &costs[kernel]; }
  void printRow(llvm::raw_ostream &os, size_t kernel) const;

  std::vector<TimedKernel> times;
  std::vector<KernelCost> costs;
};
} // namespace ampc
#endif
