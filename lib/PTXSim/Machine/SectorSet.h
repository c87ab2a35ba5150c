// Set of global-memory sectors touched by a launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_SECTORSET_H
#define PTXSIM_MACHINE_SECTORSET_H

#include <array>
#include <cstdint>
#include <unordered_map>

namespace ptxsim {

/// Bit set of 32-byte sectors: the traffic of an infinite cache. Accesses have locality, so the
/// last page is cached.
class SectorSet {
public:
  static constexpr unsigned sectorShift = 5;

  SectorSet() = default;
  // `last` points into the own set, so copies reset the pointer.
  SectorSet(const SectorSet &other) : pages(other.pages) {}
  SectorSet &operator=(const SectorSet &other) {
    pages = other.pages;
    last = nullptr;
    return *this;
  }
  void insert(uint64_t sector) {
    uint64_t number = sector >> pageShift;
    if (number != lastNumber || !last) {
      last = &pages[number];
      lastNumber = number;
    }
    (*last)[(sector & (pageSectors - 1)) / 64] |= uint64_t(1) << (sector & 63);
  }
  void insertBytes(uint64_t address, uint64_t bytes) {
    if (bytes)
      for (uint64_t s = address >> sectorShift; s <= (address + bytes - 1) >> sectorShift; s++)
        insert(s);
  }
  void merge(const SectorSet &other) {
    for (const auto &entry : other.pages) {
      Page &page = pages[entry.first];
      for (uint64_t k = 0; k < page.size(); k++)
        page[k] |= entry.second[k];
    }
  }
  uint64_t size() const {
    uint64_t count = 0;
    for (const auto &entry : pages)
      for (uint64_t bits : entry.second)
        count += uint64_t(__builtin_popcountll(bits));
    return count;
  }

private:
  static constexpr unsigned pageShift = 12;
  static constexpr uint64_t pageSectors = uint64_t(1) << pageShift;
  using Page = std::array<uint64_t, pageSectors / 64>;
  std::unordered_map<uint64_t, Page> pages;
  Page *last = nullptr;
  uint64_t lastNumber = 0;
};

} // namespace ptxsim
#endif
