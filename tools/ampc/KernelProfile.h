// Measured times of the kernels of a program beside operations and bytes.
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

  /// Prints a line per kernel (number in the schedule, time, rate), longest first, and sums.
  void print(llvm::raw_ostream &os) const;
  /// A row per kernel in the order of the schedule.
  llvm::json::Array toJson() const;
  /// Flame graph: rectangles of widths proportional to time, for the step, stages, modules, ops and
  /// kernels.
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
