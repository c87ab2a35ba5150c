// Pointwise ops: types, longer adjoints, canonical forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/SourceWalk.h"
#include "mlir-dialects/Train/Ops/Adjoints.h"
#include "mlir-dialects/Train/Ops/Broadcast.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// Rewrites a sum of padded parts, the adjoint of a split, to a concatenation: pad([2]) + pad([3])
/// -> [5]. ((p0 + p1) + p2) + ... is walked once, from the last sum on: a walk per sum would be
/// quadratic.
struct SumOfParts : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool isPart(PadOp pad) {
    return pad && number(pad.getValue()) == 0 &&
           llvm::all_of(pad.getInterior(), [](int64_t gap) { return gap == 0; });
  }
  static bool sameTypes(AddOp sum) { return sum.getLhs().getType() == sum.getRhs().getType(); }
  /// Whether the only user of a sum is another sum.
  static bool isSummand(AddOp sum) {
    auto user = sum->hasOneUse() ? dyn_cast<AddOp>(*sum->user_begin()) : AddOp();
    return user && sameTypes(user);
  }
  /// The only dimension that is padded.
  static std::optional<int64_t> paddedDim(PadOp pad) {
    std::optional<int64_t> dim;
    ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    for (int64_t i = 0; i < pad.getType().getRank(); ++i)
      if (low[i] || high[i]) {
        if (dim || low[i] < 0 || high[i] < 0)
          return std::nullopt;
        dim = i;
      }
    return dim;
  }
  /// Sorts the parts along their padded dimension; nullopt for a gap or an overlap.
  static std::optional<int64_t> coveredDim(MutableArrayRef<PadOp> parts) {
    std::optional<int64_t> dim = paddedDim(parts.front());
    if (!dim || llvm::any_of(parts, [&](PadOp part) { return paddedDim(part) != dim; }))
      return std::nullopt;
    llvm::sort(parts, [&](PadOp a, PadOp b) { return a.getLow()[*dim] < b.getLow()[*dim]; });
    int64_t at = 0;
    for (PadOp part : parts) {
      if (part.getLow()[*dim] != at)
        return std::nullopt;
      at += part.getX().getType().getDimSize(*dim);
    }
    return at == parts.front().getType().getDimSize(*dim) ? dim : std::nullopt;
  }

  /// Stack entry of the walk: a sum, and the index of its first part in the list of parts.
  struct Open {
    AddOp sum;
    size_t first;
    unsigned operand = 0; ///< next operand to visit
    int64_t elements = 0;
    bool hasOthers = false; ///< an operand below is no part
  };
  /// Post-order visit of the sums below `root` and of `root`. Returns the first sum that is a
  /// concatenation, and its parts.
  static AddOp find(AddOp root, SmallVector<PadOp> &parts) {
    SmallVector<Open> open{{root, 0}};
    while (!open.empty()) {
      Open &top = open.back();
      if (top.operand == 2) {
        Open done = open.pop_back_val();
        auto below = MutableArrayRef(parts).drop_front(done.first);
        if (!done.hasOthers && done.elements == done.sum.getType().getNumElements() &&
            coveredDim(below)) {
          parts.erase(parts.begin(), parts.begin() + done.first);
          return done.sum;
        }
        if (!open.empty()) {
          open.back().elements += done.elements;
          open.back().hasOthers |= done.hasOthers;
        }
        continue;
      }
      Value operand = top.sum->getOperand(top.operand++);
      numVisitedSources.fetch_add(1, std::memory_order_relaxed);
      auto pad = operand.getDefiningOp<PadOp>();
      auto inner = operand.getDefiningOp<AddOp>();
      if (isPart(pad)) {
        parts.push_back(pad);
        top.elements += pad.getX().getType().getNumElements();
      } else if (inner && sameTypes(inner) && inner->hasOneUse()) {
        open.push_back({inner, parts.size()});
      } else {
        top.hasOthers = true;
      }
    }
    return {};
  }
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    // A sum over many tensors, as of a norm, is a long chain of numbers.
    if (tensorOf(op).getRank() == 0 || !sameTypes(op) || isSummand(op))
      return failure();
    SmallVector<PadOp> parts;
    AddOp sum = find(op, parts);
    if (!sum)
      return failure();
    auto values = llvm::map_to_vector(parts, [](PadOp part) -> Value { return part.getX(); });
    rewriter.setInsertionPoint(sum);
    auto concat =
        ConcatOp::create(rewriter, sum.getLoc(), sum.getType(), values, *paddedDim(parts.front()));
    setOrigin(concat, originOf(sum.getOperation()));
    rewriter.replaceOp(sum, concat);
    return success();
  }
};
} // namespace

