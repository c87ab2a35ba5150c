// Intervals that hold for every input, and constants that a type cannot hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Ranges.h"
#include "lib/Precision/Values.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace ampc;

double ampc::largestOf(Type type) {
  return APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
}

static DenseFPElementsAttr elementsOf(Value v) {
  auto constant = v.getDefiningOp<train::ConstantOp>();
  return constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
}

/// Its different elements, or all: one number may fill a tensor of millions.
static auto numbersOf(DenseFPElementsAttr elements) {
  auto begin = elements.begin();
  return llvm::make_range(begin, elements.isSplat() ? std::next(begin) : elements.end());
}

static std::optional<std::string> misfitOf(APFloat x, FloatType type, StringRef what) {
  APFloat rounded = x;
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  bool overflows = x.isFinite() && !rounded.isFinite(), vanishes = !x.isZero() && rounded.isZero();
  if (!overflows && !vanishes)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << "the " << what << " "
                                 << llvm::format("%.6g", x.convertToDouble())
                                 << (overflows ? " overflows in " : " becomes 0 in ") << type;
  return text;
}

std::optional<std::string> ampc::constantMisfit(Value v, Type type) {
  while (Operation *op = v.getDefiningOp()) {
    if (!movesOnly(op))
      break;
    v = op->getOperand(0);
  }
  DenseFPElementsAttr elements = elementsOf(v);
  auto target = dyn_cast<FloatType>(type);
  if (!elements || !target)
    return std::nullopt;
  for (APFloat x : numbersOf(elements))
    if (auto misfit = misfitOf(x, target, "constant"))
      return misfit;
  return std::nullopt;
}

std::optional<std::string> ampc::constantMisfit(Operation *op, Type type) {
  for (Value operand : op->getOperands())
    if (auto misfit = constantMisfit(operand, type))
      return misfit;
  auto target = dyn_cast<FloatType>(type);
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  // Contractions, sums, norms and losses compute in f32, whatever they give.
  if (!target || !precision || precision.getCategory() == Category::FullPrecision ||
      precision.getCategory() == Category::LowPrecision)
    return std::nullopt;
  for (NamedAttribute named : op->getAttrDictionary())
    if (auto number = dyn_cast<FloatAttr>(named.getValue()))
      if (auto misfit = misfitOf(number.getValue(), target, named.getName().getValue()))
        return misfit;
  return std::nullopt;
}

