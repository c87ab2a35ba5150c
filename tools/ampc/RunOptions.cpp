// Options of the commands that run steps on data from files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/RunOptions.h"

using namespace ampc;
namespace cl = llvm::cl;

RunOptions::RunOptions(cl::SubCommand &command)
    : input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required, cl::sub(command)), data(command),
      seed("seed", cl::desc("of first values, random ops and the order of the data (default: 0)"),
           cl::init(0), cl::sub(command)),
      shuffle("shuffle", cl::desc("new order in every epoch (default: true)"), cl::init(true),
              cl::sub(command)),
      host(command) {}

ampc_options RunOptions::stateOptions() const {
  ampc_options options = {};
  options.seed = seed;
  host.apply(options);
  return options;
}
