// Global memory: allocations with exact bounds, at addresses that no host pointer has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Memory.h"
#include "lib/PTXSim/Machine/Race.h"
#include <algorithm>

namespace ptxsim {

static constexpr uint64_t alignment = 256, guard = 4096, maximumAllocation = uint64_t(1) << 40;

Allocation::~Allocation() = default;

Allocation *GlobalMemory::allocate(uint64_t bytes, const std::string &name) {
  if (bytes == 0 || bytes > maximumAllocation)
    throw Error(ErrorKind::Argument, "expected an allocation of 1 byte to 1 TiB, but got " +
                                         std::to_string(bytes) + " bytes");
  auto a = std::make_unique<Allocation>();
  a->base = nextBase;
  a->size = bytes;
  a->name = name.empty() ? "allocation " + std::to_string(allocations.size()) : name;
  // The guard separates neighbours: an overrun never hits another allocation.
  nextBase += (bytes + guard + alignment - 1) / alignment * alignment;
  a->storage.reset(new (std::nothrow) uint8_t[bytes + alignment]);
  if (!a->storage)
    throw Error(ErrorKind::Argument,
                "no memory for an allocation of " + std::to_string(bytes) + " bytes");
  a->data = a->storage.get();
  a->data +=
      (alignment - (reinterpret_cast<uintptr_t>(a->data) & (alignment - 1))) & (alignment - 1);
  std::memset(a->data, 0xff, bytes); // NaN in every floating-point type
  if (definedness)
    a->shadow.assign(bytes, Shadow::Undefined);
  allocations.push_back(std::move(a));
  return allocations.back().get();
}

Allocation *GlobalMemory::mapHost(void *host, uint64_t bytes, const std::string &name) {
  uint64_t base = reinterpret_cast<uintptr_t>(host);
  auto at = std::upper_bound(allocations.begin(), allocations.end(), base,
                             [](uint64_t x, const auto &a) { return x < a->base; });
  bool overlaps = (at != allocations.end() && (*at)->base < base + bytes) || find(base);
  if (!base || !bytes || overlaps)
    throw Error(ErrorKind::Argument, "expected host memory that is not mapped yet");
  auto a = std::make_unique<Allocation>();
  a->base = base;
  a->size = bytes;
  a->name = name.empty() ? "host memory" : name;
  a->data = static_cast<uint8_t *>(host);
  if (definedness)
    a->shadow.assign(bytes, Shadow::Defined);
  return allocations.insert(at, std::move(a))->get();
}

void GlobalMemory::free(uint64_t base) {
  Allocation *a = find(base);
  if (!a || a->base != base)
    throw Error(ErrorKind::Argument, "expected the start of an allocation");
  allocations.erase(std::find_if(allocations.begin(), allocations.end(),
                                 [&](const auto &p) { return p.get() == a; }));
}

Allocation *GlobalMemory::below(uint64_t address) const {
  auto it = std::upper_bound(allocations.begin(), allocations.end(), address,
                             [](uint64_t x, const auto &a) { return x < a->base; });
  return it == allocations.begin() ? nullptr : std::prev(it)->get();
}

Allocation *GlobalMemory::find(uint64_t address) const {
  Allocation *a = below(address);
  return a && a->contains(address, 1) ? a : nullptr;
}

Allocation &GlobalMemory::require(uint64_t address, uint64_t bytes, const char *what) const {
  Allocation *a = find(address);
  if (!a || !a->contains(address, bytes))
    throw Error(ErrorKind::Memory, std::string(what) + " of " + std::to_string(bytes) +
                                       " bytes is not inside one allocation");
  return *a;
}

void GlobalMemory::forgetRaces() {
  for (const auto &a : allocations)
    a->racePages.clear();
}

} // namespace ptxsim
