// Limits and attributes of chips, by compute capability.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DRIVER_CHIPS_H
#define PTXSIM_DRIVER_CHIPS_H

#include <cstdint>
#include <vector>

namespace ptxsim {
namespace driver {

struct Chip {
  unsigned capability; ///< major * 10 + minor, e.g. 90 for 9.0
  const char *name;
  unsigned multiprocessors;
  unsigned sharedPerMultiprocessor, sharedPerBlock; ///< the latter as opt-in of a kernel
  unsigned threadsPerMultiprocessor, blocksPerMultiprocessor;
  unsigned l2Bytes, clockKHz, memoryClockKHz, busBits;
  unsigned gibibytes;

  bool hasClusters() const { return capability == 90 || capability >= 100; }
  unsigned reservedShared() const { return capability >= 80 ? 1024 : 0; }
  static constexpr unsigned sharedByDefault = 48 << 10, registers = 65536;
};

const std::vector<Chip> &chips();
/// Value of a CUdevice_attribute; false if no such attribute exists.
bool attributeOf(const Chip &chip, int ordinal, int attribute, int &value);

} // namespace driver
} // namespace ptxsim
#endif
