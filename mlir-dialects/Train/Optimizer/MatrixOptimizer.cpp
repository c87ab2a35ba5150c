// Optimizers with a rule for matrices: Adafactor and Muon.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Optimizer/UpdateRule.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

// ---- Adafactor: Shazeer and Stern 2018 ----

/// Root of the smallest normal square of f32; any smaller `eps1` is none.
static constexpr double leastEps = 0x1p-63;

LogicalResult AdafactorAttr::verify(EmitError emitError, APFloat lr, APFloat decay, APFloat eps1,
                                    APFloat eps2, APFloat clipThreshold, APFloat weightDecay) {
  if (!clipThreshold.isFinite() || !(number(clipThreshold) > 0))
    return emitError() << "expected a positive clip_threshold, but got " << number(clipThreshold);
  if (double least = number(eps1); least != 0 && !(least >= leastEps))
    return emitError() << "expected an eps1 of 0 or at least 1.1e-19, whose square f32 holds, but "
                          "got "
                       << least;
  return verifyNotNegative(emitError, {{"lr", lr},
                                       {"decay", decay},
                                       {"eps1", eps1},
                                       {"eps2", eps2},
                                       {"weight_decay", weightDecay}});
}

// The step size and the clipping are root mean squares of the whole tensor.
RowUpdate AdafactorAttr::getRowUpdate() const { return RowUpdate::Whole; }

SmallVector<Moment> AdafactorAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  if (param.size() < 2)
    return momentsLike(param, {"v"});
  Moment row{"v_row", llvm::to_vector(param)}, column{"v_column", llvm::to_vector(param)};
  row.shape.back() = 1;
  column.shape[param.size() - 2] = 1;
  return {row, column};
}

namespace {
struct Adafactor : UpdateRule {
  Value rootMeanSquare(Value x) {
    return b.sqrt(b.div(sumOfSquares(x), real(double(tensorOf(x).getNumElements()))));
  }
  /// Mean over one dimension, which is kept with size 1: [4, 3] -> [4, 1].
  Value mean(Value x, int64_t dim) {
    auto type = tensorOf(x);
    Value sum = b.reshape(b.reduceSum(x, {dim}), b.withOnes(type, {dim}));
    return b.div(sum, real(double(type.getDimSize(dim))));
  }
  Value keep, share; ///< of old and new second moments; their sum is 1
  /// keep * old + share * now. The form old + share * (now - old) loses a `now` far below `old` for
  /// a share near 1.
  Value moved(Value old, Value now) { return b.add(b.mul(keep, old), b.mul(share, now)); }
  /// Factored estimate of the squared gradient by row and column means; appends the new moments.
  Value estimate(Value squares, ValueRange moments, double eps, SmallVectorImpl<Value> &next) {
    int64_t rank = tensorOf(squares).getRank();
    if (rank < 2) {
      next.push_back(moved(moments[0], squares));
      return next.back();
    }
    Value row = moved(moments[0], mean(squares, rank - 1));
    Value column = moved(moments[1], mean(squares, rank - 2));
    next.append({row, column});
    // The quotient first: a product of two means of squares leaves f32 where its root does not.
    return b.mul(row, b.div(column, atLeast(mean(row, rank - 2), eps)));
  }
};
} // namespace

SmallVector<Value> AdafactorAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                              ValueRange moments, Value step, Value lr,
                                              const UpdateSettings &settings) const {
  Adafactor rule{{b, param, settings}, {}, {}};
  // A square of f32 may be 0 where its gradient is not, and the direction infinite.
  double eps = std::max(number(getEps1()), leastEps);
  SmallVector<Value> next{Value()};
  Factor decay = rule.number("decay", getDecay());
  Value exponent = decay.given ? b.neg(decay.given) : rule.real(-decay.own);
  exponent = b.mul(exponent, b.op<LogOp>(step)); // share = step^-decay
  rule.share = b.exp(exponent);
  rule.keep = b.neg(b.op<Expm1Op>(exponent));
  Value falling = b.div(rule.real(1.0), b.sqrt(step));
  Value relative = b.select(b.greater(falling, lr), lr, falling);
  Value rate =
      b.mul(rule.atLeast(rule.rootMeanSquare(param), rule.number("eps2", getEps2())), relative);
  Value squares = rule.estimate(b.mul(grad, grad), moments, eps, next);
  Value direction = b.div(grad, b.sqrt(rule.atLeast(squares, eps * eps)));
  Value size = b.div(rule.rootMeanSquare(direction),
                     rule.valueOf(rule.number("clip_threshold", getClipThreshold())));
  Value kept = rule.shrunk(param, lr, rule.number("weight_decay", getWeightDecay()));
  next[0] = b.sub(kept, b.mul(b.div(rate, rule.atLeast(size, 1.0)), direction));
  return next;
}

