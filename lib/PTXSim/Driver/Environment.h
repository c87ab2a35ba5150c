// Settings of the driver library from environment variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DRIVER_ENVIRONMENT_H
#define PTXSIM_DRIVER_ENVIRONMENT_H

#include "ampc/PTXSim/PTXSim.h"

namespace ptxsim {
namespace driver {

struct Settings {
  Options options;
  unsigned capability = 90;     ///< major * 10 + minor
  unsigned multiprocessors = 0; ///< 0: as on the chip
  unsigned devices = 1;
  uint64_t memory = 0; ///< bytes per device, 0: as on the chip
  bool leaks = false;
  bool sample = false; ///< count a repeated launch as the first one, and do not run it
  std::string report;
};

/// Reads the PTXSIM_ variables; throws Error(Argument) on an unknown name or an invalid value.
Settings readEnvironment();

} // namespace driver
} // namespace ptxsim
#endif
