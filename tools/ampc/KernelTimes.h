// Times of the kernels of a program, run by run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_KERNELTIMES_H
#define TOOLS_AMPC_KERNELTIMES_H

#include "ampc/Runtime/Common.h"
#include <string>
#include <vector>

namespace ampc {
/// A kernel and the position of the kernel in the program.
struct TimedKernel {
  std::string name;
  int64_t nanoseconds; ///< the median over the runs
  int64_t least;
};

class KernelTimes {
public:
  /// Hooks that time every kernel; this object has to outlive the hooks.
  ampc_hooks hooks();
  /// Behind every run of the program.
  void endRun();
  /// In the order of the schedule. A step that is skipped runs fewer kernels: of the runs with
  /// most.
  std::vector<TimedKernel> medians() const;

private:
  struct Span {
    std::string name;
    int64_t nanoseconds;
  };
  static void add(void *context, const char *name, uint64_t begin, uint64_t end);

  std::vector<std::vector<Span>> runs{1}; ///< the last run is still going on
};
} // namespace ampc
#endif
