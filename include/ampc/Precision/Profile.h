// Exponents of the values of steps, as `ampc profile` found them, and what 16 bits make of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_PROFILE_H
#define AMPC_PRECISION_PROFILE_H

#include "ampc/Train/Observe.h"
#include "llvm/Support/Error.h"
#include <map>

namespace ampc {
/// What a binary floating-point type holds.
struct FloatFormat {
  const char *name;
  int digits;      ///< of the significand, the first one included
  int smallest;    ///< 2^smallest is the smallest subnormal: below it a magnitude becomes 0
  int normal;      ///< below 2^normal digits are lost
  double largest;  ///< finite number
  const char *end; ///< the same for people

  /// Half a unit in the last place, over the number.
  double unit() const;
  /// The nearest number of the type, ties to even.
  double round(double x) const;
};
/// f16, bf16, f32, f8E4M3FN or f8E5M2; null for another name.
const FloatFormat *findFormat(llvm::StringRef name);
const FloatFormat *findFormat(mlir::Type type);

/// The elements of one value over all runs of a step.
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
  /// Root of the mean square, as far as exponents tell.
  double magnitude() const;
};

/// Changes of a parameter's elements, and how many of them a parameter kept in 16 bits would not
/// notice.
struct ParameterProfile {
  std::string name;
  int64_t updates = 0, lostInF16 = 0, lostInBF16 = 0;

  void add(double before, double after);
  double lostShare(const FloatFormat &format) const;
};

/// The largest magnitude seen stays below the type's largest / margin, because other data may give
/// larger ones.
constexpr double profileMargin = 4;
/// A value with a larger share of elements that the type would flush to 0 stays in f32, and a
/// parameter that loses a larger share of its updates needs a master in f32.
constexpr double profileFlushed = 0.05;
/// An operand stays in f32 if rounding it may change the sum with it by more than this share.
constexpr double profileCancelled = 0.125;

/// What is known of one step.
struct StepProfile {
  std::string step;
  int64_t steps = 0;
  std::vector<ValueProfile> values; ///< in the order of execution
  std::vector<ParameterProfile> parameters;

  const ValueProfile *find(llvm::StringRef key) const;
  /// The largest power of two in [1, 2^24] that keeps all gradients that fit f16 at all below the
  /// margin; 1 if all are 0.
  double lossScale(bool weights = false) const;
  /// Why the type does not hold the value, with gradients scaled by `scale`; nothing if it does.
  std::optional<std::string> misfit(const ValueProfile &value, const FloatFormat &format,
                                    double scale) const;
  /// Why rounding one operand of a sum or difference would spoil that; nothing if it would not.
  std::optional<std::string> cancellation(const ValueProfile &operand, const ValueProfile &sum,
                                          const FloatFormat &format) const;
  /// Whether a program is that of the profile: the first difference, in words.
  std::optional<std::string> mismatch(train::FuncOp program) const;
};

/// A file with one line per value, in the order of execution: equal runs give equal files.
struct Profile {
  std::string model;
  std::vector<StepProfile> steps;

  static llvm::Expected<Profile> read(llvm::StringRef path);
  void write(llvm::raw_ostream &os) const;
  /// Null if the step was not run.
  const StepProfile *find(llvm::StringRef step) const;
};

/// Ops in which leading digits may cancel: rounding their operands shows in the result.
bool mayCancel(mlir::Operation *op);

inline bool carriesScale(ValueKind kind) {
  return kind == ValueKind::Gradient || kind == ValueKind::WeightGradient;
}
} // namespace ampc
#endif
