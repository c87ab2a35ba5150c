// Building blocks of update rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPTIMIZER_UPDATERULE_H
#define MLIR_DIALECTS_TRAIN_OPTIMIZER_UPDATERULE_H

#include "mlir-dialects/Train/Text/Numbers.h"

namespace ampc {
/// Checks decay rates in [0, 1): the bias correction of a rate of 1 divides by 0.
llvm::LogicalResult verifyDecayRates(EmitError emitError, llvm::ArrayRef<NamedNumber> numbers);
/// Checks the storage type of moments, which may be null.
llvm::LogicalResult verifyMoments(EmitError emitError, mlir::Type type);

/// Moments of the parameter's shape.
llvm::SmallVector<Moment> momentsLike(llvm::ArrayRef<int64_t> param,
                                      llvm::ArrayRef<llvm::StringRef> names);

/// Number of a rule: of the text, or a value of the step in its place.
struct Factor {
  double own;
  Value given; ///< rank 0, or null
  Factor(double own, Value given = {}) : own(own), given(given) {}
  /// Whether the factor is this number in every step.
  bool is(double constant) const { return !given && own == constant; }
};

struct AdamNumbers {
  Factor beta1, beta2, eps;
};

/// Update rules read like their papers: values with arithmetic, reals as literals.
struct UpdateRule {
  GradBuilder &b;
  Value like;
  const UpdateSettings &settings;
  Value real(double x) { return b.real(x, like); }
  /// The number `name` of the rule, which is `own` in the text.
  Factor number(llvm::StringRef name, const llvm::APFloat &own) const {
    for (const auto &[given, value] : settings.numbers)
      if (given == name)
        return {own.convertToDouble(), value};
    return own.convertToDouble();
  }
  Value valueOf(const Factor &factor) { return factor.given ? factor.given : real(factor.own); }
  Value scaled(const Factor &factor, Value x) {
    return factor.is(1.0) ? x : b.mul(valueOf(factor), x);
  }
  /// keep * old + (1 - keep) * now
  Value blend(Value old, Value now, const Factor &keep) {
    Factor share(1 - keep.own, keep.given ? b.sub(real(1.0), keep.given) : Value());
    return b.add(scaled(keep, old), scaled(share, now));
  }
  /// moment / (1 - beta^step), Kingma and Ba 2015, algorithm 1
  Value corrected(Value moment, const Factor &beta, Value step);
  /// Adds L2 regularisation to a gradient.
  Value decayed(Value grad, Value param, const Factor &decay) {
    return decay.is(0.0) ? grad : b.add(grad, scaled(decay, param));
  }
  /// Decoupled decay: param * (1 - lr * decay)
  Value shrunk(Value param, Value lr, const Factor &decay) {
    return b.mul(param, b.sub(real(1.0), scaled(decay, lr)));
  }
  /// The direction of Adam, AdamW and LAMB; appends the new moments.
  Value adam(const AdamNumbers &numbers, Value grad, mlir::ValueRange moments, Value step,
             llvm::SmallVectorImpl<Value> &next);
  /// Maximum of a value and a number; NaN stays.
  Value atLeast(Value x, const Factor &least);
  Value sumOfSquares(Value x);
  Value norm(Value x) { return b.sqrt(sumOfSquares(x)); }
};
} // namespace ampc
#endif