void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SumOfParts>(context);
}

static bool isNumber(Value v) { return tensorOf(v).getRank() == 0; }

Value MulOp::getScaled() {
  return isNumber(getRhs()) ? getLhs() : isNumber(getLhs()) ? getRhs() : Value();
}
Value MulOp::scaleInstead(GradBuilder &b, Value other) {
  return b.mul(other, isNumber(getRhs()) ? getRhs() : getLhs());
}

Value SelectOp::getScaled() {
  bool gives = isNumber(getCondition()) && matchPattern(getC(), m_AnyZeroFloat());
  return gives ? getA() : Value();
}
Value SelectOp::scaleInstead(GradBuilder &b, Value other) {
  return b.select(getCondition(), other, b.real(0.0, other));
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  auto condition = tensorOf(a.getCondition().getType());
  if (!condition || !condition.getElementType().isInteger(1))
    return emitOptionalError(loc, "expected a condition of i1, but got ",
                             a.getCondition().getType());
  SmallVector<Type> values;
  if (failed(inferBroadcast(loc, a.getA().getType(), a.getC().getType(), values)))
    return failure();
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(loc, condition, tensorOf(values[0]), shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, tensorOf(values[0]).getElementType()));
  return success();
}

LogicalResult CastOp::verify() {
  if (getX().getType().getShape() != getType().getShape())
    return emitOpError() << "expected the shape of " << getX().getType() << ", but got "
                         << getType();
  if (getIsUnsigned() && !isa<IntegerType>(getX().getType().getElementType()))
    return emitOpError() << "expected integers with is_unsigned, but got " << getX().getType();
  return success();
}

// Only a cast to the same type folds: a pair of casts may round.
OpFoldResult CastOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}

namespace {
/// x^2, x^1, x^0.5, x^-0.5 and x^-1 have ops of their own.
struct PowerOfConstant : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    DenseFPElementsAttr exponent;
    if (!matchPattern(op.getRhs(), m_Constant(&exponent)) || !exponent.isSplat() ||
        op.getLhs().getType() != op.getType())
      return failure();
    double value = exponent.getSplatValue<APFloat>().convertToDouble();
    Value x = op.getLhs();
    GradBuilder b(rewriter, op);
    Value y = value == 1.0    ? x
              : value == 2.0  ? b.square(x)
              : value == 0.5  ? b.sqrt(x)
              : value == -0.5 ? b.op<RsqrtOp>(x)
              : value == -1.0 ? b.op<ReciprocalOp>(x)
                              : Value();
    if (!y)
      return failure();
    rewriter.replaceOp(op, y);
    return success();
  }
};
} // namespace

// b a^(b-1) is guarded where b is 0: there a^(b-1) may be infinite.
SmallVector<Value> PowOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], base = getLhs(), exponent = getRhs(), zero = b.real(0.0, g),
        one = b.real(1.0, g);
  Value slope = b.mul(exponent, b.op<PowOp>(base, b.sub(exponent, one)));
  slope = b.select(b.compare(ComparePredicate::eq, exponent, zero), zero, slope);
  Value positive = b.greater(base, zero);
  Value logarithm = b.op<LogOp>(b.select(positive, base, one));
  Value ofExponent = b.select(positive, b.mul(g, b.mul(getResult(), logarithm)), zero);
  return {unlessZero(b, g, b.mul(g, slope)), unlessZero(b, g, ofExponent)};
}

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PowerOfConstant>(context);
}

