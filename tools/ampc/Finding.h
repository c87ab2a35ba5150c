// A row of `ampc doctor`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_FINDING_H
#define TOOLS_AMPC_FINDING_H

#include "llvm/Support/JSON.h"
#include <string>

namespace ampc {
struct Finding {
  std::string part;    ///< "ptxas"
  std::string text;    ///< "/usr/local/cuda/bin/ptxas 13.0, sm_75, sm_80"
  std::string advice;  ///< if the part is missing: commands to run, or variables to set
  bool failed = false; ///< the environment or the command line asks for a part that cannot work
  llvm::json::Object facts; ///< the same as `text`, for programs
};

class AllTiers;
/// GPUs, the driver, and the tier of a model on each GPU; `wanted`: the value of --device, or null.
Finding findGpus(const AllTiers &tiers, const char *wanted);
} // namespace ampc
#endif
