// Random choices from a seed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_RANDOM_H
#define TEST_FUZZ_RANDOM_H

#include <cmath>
#include <cstdint>
#include <iterator>

namespace ampc::fuzz {
/// splitmix64: the same choices on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) { state = bits() ^ 0x5851F42D4C957F2Du; }
  uint64_t bits() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return double(bits() >> 11) * 0x1p-53; }
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) { return low + int64_t(bits() % (high - low + 1)); }
  bool chance(double probability) { return unit() < probability; }
  template <typename List> auto &pick(List &&list) { return list[bits() % std::size(list)]; }
  double normal() { return (unit() + unit() + unit() + unit() - 2.0) * std::sqrt(3.0); }

private:
  uint64_t state;
};
} // namespace ampc::fuzz
#endif
