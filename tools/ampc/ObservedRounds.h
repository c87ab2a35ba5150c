// Rounds of the loops around an observed value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_OBSERVEDROUNDS_H
#define TOOLS_AMPC_OBSERVEDROUNDS_H

#include "ampc/Train/Observe.h"
#include "llvm/ADT/ArrayRef.h"

namespace ampc {
/// Rounds in the order in which they run, from 0: of two loops, 4 rounds around 35, 140 rounds. A
/// value outside of loops has one round.
class ObservedRounds {
public:
  explicit ObservedRounds(const ObservedValue &value) : loops(value.loops) {}
  int64_t count() const;
  /// Elements of a round in the tensor of all rounds, [4, 35, ...].
  template <typename T> llvm::ArrayRef<T> elementsOf(int64_t round, llvm::ArrayRef<T> all) const {
    size_t size = all.size() / count();
    return all.slice(rowOf(round) * size, size);
  }
  /// Round of each loop, from the outermost.
  llvm::SmallVector<int64_t> roundPerLoop(int64_t round) const;
  /// Example: " in round 17 of 35 of the loop at model.mlir:12:5"; empty outside of loops.
  std::string textOf(int64_t round) const;

private:
  int64_t rowOf(int64_t round) const;

  llvm::ArrayRef<ObservedLoop> loops;
};

/// Orders values, and rounds of values, by the time at which they are computed: by the round of a
/// common loop, then by their place in the program. `first` is the number of the first value of
/// each loop.
class ObservedOrder {
public:
  explicit ObservedOrder(llvm::ArrayRef<ObservedValue> values);
  using Time = llvm::SmallVector<int64_t>;
  /// Times compare like words: [7, 3, 9] is round 3 of the loop whose first value has number 7,
  /// there value 9.
  Time timeOf(size_t value, int64_t round) const;

private:
  llvm::ArrayRef<ObservedValue> values;
  llvm::DenseMap<unsigned, size_t> firstOf; ///< per loop
};
} // namespace ampc
#endif