static Interval hull(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
static Interval product(Interval a, Interval b) {
  auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

/// Of n numbers with mean 0 and mean square 1 none is beyond the root of n - 1; without the first
/// condition, of n.
std::optional<double> ampc::normalizedBound(Operation *norm) {
  if (!isa<train::LayerNormOp, train::RmsNormOp>(norm))
    return std::nullopt;
  double count = cast<RankedTensorType>(norm->getOperand(0).getType()).getShape().back();
  return std::sqrt(isa<train::LayerNormOp>(norm) ? count - 1 : count);
}
static Interval normalized(Operation *norm) {
  double bound = *normalizedBound(norm);
  return {-bound, bound};
}

static std::optional<Interval> rangeOf(Value v, unsigned depth) {
  if (DenseFPElementsAttr elements = elementsOf(v)) {
    Interval range{INFINITY, -INFINITY};
    for (APFloat x : numbersOf(elements)) {
      double number = x.convertToDouble();
      range = {std::min(range.low, number), std::max(range.high, number)};
    }
    return range;
  }
  Operation *op = v.getDefiningOp();
  if (!op || depth == 0)
    return std::nullopt;
  auto of = [&](unsigned i) { return rangeOf(op->getOperand(i), depth - 1); };
  auto both = [&](auto combine) -> std::optional<Interval> {
    auto a = of(0), b = of(1);
    return a && b ? std::optional<Interval>(combine(*a, *b)) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Interval>>(op)
      .Case<train::SoftmaxOp, train::SigmoidOp, train::OneHotOp, train::RandomBernoulliOp>(
          [](auto) { return Interval{0, 1}; })
      .Case<train::TanhOp, train::SinOp, train::CosOp, train::ErfOp>(
          [](auto) { return Interval{-1, 1}; })
      .Case<train::ClampOp>([](train::ClampOp clamp) {
        return Interval{clamp.getLow().convertToDouble(), clamp.getHigh().convertToDouble()};
      })
      // Means of the values' rows.
      .Case<train::AttentionOp>([&](train::AttentionOp attention) {
        return v == attention.getResult() ? of(2) : std::nullopt;
      })
      .Case<train::ReshapeOp, train::TransposeOp, train::BroadcastToOp, train::StopGradientOp,
            train::CastOp, train::SliceOp, train::ReduceMaxOp, train::ReduceMinOp,
            train::GlobalAvgPoolOp>([&](auto) { return of(0); })
      .Case<train::AddOp>([&](auto) {
        return both(
            [](Interval a, Interval b) { return Interval{a.low + b.low, a.high + b.high}; });
      })
      .Case<train::SubOp>([&](auto) {
        return both(
            [](Interval a, Interval b) { return Interval{a.low - b.high, a.high - b.low}; });
      })
      .Case<train::MulOp>([&](auto) { return both(product); })
      .Case<train::MaximumOp>([&](auto) {
        return both([](Interval a, Interval b) {
          return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
        });
      })
      .Case<train::MinimumOp>([&](auto) {
        return both([](Interval a, Interval b) {
          return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
        });
      })
      .Case<train::SelectOp>([&](auto) -> std::optional<Interval> {
        auto a = of(1), b = of(2);
        return a && b ? std::optional<Interval>(hull(*a, *b)) : std::nullopt;
      })
      .Case<train::ConcatOp>([&](auto) {
        std::optional<Interval> all = of(0);
        for (unsigned i = 1, count = op->getNumOperands(); all && i < count; ++i) {
          auto next = of(i);
          all = next ? std::optional<Interval>(hull(*all, *next)) : std::nullopt;
        }
        return all;
      })
      .Case<train::ReluOp, train::GeluOp, train::GeluTanhOp, train::SiluOp>(
          [&](Operation *unit) -> std::optional<Interval> {
            auto x = of(0);
            double least = isa<train::ReluOp>(unit) ? 0 : -0.2785; // the minimum of x sigmoid(x)
            return x ? std::optional<Interval>(
                           {std::max(least, std::min(x->low, 0.0)), std::max(x->high, 0.0)})
                     : std::nullopt;
          })
      .Case<train::AbsOp>([&](auto) -> std::optional<Interval> {
        auto x = of(0);
        return x ? std::optional<Interval>({0, x->magnitude()}) : std::nullopt;
      })
      .Case<train::SquareOp>([&](auto) -> std::optional<Interval> {
        auto x = of(0);
        return x ? std::optional<Interval>({0, x->magnitude() * x->magnitude()}) : std::nullopt;
      })
      .Case<train::NegOp>([&](auto) -> std::optional<Interval> {
        auto x = of(0);
        return x ? std::optional<Interval>({-x->high, -x->low}) : std::nullopt;
      })
      .Case<train::ExpOp>([&](auto) -> std::optional<Interval> {
        auto x = of(0);
        return x && std::isfinite(std::exp(x->high))
                   ? std::optional<Interval>({std::exp(x->low), std::exp(x->high)})
                   : std::nullopt;
      })
      .Case<train::LayerNormOp>([&](train::LayerNormOp norm) -> std::optional<Interval> {
        auto gamma = of(1), beta = of(2);
        if (!gamma || !beta)
          return std::nullopt;
        Interval scaled = product(normalized(norm), *gamma);
        return Interval{scaled.low + beta->low, scaled.high + beta->high};
      })
      .Case<train::RmsNormOp>([&](train::RmsNormOp norm) -> std::optional<Interval> {
        auto gamma = of(1);
        return gamma ? std::optional<Interval>(product(normalized(norm), *gamma)) : std::nullopt;
      })
      // |sum a b| <= K max|a| max|b|; the accumulator is f32, the store is what can overflow.
      .Case<train::MatmulOp>([&](train::MatmulOp matmul) {
        ArrayRef<int64_t> shape = matmul.getLhs().getType().getShape();
        double terms = shape[shape.size() - (matmul.getTransposeLhs() ? 2 : 1)];
        return both([&](Interval a, Interval b) {
          double bound = terms * a.magnitude() * b.magnitude();
          return Interval{-bound, bound};
        });
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Interval> ampc::rangeOf(Value v) { return ::rangeOf(v, /*depth=*/6); }

std::optional<std::string> ampc::rangeMisfit(Value v, Type type) {
  auto range = ::rangeOf(v, /*depth=*/6);
  if (!range || range->magnitude() <= largestOf(type))
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << "its elements may reach "
                                 << llvm::format("%.6g", range->magnitude()) << ", more than "
                                 << textOf(type) << " holds";
  return text;
}
