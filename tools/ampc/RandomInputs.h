// Random data for the inputs of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_RANDOMINPUTS_H
#define TOOLS_AMPC_RANDOMINPUTS_H

#include "ampc/Runtime/Model.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace ampc {
/// Sequence of reals and integers from a seed (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t bits();
  double unit() { return double(bits() >> 11) * 0x1p-53; }
  /// Roughly normal with variance 1: reals far from 0 and near 0 both occur.
  double normal();

private:
  uint64_t state;
};

/// Seed of the call for a batch: random ops draw other numbers in every batch, and the same again
/// for the same `seed`. Never 0, which would stand for the numbers of the state.
uint64_t seedOfBatch(uint64_t seed, uint64_t batch);

/// A buffer per input: normal reals, and integers below the input's limit.
class RandomInputs {
public:
  RandomInputs(const ampc_program &program, Random &random);
  llvm::ArrayRef<const void *> get() const { return pointers; }

private:
  std::vector<std::vector<char>> storage;
  std::vector<const void *> pointers;
};
} // namespace ampc
#endif
