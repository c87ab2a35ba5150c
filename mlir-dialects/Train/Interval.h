// Intervals that hold the elements of a value whatever the inputs are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_INTERVAL_H
#define MLIR_DIALECTS_TRAIN_INTERVAL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace ampc {
/// Bounds of a value's finite elements: low <= x <= high.
struct Interval {
  double low, high;
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};
/// Interval of a value; nullopt without a known bound, which propagates to all dependent values.
using Range = std::optional<Interval>;
/// Range of an operand, by operand number.
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
/// Range of relu and its smooth relatives, whose values lie between x and 0, but never below
/// `least`.
inline Range rectified(Range x, double least) {
  return x ? Range({std::max(least, std::min(x->low, 0.0)), std::max(x->high, 0.0)}) : std::nullopt;
}
} // namespace ampc
#endif
