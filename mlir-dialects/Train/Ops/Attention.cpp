// Attention: verifiers, adjoint, and decomposition of the adjoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Results.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Operands and options of attention and its gradient. Q: [..., M, D], K: [..., N, D], V: [..., N,
/// E].
struct Attention {
  Value query, key, value, bias;
  bool causal;
  FloatAttr scale;
  RankedTensorType queryType, keyType, valueType;
  Type element, wide;

  template <typename Op>
  explicit Attention(Op op)
      : query(op.getQuery()), key(op.getKey()), value(op.getValue()), bias(op.getBias()),
        causal(op.getCausal()), scale(op.getScaleAttr()), queryType(op.getQuery().getType()),
        keyType(op.getKey().getType()), valueType(op.getValue().getType()),
        element(queryType.getElementType()), wide(accumulatorOf(element)) {}

  int64_t queries() const { return queryType.getDimSize(queryType.getRank() - 2); }
  int64_t keys() const { return keyType.getDimSize(keyType.getRank() - 2); }
  double factor() const {
    return scale ? scale.getValueAsDouble() : 1 / std::sqrt(double(queryType.getShape().back()));
  }
  RankedTensorType scoresType() const {
    SmallVector<int64_t> shape(queryType.getShape().drop_back());
    shape.push_back(keys());
    return RankedTensorType::get(shape, wide);
  }
  RankedTensorType resultType() const {
    return cast<RankedTensorType>(attentionType(queryType, valueType));
  }
  bool isOneWidth() const { return keyType == valueType; }
  RankedTensorType lseType() const {
    SmallVector<int64_t> shape(queryType.getShape().drop_back(2));
    shape.append({2, queries()});
    return RankedTensorType::get(shape, wide);
  }
  /// FLOPs of a number of products with the scores; a causal mask halves the count.
  int64_t flopsOf(int64_t products) const {
    int64_t whole = 2 * products * scoresType().getNumElements() * queryType.getShape().back();
    return causal ? whole / 2 : whole;
  }
  LogicalResult verify(Operation *op) const;
  Value mask(GradBuilder &b) const;
  Value scores(GradBuilder &b) const;
  Value softmax(GradBuilder &b, Value scores) const;
  Value scoreCotangent(GradBuilder &b, Value ofLse) const;
  std::pair<Value, Value> productGradients(GradBuilder &b, Value ds) const;
};
} // namespace

LogicalResult Attention::verify(Operation *op) const {
  int64_t rank = queryType.getRank();
  if (rank < 2 || keyType.getRank() != rank ||
      keyType.getShape().drop_back() != valueType.getShape().drop_back() ||
      element != valueType.getElementType() || element != keyType.getElementType() ||
      queryType.getShape().drop_back(2) != keyType.getShape().drop_back(2) ||
      queryType.getShape().back() != keyType.getShape().back())
    return op->emitOpError() << "expected a query [..., queries, width] and keys and values [..., "
                                "keys, width] of one element type, but got "
                             << queryType << ", " << keyType << " and " << valueType;
  if (causal && queries() > keys())
    return op->emitOpError() << "expected at least as many keys as queries with `causal`, but got "
                             << queryType << " and " << keyType;
  if (!bias)
    return success();
  auto given = cast<RankedTensorType>(bias.getType());
  RankedTensorType scores = scoresType().clone(given.getElementType());
  SmallVector<Type> types;
  if (failed(inferBroadcast(std::nullopt, given, scores, types)) || types[0] != scores)
    return op->emitOpError() << "expected a bias that broadcasts to " << scores << ", but got "
                             << given;
  return success();
}

/// Keys that a query of a causal attention sees: i1 of shape [queries, keys].
Value Attention::mask(GradBuilder &b) const {
  Type i32 = b.builder.getI32Type();
  Value row = b.op<IotaOp>(RankedTensorType::get({queries(), 1}, i32), 0);
  Value column = b.op<IotaOp>(RankedTensorType::get({1, keys()}, i32), 1);
  Value last = b.add(row, b.real(double(keys() - queries()), row));
  return b.compare(ComparePredicate::ge, last, column);
}

/// Scores in the accumulator's type.
Value Attention::scores(GradBuilder &b) const {
  Value scores = b.matmul(query, key, false, true, wide);
  scores = b.mul(scores, b.real(factor(), wide));
  if (bias)
    scores = b.add(scores, b.castTo(bias, wide));
  return causal ? b.select(mask(b), scores, b.real(-infinity, wide)) : scores;
}

