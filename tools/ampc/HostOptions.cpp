// Options of the commands that run a model, on threads and processors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/HostOptions.h"

using namespace ampc;
namespace cl = llvm::cl;

HostOptions::HostOptions(cl::SubCommand &command)
    : threads("threads", cl::desc("default: as many as the process may use"), cl::init(0),
              cl::sub(command)),
      shares("shares", cl::desc("distribution of a kernel's tasks to threads (default: fixed)"),
             cl::values(
                 clEnumValN(AMPC_SHARES_FIXED, "fixed", "an equal number of tasks for each thread"),
                 clEnumValN(AMPC_SHARES_DYNAMIC, "dynamic",
                            "idle threads steal tasks, for processors shared with other programs")),
             cl::init(AMPC_SHARES_FIXED), cl::sub(command)),
      pin("pin-threads", cl::desc("pin each thread but the first to a processor (default: false)"),
          cl::init(false), cl::sub(command)),
      denormals("denormals",
                cl::desc("denormal numbers, below 1.2e-38 in f32, which slow some processors down "
                         "(default: keep)"),
                cl::values(clEnumValN(AMPC_DENORMALS_KEEP, "keep", "compute with denormal numbers"),
                           clEnumValN(AMPC_DENORMALS_FLUSH, "flush",
                                      "kernels on the host flush denormal numbers to zero")),
                cl::init(AMPC_DENORMALS_KEEP), cl::sub(command)) {}

void HostOptions::apply(ampc_options &options) const {
  options.threads = threads;
  options.shares = shares;
  options.pin_threads = pin;
  options.denormals = denormals;
}
