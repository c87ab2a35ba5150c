// Exponents of a step's values, as `ampc profile` found them, and what f16 makes of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRANSFORMS_PROFILE_H
#define AMPC_TRANSFORMS_PROFILE_H

#include "ampc/Transforms/Observe.h"
#include "llvm/Support/Error.h"
#include <map>

namespace ampc {
/// The elements of one value over all steps of a profile.
struct ValueProfile {
  std::string key;
  ValueKind kind = ValueKind::Forward;
  bool isStatistic = false;
  int64_t elements = 0, zeros = 0, nonfinite = 0;
  double max = 0;                ///< of the finite magnitudes
  std::map<int, int64_t> counts; ///< by floor(log2 |x|); finite elements that are not 0

  void add(double x);
  int64_t nonzeros() const { return elements - zeros - nonfinite; }
  /// Elements with low <= floor(log2 |x|) < high.
  int64_t countBetween(int low, int high) const;
};

/// Exponents of f16: below `smallest` a magnitude becomes 0 (or, near it, the smallest subnormal),
/// below `normal` it loses digits.
namespace half {
constexpr int smallest = -24, normal = -14;
constexpr double largest = 65504;
} // namespace half

/// The largest magnitude seen stays below 65504 / margin, because other data may give larger ones.
constexpr double profileMargin = 4;
/// A value with a larger share of elements that f16 would flush to 0 stays in f32.
constexpr double profileFlushed = 0.05;

/// A file with one line per value, in the order of execution: equal runs give equal files.
struct Profile {
  std::string model, step;
  int64_t steps = 0;
  std::vector<ValueProfile> values;

  static llvm::Expected<Profile> read(llvm::StringRef path);
  void write(llvm::raw_ostream &os) const;
  const ValueProfile *find(llvm::StringRef key) const;

  /// The largest power of two in [1, 2^24] that keeps all gradients that fit f16 at all below the
  /// margin; 1 if all are 0.
  double lossScale(bool weights = false) const;
  /// Why f16 does not hold the value, with gradients scaled by `scale`; nothing if it does.
  std::optional<std::string> misfit(const ValueProfile &value, double scale) const;
  /// Whether the programs of a model are those of the profile: the first difference, in words.
  std::optional<std::string> mismatch(train::FuncOp program) const;
};

inline bool carriesScale(ValueKind kind) {
  return kind == ValueKind::Gradient || kind == ValueKind::WeightGradient;
}
} // namespace ampc
#endif
