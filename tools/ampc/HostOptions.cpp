// Options of the commands that run a model, on threads and processors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/HostOptions.h"

using namespace ampc;
namespace cl = llvm::cl;

HostOptions::HostOptions(cl::SubCommand &command)
    : threads("threads", cl::desc("default: as many as the process may use"), cl::init(0),
              cl::sub(command)),
      shares("shares", cl::desc("how threads share the tasks of a kernel (default: fixed)"),
             cl::values(clEnumValN(AMPC_SHARES_FIXED, "fixed", "an equal number for each"),
                        clEnumValN(AMPC_SHARES_DYNAMIC, "dynamic",
                                   "who is done helps others: where processors do other work, "
                                   "too")),
             cl::init(AMPC_SHARES_FIXED), cl::sub(command)),
      pin("pin-threads",
          cl::desc("each thread but the first keeps to one processor (default: false)"),
          cl::init(false), cl::sub(command)),
      denormals("denormals",
                cl::desc("numbers nearer to zero than the least normal one, 1.2e-38 in f32, which "
                         "slow some processors down (default: keep)"),
                cl::values(clEnumValN(AMPC_DENORMALS_KEEP, "keep", "they are numbers like others"),
                           clEnumValN(AMPC_DENORMALS_FLUSH, "flush",
                                      "in kernels on the host they are zeros")),
                cl::init(AMPC_DENORMALS_KEEP), cl::sub(command)) {}

void HostOptions::apply(ampc_options &options) const {
  options.threads = threads;
  options.shares = shares;
  options.pin_threads = pin;
  options.denormals = denormals;
}
