// Implementation behind the public handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DEVICE_DEVICEIMPL_H
#define PTXSIM_DEVICE_DEVICEIMPL_H

#include "lib/PTXSim/Machine/Memory.h"
#include "lib/PTXSim/Machine/Program.h"

namespace ptxsim {

struct ProgramImpl {
  std::shared_ptr<const ModuleImpl> module;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, std::pair<uint64_t, uint64_t>> globals; ///< address and size
  const Kernel &kernel(const std::string &name) const;
};

struct DeviceImpl {
  DeviceImpl(const Options &options, unsigned ordinal)
      : options(options), memory(options.definedness, ordinal) {}
  Options options;
  GlobalMemory memory;
};

} // namespace ptxsim
#endif