/// Weights of the values. A query that a bias hides from every key has weights 0, where a softmax
/// of -inf alone is NaN; a causal mask leaves every query a key.
Value Attention::softmax(GradBuilder &b, Value scores) const {
  if (!bias)
    return b.op<SoftmaxOp>(scores);
  Value most = b.columnOf(b.op<ReduceMaxOp>(scores, ArrayRef(scoresType().getRank() - 1)));
  Value seesNothing = b.compare(ComparePredicate::eq, most, b.real(-infinity, wide));
  Value zero = b.real(0.0, wide);
  return b.select(seesNothing, zero, b.op<SoftmaxOp>(b.select(seesNothing, zero, scores)));
}

/// Cotangent of the scores from the cotangents of the maximum m and of log(sum(exp(scores - m))):
/// the gradient of logsumexp is the softmax, and the gradient of the maximum is at its index.
Value Attention::scoreCotangent(GradBuilder &b, Value ofLse) const {
  Value all = scores(b);
  SmallVector<int64_t> shape(lseType().getShape()), from(shape.size(), 0), step(shape.size(), 1),
      last{scoresType().getRank() - 1};
  shape.end()[-2] = 1;
  auto flat = RankedTensorType::get(queryType.getShape().drop_back(), wide);
  auto part = [&](int64_t i) {
    from.end()[-2] = i;
    return b.reshape(b.op<SliceOp>(ofLse, from, shape, step), flat);
  };
  Value ofMaximum = part(0), ofLogarithm = part(1), most = b.op<ReduceMaxOp>(all, last);
  Value atMaximum = reduceExtremumAdjoint(b, b.sub(ofMaximum, ofLogarithm), all, most, last);
  return b.add(b.mul(softmax(b, all), b.columnOf(ofLogarithm)), atMaximum);
}

/// Cotangents of query and key, from that of the scores.
std::pair<Value, Value> Attention::productGradients(GradBuilder &b, Value ds) const {
  Value narrow = b.castTo(ds, element), s = b.real(factor(), wide);
  return {b.mul(b.matmul(narrow, key, false, false, wide), s),
          b.mul(b.matmul(narrow, query, true, false, wide), s)};
}

LogicalResult AttentionOp::verify() {
  Attention a(*this);
  if (failed(a.verify(*this)))
    return failure();
  RankedTensorType result = a.resultType();
  Type expected = getLse() ? result.clone(a.wide) : result;
  if (getResult().getType() != expected || (getLse() && getLse().getType() != a.lseType()))
    return emitOpError() << "expected a result " << result << ", or results "
                         << result.clone(a.wide) << " and " << a.lseType() << ", but got "
                         << (*this)->getResultTypes();
  return success();
}

bool AttentionOp::keepsLeadingDimension(IsBatched isBatched) {
  auto rank = [](Value v) { return cast<RankedTensorType>(v.getType()).getRank(); };
  return rank(getQuery()) > 2 &&
         !(getBias() && isBatched(getBias()) && rank(getBias()) != rank(getQuery()));
}

SmallVector<Value> AttentionOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Attention a(*this);
  SmallVector<Value> adjoints(getNumOperands());
  if (Value g = cotangents[0]) {
    Type dbias = a.bias ? a.scoresType() : Type();
    Value dq = b.op<AttentionGradOp>(a.queryType.clone(a.wide), a.keyType.clone(a.wide),
                                     a.keyType.clone(a.wide), dbias, a.query, a.key, a.value,
                                     a.bias, getResult(), getLse(), g, getCausalAttr(), a.scale);
    llvm::copy(dq.getDefiningOp()->getResults(), adjoints.begin());
  }
  if (getLse() && cotangents[1]) {
    Value ds = a.scoreCotangent(b, cotangents[1]);
    auto [dq, dk] = a.productGradients(b, ds);
    auto include = [&](Value &sum, Value part) { sum = sum ? b.add(sum, part) : part; };
    include(adjoints[0], dq);
    include(adjoints[1], dk);
    if (a.bias)
      include(adjoints[3], ds);
  }
  return adjoints;
}

bool AttentionOp::isComposite() { return !getLse() || !Attention(*this).isOneWidth(); }

