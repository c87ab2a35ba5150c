// Times of the kernels of a program, run by run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_KERNELTIMES_H
#define TOOLS_AMPC_KERNELTIMES_H

#include "ampc/Runtime/Common.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace ampc {
class KernelTimes {
public:
  /// Hooks that tell of every kernel; this object has to outlive them.
  ampc_hooks hooks();
  /// Behind every run of the program.
  void endRun();
  /// A line per name, the longest first.
  void print(llvm::raw_ostream &os) const;
  /// A row per kernel in the order of the schedule, with the median over the runs.
  llvm::json::Array toJson() const;

private:
  struct Span {
    std::string name;
    int64_t nanoseconds;
  };
  static void add(void *context, const char *name, uint64_t begin, uint64_t end);

  std::vector<std::vector<Span>> runs{1}; ///< the last one is still going on
};
} // namespace ampc
#endif
