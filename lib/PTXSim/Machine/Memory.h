// Global memory: allocations with exact bounds, at addresses that no host pointer has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_MEMORY_H
#define PTXSIM_MACHINE_MEMORY_H

#include "ampc/PTXSim/PTXSim.h"

namespace ptxsim {

/// States of a byte in the definedness shadow.
namespace Shadow {
enum : uint8_t { Undefined = 0, Defined = 1, RedZone = 2, Mbarrier = 3 };
}

/// Windows of the generic address space. Bit 52 distinguishes global addresses from host pointers
/// for the driver library.
constexpr uint64_t globalBase = uint64_t(1) << 52;
constexpr unsigned deviceShift = 46; ///< of the device's ordinal in addresses
constexpr unsigned maximumDevices = 16;
constexpr uint64_t sharedWindow = uint64_t(1) << 56;
constexpr uint64_t localWindow = uint64_t(2) << 56;
constexpr uint64_t paramWindow = uint64_t(3) << 56;
/// Cluster rank of shared::cluster addresses: rank + 1 from this bit on; 0 is the executing block.
constexpr unsigned clusterRankShift = 24;
constexpr uint64_t sharedOffsetMask = (uint64_t(1) << clusterRankShift) - 1;

struct RacePage;

struct Allocation {
  uint64_t base = 0, size = 0;
  std::unique_ptr<uint8_t[]> storage;
  std::vector<uint8_t> shadow; ///< empty with definedness off
  uint8_t *data = nullptr;
  bool readOnly = false;
  std::string name;
  std::vector<std::unique_ptr<RacePage>> racePages;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address - base < size && bytes <= size - (address - base);
  }
  uint8_t *at(uint64_t address) { return data + (address - base); }
  uint8_t *shadowAt(uint64_t address) {
    return shadow.empty() ? nullptr : shadow.data() + (address - base);
  }
  ~Allocation();
};

class GlobalMemory {
public:
  GlobalMemory(bool definedness, unsigned ordinal)
      : definedness(definedness),
        nextBase(globalBase + (uint64_t(ordinal) << deviceShift) + (1 << 20)) {}
  Allocation *allocate(uint64_t bytes, const std::string &name);
  /// Maps host memory at the host's address; the allocation does not own the memory.
  Allocation *mapHost(void *host, uint64_t bytes, const std::string &name);
  void free(uint64_t base);
  /// Allocation that contains the address, or null.
  Allocation *find(uint64_t address) const;
  /// Nearest allocation below the address, for messages.
  Allocation *below(uint64_t address) const;
  /// Throws Error(Memory) naming `what` unless a single allocation contains [address, address +
  /// bytes).
  Allocation &require(uint64_t address, uint64_t bytes, const char *what) const;
  void forgetRaces();
  bool definedness;

private:
  std::vector<std::unique_ptr<Allocation>> allocations; ///< sorted by base
  uint64_t nextBase;
};

} // namespace ptxsim
#endif