// ---- Muon: Jordan et al. 2024 ----

LogicalResult MuonAttr::verify(EmitError emitError, APFloat lr, APFloat momentum, bool nesterov,
                               APFloat weightDecay, APFloat eps, int64_t iterations, bool,
                               APFloat adamwLr, APFloat beta1, APFloat beta2, APFloat adamwEps) {
  if (!lr.isFinite() || !(number(lr) > 0)) // rates of vectors are relative to lr
    return emitError() << "expected a positive lr, but got " << number(lr);
  if (iterations < 1 || iterations > 20) // iterations are unrolled
    return emitError() << "expected 1 to 20 iterations, but got " << iterations;
  if (nesterov && momentum.isZero())
    return emitError() << "expected a momentum above 0 with nesterov, but got 0";
  if (failed(verifyDecayRates(emitError,
                              {{"momentum", momentum}, {"beta1", beta1}, {"beta2", beta2}})))
    return failure();
  return verifyNotNegative(emitError, {{"weight_decay", weightDecay},
                                       {"eps", eps},
                                       {"adamw_lr", adamwLr},
                                       {"adamw_eps", adamwEps}});
}

RowUpdate MuonAttr::getRowUpdate() const { return RowUpdate::Whole; }
bool MuonAttr::multipliesMatrices(ArrayRef<int64_t> param) const { return param.size() > 1; }

SmallVector<Moment> MuonAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return param.size() < 2 ? momentsLike(param, {"m", "v"}) : momentsLike(param, {"momentum"});
}

/// The nearest matrix with orthonormal rows or columns, about: singular values end between 0.7 and
/// 1.2. The products are of the shorter side, with operands rounded to `products` if that is given.
static Value orthogonal(UpdateRule &rule, Value x, const Factor &eps, int64_t iterations,
                        Type products) {
  GradBuilder &b = rule.b;
  Type sums = tensorOf(x).getElementType();
  auto rounded = [&](Value v) { return products ? b.castTo(v, products) : v; };
  auto multiply = [&](Value l, Value r, bool transposeL, bool transposeR) {
    return b.matmul(rounded(l), rounded(r), transposeL, transposeR, sums);
  };
  auto type = tensorOf(x);
  bool isTall = type.getDimSize(0) > type.getDimSize(1);
  // Coefficients of the quintic polynomial with the largest slope at 0 that keeps to that range.
  double linear = 3.4445, cubic = -4.7750, quintic = 2.0315;
  x = b.div(x, rule.atLeast(rule.norm(x), eps));
  for (int64_t i = 0; i < iterations; ++i) {
    Value gram = multiply(x, x, isTall, !isTall);
    Value inner =
        b.add(rule.scaled(cubic, gram), rule.scaled(quintic, multiply(gram, gram, false, false)));
    Value product = isTall ? multiply(x, inner, false, false) : multiply(inner, x, false, false);
    x = b.add(rule.scaled(linear, x), product);
  }
  return x;
}

SmallVector<Value> MuonAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value step, Value lr,
                                         const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  auto type = tensorOf(param);
  SmallVector<Value> next{Value()};
  if (type.getRank() < 2) {
    AdamNumbers numbers{rule.number("beta1", getBeta1()), rule.number("beta2", getBeta2()),
                        rule.number("adamw_eps", getAdamwEps())};
    Value direction = rule.adam(numbers, grad, moments, step, next);
    Value rate = rule.scaled(number(getAdamwLr()) / number(getLr()), lr);
    next[0] = b.sub(param, b.mul(rate, direction));
    return next;
  }
  Factor keep = rule.number("momentum", getMomentum());
  next.push_back(rule.blend(moments[0], grad, keep));
  Value direction = getNesterov() ? rule.blend(next[1], grad, keep) : next[1];
  int64_t rows = type.getDimSize(0), columns = type.getNumElements() / rows;
  Value matrix = b.reshape(direction, type.clone({rows, columns}));
  matrix =
      orthogonal(rule, matrix, rule.number("eps", getEps()), getIterations(), settings.products);
  double ratio = getMatchAdamw() ? 0.2 * std::sqrt(double(std::max(rows, columns)))
                                 : std::sqrt(std::max(1.0, double(rows) / double(columns)));
  Value kept = rule.shrunk(param, lr, rule.number("weight_decay", getWeightDecay()));
  next[0] = b.sub(kept, b.mul(rule.scaled(ratio, lr), b.reshape(matrix, type)));
  return next;
}
