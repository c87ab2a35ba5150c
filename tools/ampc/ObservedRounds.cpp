// Rounds of the loops around an observed value, as text and in the order of execution.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ObservedRounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace ampc;

int64_t ObservedRounds::count() const {
  int64_t count = 1;
  for (const ObservedLoop &loop : loops)
    count *= loop.rounds;
  return count;
}

llvm::SmallVector<int64_t> ObservedRounds::roundPerLoop(int64_t round) const {
  llvm::SmallVector<int64_t> rounds(loops.size());
  for (size_t i = loops.size(); i-- > 0; round /= loops[i].rounds)
    rounds[i] = round % loops[i].rounds;
  return rounds;
}

static int64_t rowIn(const ObservedLoop &loop, int64_t round) {
  return loop.isReverse ? loop.rounds - 1 - round : round;
}

int64_t ObservedRounds::rowOf(int64_t round) const {
  int64_t row = 0;
  for (auto [loop, own] : llvm::zip(loops, roundPerLoop(round)))
    row = row * loop.rounds + rowIn(loop, own);
  return row;
}

std::string ObservedRounds::textOf(int64_t round) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::SmallVector<int64_t> rounds = roundPerLoop(round);
  for (size_t i = loops.size(); i-- > 0;) {
    os << (i + 1 < loops.size() ? "," : "") << " in round " << rounds[i] + 1 << " of "
       << loops[i].rounds;
    if (loops[i].isReverse)
      os << ", row " << rowIn(loops[i], rounds[i]) << ",";
    os << " of the loop at " << loops[i].location;
  }
  return text;
}

ObservedOrder::ObservedOrder(llvm::ArrayRef<ObservedValue> values) : values(values) {
  for (auto [number, value] : llvm::enumerate(values))
    for (const ObservedLoop &loop : value.loops)
      firstOf.try_emplace(loop.number, number);
}

ObservedOrder::Time ObservedOrder::timeOf(size_t value, int64_t round) const {
  Time time;
  for (auto [loop, own] :
       llvm::zip(values[value].loops, ObservedRounds(values[value]).roundPerLoop(round))) {
    time.push_back(firstOf.lookup(loop.number));
    time.push_back(own);
  }
  time.push_back(value);
  return time;
}