LogicalResult ClampOp::verify() {
  if (!(number(getLow()) <= number(getHigh())))
    return emitOpError() << "expected low <= high, but got " << number(getLow()) << " and "
                         << number(getHigh());
  return success();
}

// Phi(x) + x phi(x)
SmallVector<Value> GeluOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], x = getX(), half = b.real(0.5, g);
  Value phi = b.mul(half, b.add(b.real(1.0, g), b.op<ErfOp>(b.mul(x, b.real(M_SQRT1_2, g)))));
  Value density =
      b.mul(b.real(M_2_SQRTPI * M_SQRT1_2 * 0.5, g), b.exp(b.mul(b.real(-0.5, g), b.square(x))));
  return {b.mul(g, b.add(phi, b.mul(x, density)))};
}

// sigmoid(z) and the factor s (1 - s) of the derivative. The smaller of s and 1 - s is t =
// sigmoid(-|z|), the larger is 1 - t: the product does not cancel near s = 1.
static std::pair<Value, Value> sigmoidAndSlope(GradBuilder &b, Value z, Value g) {
  Value small = b.op<SigmoidOp>(b.neg(b.op<AbsOp>(z))), large = b.sub(b.real(1.0, g), small);
  return {b.select(b.greater(z, b.real(0.0, g)), large, small), b.mul(small, large)};
}

// The derivative of x sigmoid(z), z = x (c + a x^2), is s + x s (1 - s) (c + 3 a x^2).
SmallVector<Value> GeluTanhOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  constexpr double twice = 2 * M_2_SQRTPI * M_SQRT1_2;
  Value g = cotangents[0], x = getX(), square = b.square(x);
  Value c = b.real(twice, g), a = b.real(twice * 0.044715, g);
  auto [s, slope] = sigmoidAndSlope(b, b.mul(x, b.add(c, b.mul(a, square))), g);
  Value inner = b.add(c, b.mul(b.real(twice * 3 * 0.044715, g), square));
  Value bend = b.mul(b.mul(x, slope), inner);
  return {b.mul(g, b.add(s, bend))};
}

// s + x s (1 - s), s = sigmoid(x)
SmallVector<Value> SiluOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  auto [s, slope] = sigmoidAndSlope(b, getX(), g);
  return {b.mul(g, b.add(s, b.mul(getX(), slope)))};
}

SmallVector<Value> ampc::extremumAdjoints(GradBuilder &b, Value g, Value larger, Value smaller) {
  Value zero = b.real(0.0, g), half = b.mul(g, b.real(0.5, g)), wins = b.greater(larger, smaller);
  Value tie = b.compare(ComparePredicate::eq, larger, smaller);
  Value first = b.select(tie, half, b.select(wins, g, zero));
  Value second = b.select(tie, half, b.select(wins, zero, g));
  return {first, second};
}

Value ampc::unlessZero(GradBuilder &b, Value g, Value product) {
  Value zero = b.real(0.0, g);
  return b.select(b.compare(ComparePredicate::eq, g, zero), zero, product);
}

Value ampc::timesFactor(GradBuilder &b, Value g, Value other) {
  Value product = b.mul(g, other);
  return isa_and_nonnull<LogOp, Log1pOp>(other.getDefiningOp()) ? unlessZero(b, g, product)
                                                                : product;
}

Value ampc::overRoot(GradBuilder &b, Value g, Value square) {
  Value zero = b.real(0.0, g);
  return b.select(b.greater(square, zero), b.div(g, b.sqrt(square)), zero);
}

LogicalResult CeluOp::verify() {
  if (!(number(getAlpha()) > 0))
    return emitOpError() << "expected a positive alpha, but got " << number(getAlpha());
  return success();
}
