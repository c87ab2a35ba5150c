// How well the tasks of kernels would share out to more threads than this machine has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_THREADSMODEL_H
#define TOOLS_AMPC_THREADSMODEL_H

#include "ampc/Runtime/Common.h"
#include "tools/ampc/ProgramCosts.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
/// Runs shares of kernels one after the other and times each share. With as many threads as the
/// runtime takes, a share is a single task, or a few tasks of a kernel with more tasks than
/// threads.
class ShareTimes {
public:
  /// Has to outlive the state.
  void setUp(ampc_options &options);
  ampc_hooks hooks();
  void endRun();

  /// Times of a kernel's tasks, or of groups of tasks, in order, and of the serial code before and
  /// after: the least of all runs, in nanoseconds.
  struct Kernel {
    std::string name;
    std::vector<double> tasks;
    double serial = 0;
  };
  const std::vector<Kernel> &getKernels() const { return kernels; }

private:
  static void runShares(void *context, int32_t count, void (*body)(void *, int32_t),
                        void *argument);
  static void endKernel(void *context, const char *name, uint64_t begin, uint64_t end);

  std::vector<double> shares; ///< of the kernel that runs
  std::vector<Kernel> kernels;
  size_t next = 0;
};

/// How long a kernel takes on some threads.
struct Shared {
  double fixed = 0;   ///< every thread has an equal number of tasks
  double dynamic = 0; ///< the same, but half at a time; who is done takes half of another's rest
  double busy = 0;    ///< of all threads, without the serial part
};
Shared shareOut(const ShareTimes::Kernel &kernel, int64_t threads);

/// Prints a line per kernel, kernels with the longest wait of threads first. `costs`: of the same
/// kernels. `forkNanoseconds`: time to start and await the threads.
void printThreadsModel(std::vector<ShareTimes::Kernel> kernels, llvm::ArrayRef<KernelCost> costs,
                       int64_t threads, double forkNanoseconds, llvm::raw_ostream &os);
} // namespace ampc
#endif
