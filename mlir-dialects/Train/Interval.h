// Intervals that hold the elements of a value whatever the inputs are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_INTERVAL_H
#define MLIR_DIALECTS_TRAIN_INTERVAL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace ampc {
/// Of a value's finite elements.
struct Interval {
  double low, high;
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};
/// Nothing where no bound is known; then nothing is known of what is computed from it either.
using Range = std::optional<Interval>;
/// The range of an operand, by its number.
using RangeOf = llvm::function_ref<Range(unsigned)>;

template <typename Combine> Range ifKnown(Range a, Range b, Combine combine) {
  return a && b ? Range(combine(*a, *b)) : std::nullopt;
}
inline Range operator+(Range a, Range b) {
  return ifKnown(a, b,
                 [](Interval x, Interval y) { return Interval{x.low + y.low, x.high + y.high}; });
}
inline Range operator-(Range a, Range b) {
  return ifKnown(a, b,
                 [](Interval x, Interval y) { return Interval{x.low - y.high, x.high - y.low}; });
}
inline Range operator-(Range a) { return a ? Range({-a->high, -a->low}) : std::nullopt; }
inline Range operator*(Range a, Range b) {
  return ifKnown(a, b, [](Interval x, Interval y) {
    auto [low, high] =
        std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
    return Interval{low, high};
  });
}
/// Elements of either.
inline Range hull(Range a, Range b) {
  return ifKnown(a, b, [](Interval x, Interval y) {
    return Interval{std::min(x.low, y.low), std::max(x.high, y.high)};
  });
}
inline Range larger(Range a, Range b) {
  return ifKnown(a, b, [](Interval x, Interval y) {
    return Interval{std::max(x.low, y.low), std::max(x.high, y.high)};
  });
}
inline Range smaller(Range a, Range b) {
  return ifKnown(a, b, [](Interval x, Interval y) {
    return Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
  });
}
/// Numbers of at most this magnitude.
inline Interval within(double bound) { return {-bound, bound}; }
/// Of a unit that is between x and 0, but never below `least`: relu and its smooth relatives.
inline Range rectified(Range x, double least) {
  return x ? Range({std::max(least, std::min(x->low, 0.0)), std::max(x->high, 0.0)}) : std::nullopt;
}
} // namespace ampc
#endif
