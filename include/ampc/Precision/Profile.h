// Profiles of value exponents, as recorded by `ampc profile`, and their consequences in 16-bit
// types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_PROFILE_H
#define AMPC_PRECISION_PROFILE_H

#include "ampc/Train/Observe.h"
#include "llvm/Support/Error.h"
#include <map>

namespace ampc {
/// Range and precision of a binary floating-point type.
struct FloatFormat {
  const char *name;
  int digits;      ///< bits of the significand, including the leading bit: bf16 has 8
  int smallest;    ///< 2^smallest is the smallest subnormal; smaller magnitudes flush to 0
  int normal;      ///< exponent of the smallest normal; digits are lost below 2^normal
  double largest;  ///< largest finite number
  const char *end; ///< `largest` as text for messages

  /// Unit roundoff: relative error of rounding to nearest.
  double unit() const;
  /// Rounds to the nearest number of the type, ties to even.
  double round(double x) const;
};
/// Format of f16, bf16, f32, f8E4M3FN or f8E5M2; null for another name.
const FloatFormat *findFormat(llvm::StringRef name);
const FloatFormat *findFormat(mlir::Type type);

/// Statistics of one value's elements over all runs of a step.
struct ValueProfile {
  std::string key;
  ValueKind kind = ValueKind::Forward;
  bool isStatistic = false;
  int64_t elements = 0, zeros = 0, nonfinite = 0;
  double max = 0;                ///< largest finite magnitude
  std::map<int, int64_t> counts; ///< histogram of floor(log2 |x|) over finite elements other than
                                 ///< 0, for example {-3: 12}

  void add(double x);
  int64_t nonzeros() const { return elements - zeros - nonfinite; }
  /// Number of elements with low <= floor(log2 |x|) < high.
  int64_t countBetween(int low, int high) const;
  /// Root mean square, estimated from the exponents.
  double magnitude() const;
};

/// Number of element updates of a parameter, and of updates too small to change a parameter stored
/// in 16 bits.
struct ParameterProfile {
  std::string name;
  int64_t updates = 0, lostInF16 = 0, lostInBF16 = 0;

  void add(double before, double after);
  double lostShare(const FloatFormat &format) const;
};

/// Safety factor: the largest magnitude seen must stay below largest / margin of the type, because
/// other data may give larger magnitudes.
constexpr double profileMargin = 4;
/// Share of elements flushed to 0 above which a value stays in f32; also the share of lost updates
/// above which a parameter needs an f32 master weight.
constexpr double profileFlushed = 0.05;
/// Relative change of a sum above which the operand of the sum is not rounded but stays in f32.
constexpr double profileCancelled = 0.125;

/// Profile of one step.
struct StepProfile {
  std::string step;
  int64_t steps = 0;
  std::vector<ValueProfile> values; ///< in execution order
  std::vector<ParameterProfile> parameters;

  const ValueProfile *find(llvm::StringRef key) const;
  /// Largest power of two in [1, 2^24] that keeps below the margin all gradients that fit f16 at
  /// all; 1 if all are 0.
  double lossScale(bool weights = false) const;
  /// Reason why the type does not represent the value, with gradients scaled by `scale`; nothing if
  /// the value fits.
  std::optional<std::string> misfit(const ValueProfile &value, const FloatFormat &format,
                                    double scale) const;
  /// Reason why rounding one operand of a sum or difference would ruin the result by cancellation;
  /// nothing if rounding is harmless.
  std::optional<std::string> cancellation(const ValueProfile &operand, const ValueProfile &sum,
                                          const FloatFormat &format) const;
  /// First difference between a program and the profiled program, in words; nothing if they match.
  std::optional<std::string> mismatch(train::FuncOp program) const;
};

/// Profile file: a line per value in execution order, so that equal runs give equal files.
struct Profile {
  std::string model;
  std::vector<StepProfile> steps;

  static llvm::Expected<Profile> read(llvm::StringRef path);
  void write(llvm::raw_ostream &os) const;
  /// Profile of a step; null if the step was not run.
  const StepProfile *find(llvm::StringRef step) const;
};

/// Whether leading digits may cancel in an op, so that rounding of operands shows in the result.
/// Example: subtraction.
bool mayCancel(mlir::Operation *op);

inline bool carriesScale(ValueKind kind) {
  return kind == ValueKind::Gradient || kind == ValueKind::WeightGradient;
}
} // namespace ampc
#endif