/// Zeros up to a width.
static Value widened(GradBuilder &b, Value x, int64_t width) {
  auto type = tensorOf(x);
  SmallVector<int64_t> none(type.getRank(), 0), high(none);
  high.back() = width - type.getShape().back();
  return high.back() ? b.op<PadOp>(x, APFloat(0.0), none, high, none) : x;
}

// Zeros add nothing to the scores, and their columns of the result are cut off.
SmallVector<Value> AttentionOp::decompose(GradBuilder &b) {
  Attention a(*this);
  RankedTensorType type = a.resultType();
  int64_t width = std::max(a.queryType.getShape().back(), type.getShape().back());
  Value query = widened(b, a.query, width), value = widened(b, a.value, width);
  FloatAttr scale = a.isOneWidth() ? a.scale : b.builder.getF64FloatAttr(a.factor());
  Value result = b.op<AttentionOp>(tensorOf(query).clone(a.wide), a.lseType(), query,
                                   widened(b, a.key, width), value, a.bias, getCausalAttr(), scale);
  SmallVector<Value> results = {result};
  if (getLse())
    results.push_back(result.getDefiningOp()->getResult(1));
  SmallVector<int64_t> from(type.getRank(), 0), step(type.getRank(), 1);
  if (type.getShape().back() < width)
    results[0] = b.op<SliceOp>(result, from, type.getShape(), step);
  if (!getLse())
    results[0] = b.castTo(results[0], a.element);
  return results;
}

LogicalResult AttentionGradOp::verify() {
  Attention a(*this);
  if (failed(a.verify(*this)))
    return failure();
  auto shapeOf = [](Value v) { return cast<RankedTensorType>(v.getType()).getShape(); };
  if (!a.isOneWidth())
    return emitOpError() << "expected keys and values of one type, but got " << a.keyType << " and "
                         << a.valueType;
  if (shapeOf(getO()) != a.queryType.getShape() || shapeOf(getG()) != a.queryType.getShape() ||
      getLse().getType() != a.lseType())
    return emitOpError() << "expected a result and a cotangent of the shape of " << a.queryType
                         << " and a logsumexp " << a.lseType() << ", but got " << getO().getType()
                         << ", " << getG().getType() << " and " << getLse().getType();
  if (getDq().getType() != a.queryType.clone(a.wide) ||
      getDk().getType() != a.keyType.clone(a.wide) ||
      getDv().getType() != a.keyType.clone(a.wide) ||
      (getDbias() && (!a.bias || getDbias().getType() != a.scoresType())))
    return emitOpError() << "expected results " << a.queryType.clone(a.wide) << ", twice "
                         << a.keyType.clone(a.wide) << " and, with a bias, " << a.scoresType()
                         << ", but got " << (*this)->getResultTypes();
  return success();
}

bool AttentionGradOp::isComposite() { return false; }

// Decomposition from query, key, value and bias alone: the saved results of the forward pass are
// functions of these operands, and double differentiation needs that dependence.
SmallVector<Value> AttentionGradOp::decompose(GradBuilder &b) {
  Attention a(*this);
  Value p = a.softmax(b, a.scores(b)), g = b.castTo(getG(), a.element);
  Value dv = b.matmul(b.castTo(p, a.element), g, true, false, a.wide);
  Value dp = b.matmul(g, a.value, false, true, a.wide);
  Value ds = b.mul(p, b.sub(dp, b.rowSum(b.mul(p, dp))));
  auto [dq, dk] = a.productGradients(b, ds);
  SmallVector<Value> results{dq, dk, dv};
  if (getDbias())
    results.push_back(ds);
  return results;
}

namespace {
/// Removes an unused cotangent of the bias, which is as large as the scores.
struct DropBiasGradient : OpRewritePattern<AttentionGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionGradOp op, PatternRewriter &rewriter) const override {
    if (!op.getDbias() || !op.getDbias().use_empty())
      return failure();
    auto less =
        AttentionGradOp::create(rewriter, op.getLoc(), TypeRange(op->getResultTypes()).drop_back(),
                                op->getOperands(), op->getAttrs());
    for (unsigned i = 0; i < less->getNumResults(); ++i)
      rewriter.replaceAllUsesWith(op->getResult(i), less->getResult(i));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void AttentionGradOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<DropBiasGradient>(context);
}

int64_t AttentionOp::getFlops() { return Attention(*this).flopsOf(2); }
// Recomputation of the scores, plus four products with the scores or their cotangents.
int64_t AttentionGradOp::getFlops() { return Attention(*this).flopsOf(5); }
