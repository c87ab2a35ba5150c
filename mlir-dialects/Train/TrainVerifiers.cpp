// Verifiers, folders and canonical forms of tensor ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static double number(const APFloat &x) { return x.convertToDouble(); }

RankedTensorType ampc::randomStateType(MLIRContext *context) {
  return RankedTensorType::get({2}, IntegerType::get(context, 64));
}

//===--- Verifiers
//-----------------------------------------------------------------------------===//

static LogicalResult verifyRows(Operation *op, RankedTensorType type) {
  if (type.getRank() < 1 || type.getShape().back() < 1)
    return op->emitOpError() << "expected at least one element along the last dimension, but got "
                             << type;
  return success();
}
LogicalResult SoftmaxOp::verify() { return verifyRows(*this, getType()); }
LogicalResult LogSoftmaxOp::verify() { return verifyRows(*this, getType()); }

LogicalResult ClampOp::verify() {
  if (!(number(getLow()) <= number(getHigh())))
    return emitOpError() << "expected low <= high, but got " << number(getLow()) << " and "
                         << number(getHigh());
  return success();
}
LogicalResult IotaOp::verify() {
  Type element = getType().getElementType();
  if (getDim() < 0 || getDim() >= getType().getRank())
    return emitOpError() << "expected a dimension of " << getType() << ", but got " << getDim();
  if (!element.isInteger(32) && !element.isInteger(64) && !isa<FloatType>(element))
    return emitOpError() << "expected elements of i32, i64 or a real type, but got " << element;
  return success();
}
LogicalResult ScatterAddOp::verify() {
  SmallVector<Type> types;
  if (failed(inferGather(getLoc(), getType(), getIndex().getType(), types)))
    return failure();
  if (types[0] != getUpdates().getType())
    return emitOpError() << "expected updates of type " << types[0] << ", but got "
                         << getUpdates().getType();
  return success();
}
LogicalResult SumRowsOp::verify() {
  auto index = getIndex().getType(), updates = getUpdates().getType();
  SmallVector<int64_t> shape(updates.getShape());
  int64_t count = index.getNumElements();
  if (getOf() < 1)
    return emitOpError() << "expected a table of at least one row, but got " << getOf();
  if (updates.getShape().take_front(index.getRank()) != index.getShape())
    return emitOpError() << "expected an update per index of " << index << ", but got " << updates;
  shape.erase(shape.begin(), shape.begin() + index.getRank());
  shape.insert(shape.begin(), std::min(count, getOf()));
  if (getSums().getType().getShape() != ArrayRef<int64_t>(shape))
    return emitOpError() << "expected sums of shape [" << shape << "], but got "
                         << getSums().getType();
  if (getRows().getType() != index.clone({shape[0]}))
    return emitOpError() << "expected rows of type " << index.clone({shape[0]}) << ", but got "
                         << getRows().getType();
  return success();
}
LogicalResult PutRowsOp::verify() {
  SmallVector<Type> types;
  if (failed(inferGather(getLoc(), getTable().getType(), getIndex().getType(), types)))
    return failure();
  if (types[0] != getRows().getType())
    return emitOpError() << "expected rows of type " << types[0] << ", but got "
                         << getRows().getType();
  return success();
}
LogicalResult EmbeddingOp::verify() {
  if (getTable().getType().getRank() != 2)
    return emitOpError() << "expected a table of vectors, but got " << getTable().getType();
  return success();
}
LogicalResult OneHotOp::verify() {
  ArrayRef<int64_t> shape = getType().getShape();
  if (shape.empty() || shape.drop_back() != getLabel().getType().getShape())
    return emitOpError() << "expected the shape of " << getLabel().getType()
                         << " and a dimension of classes, but got " << getType();
  return success();
}

/// `valid` needs a leading dimension, `batch_rows` a divisor of it.
template <typename Op> static LogicalResult verifyBatchRows(Op op, RankedTensorType type) {
  if (!op.getValid() && !op.getBatchRows())
    return success();
  int64_t leading = type.getRank() ? type.getDimSize(0) : 0,
          rows = op.getBatchRows().value_or(leading);
  if (leading == 0 || rows < 1 || leading % rows != 0)
    return op.emitOpError() << "expected a leading dimension with equal parts for " << rows
                            << " rows, but got " << type;
  return success();
}
LogicalResult SoftmaxCrossEntropyOp::verify() {
  double smoothing = number(getSmoothing());
  if (!(smoothing >= 0 && smoothing < 1))
    return emitOpError() << "expected a smoothing in [0, 1), but got " << smoothing;
  if (getIgnore() && !isSparse())
    return emitOpError() << "expected classes with `ignore`, but got " << getTarget().getType();
  auto rows = getLogits().getType();
  return verifyBatchRows(*this, rows.clone(rows.getShape().drop_back()));
}
LogicalResult BceWithLogitsOp::verify() { return verifyBatchRows(*this, getX().getType()); }
LogicalResult MseOp::verify() { return verifyBatchRows(*this, getX().getType()); }
LogicalResult L1Op::verify() { return verifyBatchRows(*this, getX().getType()); }
LogicalResult SmoothL1Op::verify() {
  if (!(number(getBeta()) > 0))
    return emitOpError() << "expected a positive beta, but got " << number(getBeta());
  return verifyBatchRows(*this, getX().getType());
}

/// Vectors along the last dimension of x.
static LogicalResult verifyChannels(Operation *op, RankedTensorType x, ValueRange vectors) {
  if (failed(verifyRows(op, x)))
    return failure();
  auto expected = x.clone({x.getShape().back()});
  for (Value vector : vectors)
    if (vector.getType() != expected)
      return op->emitOpError() << "expected a value per channel of type " << expected
                               << ", but got " << vector.getType();
  return success();
}
static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  if (!(number(eps) > 0))
    return op->emitOpError() << "expected a positive eps, but got " << number(eps);
  return success();
}
LogicalResult LayerNormOp::verify() {
  return failed(verifyEps(*this, getEps()))
             ? failure()
             : verifyChannels(*this, getX().getType(), {getGamma(), getBeta()});
}
LogicalResult RmsNormOp::verify() {
  return failed(verifyEps(*this, getEps())) ? failure()
                                            : verifyChannels(*this, getX().getType(), getGamma());
}
template <typename Op> static LogicalResult verifyRowNormGrad(Op op) {
  if (failed(verifyEps(op, op.getEps())))
    return failure();
  if (op.getG().getType() != op.getX().getType())
    return op.emitOpError() << "expected a cotangent of type " << op.getX().getType()
                            << ", but got " << op.getG().getType();
  return verifyChannels(op, op.getX().getType(), op.getGamma());
}
LogicalResult LayerNormGradOp::verify() { return verifyRowNormGrad(*this); }
LogicalResult RmsNormGradOp::verify() { return verifyRowNormGrad(*this); }
LogicalResult BatchNormalizeOp::verify() {
  if (getCount().getType() != getType().clone(ArrayRef<int64_t>()))
    return emitOpError() << "expected a count of rank 0, but got " << getCount().getType();
  if (failed(verifyChannels(*this, getType(), {getMean(), getScale(), getGamma(), getBeta()})))
    return failure();
  return verifyBatchRows(*this, getType());
}
LogicalResult BatchNormOp::verify() {
  double momentum = number(getMomentum());
  if (getX().getType().getRank() < 2)
    return emitOpError() << "expected a batch of channels, but got " << getX().getType();
  if (!(momentum >= 0 && momentum <= 1))
    return emitOpError() << "expected a momentum in [0, 1], but got " << momentum;
  if (failed(verifyEps(*this, getEps())) ||
      failed(verifyChannels(*this, getX().getType(), {getGamma(), getBeta()})))
    return failure();
  return verifyBatchRows(*this, getX().getType());
}
LogicalResult BatchNormOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr name : {getRunningMeanAttr(), getRunningVarianceAttr()}) {
    auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(*this, name);
    if (!buffer)
      return emitOpError() << "expected a buffer, but " << name << " is none";
    if (buffer.getType() != getGamma().getType())
      return emitOpError() << "expected " << name << " of type " << getGamma().getType()
                           << ", but got " << buffer.getType();
  }
  return success();
}

/// The cotangent must have the type that pooling an image of the result's type gives.
template <typename Op> static LogicalResult verifyPoolGrad(Op op, Value where) {
  SmallVector<Type> types;
  if (failed(inferPool(op.getLoc(), op.getType(), op.getWindow(), op.getStrides(), op.getPadding(),
                       bool(where), types)))
    return failure();
  if (types[0] != op.getG().getType())
    return op.emitOpError() << "expected a cotangent of type " << types[0] << ", but got "
                            << op.getG().getType();
  if (where && types[1] != where.getType())
    return op.emitOpError() << "expected places of type " << types[1] << ", but got "
                            << where.getType();
  return success();
}
LogicalResult MaxPoolGradOp::verify() { return verifyPoolGrad(*this, getWhere()); }
LogicalResult AvgPoolGradOp::verify() { return verifyPoolGrad(*this, Value()); }

static LogicalResult verifyState(Operation *op, OperandRange state) {
  if (state.empty() || (state.size() == 2 && state[0] == state[1]))
    return success();
  return op->emitOpError()
         << "expected the random state twice (a body reads both of its elements), but got "
         << state.size() << " operands";
}
static LogicalResult verifyProbability(Operation *op, StringRef what, const APFloat &p,
                                       bool below) {
  double value = number(p);
  if (!(value >= 0 && (below ? value < 1 : value <= 1)))
    return op->emitOpError() << "expected a " << what << " in [0, 1" << (below ? ")" : "]")
                             << ", but got " << value;
  return success();
}
LogicalResult RandomUniformOp::verify() {
  if (!(number(getLow()) <= number(getHigh())))
    return emitOpError() << "expected low <= high, but got " << number(getLow()) << " and "
                         << number(getHigh());
  return verifyState(*this, getState());
}
LogicalResult RandomNormalOp::verify() {
  if (!(number(getStd()) >= 0))
    return emitOpError() << "expected a standard deviation of at least 0, but got "
                         << number(getStd());
  return verifyState(*this, getState());
}
LogicalResult RandomBernoulliOp::verify() {
  return failed(verifyProbability(*this, "probability", getProbability(), false))
             ? failure()
             : verifyState(*this, getState());
}
LogicalResult DropoutOp::verify() {
  return failed(verifyProbability(*this, "rate", getRate(), true)) ? failure()
                                                                   : verifyState(*this, getState());
}

//===--- Folders and canonical forms
//-----------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getX();
  auto inner = getX().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> both =
      llvm::map_to_vector(getPermutation(), [&](int64_t i) { return inner.getPermutation()[i]; });
  if (llvm::equal(both, llvm::seq<int64_t>(0, both.size())))
    return inner.getX();
  getXMutable().assign(inner.getX());
  setPermutation(both);
  return getResult();
}
OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}
/// What is no number of the type would be another one.
LogicalResult PadOp::verify() {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(getX()));
  APFloat value = getValue();
  if (!type)
    return success();
  bool isBool = type.getWidth() == 1, isExact = false;
  APSInt whole(type.getWidth(), /*isUnsigned=*/isBool);
  if (value.convertToInteger(whole, APFloat::rmTowardZero, &isExact) == APFloat::opOK && isExact)
    return success();
  return emitOpError() << "expected a value that " << type << " holds, but got "
                       << value.convertToDouble();
}
OpFoldResult PadOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? getX() : OpFoldResult();
}
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getParts().size() == 1 ? getParts()[0] : OpFoldResult();
}
OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return number(getRate()) == 0 ? getX() : OpFoldResult();
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
    GradBuilder b(rewriter, op.getLoc());
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

/// Parts padded to the shape of a whole and added up are a concatenation: the adjoint of a split.
struct SumOfParts : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Inserts the padded parts below `sum`; false if there is anything else.
  static bool collect(Value sum, SmallVectorImpl<PadOp> &parts) {
    if (auto pad = sum.getDefiningOp<PadOp>()) {
      parts.push_back(pad);
      return number(pad.getValue()) == 0 &&
             llvm::all_of(pad.getInterior(), [](int64_t gap) { return gap == 0; });
    }
    auto add = sum.getDefiningOp<AddOp>();
    return add && add.getLhs().getType() == add.getRhs().getType() &&
           (parts.empty() || add->hasOneUse()) && collect(add.getLhs(), parts) &&
           collect(add.getRhs(), parts);
  }
  /// The only dimension that is padded.
  static std::optional<int64_t> paddedDim(PadOp pad) {
    std::optional<int64_t> dim;
    for (int64_t i = 0; i < pad.getType().getRank(); ++i)
      if (pad.getLow()[i] || pad.getHigh()[i]) {
        if (dim || pad.getLow()[i] < 0 || pad.getHigh()[i] < 0)
          return std::nullopt;
        dim = i;
      }
    return dim;
  }
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    SmallVector<PadOp> parts;
    if (!collect(op, parts))
      return failure();
    std::optional<int64_t> dim = paddedDim(parts.front());
    if (!dim || llvm::any_of(parts, [&](PadOp part) { return paddedDim(part) != dim; }))
      return failure();
    llvm::sort(parts, [&](PadOp a, PadOp b) { return a.getLow()[*dim] < b.getLow()[*dim]; });
    int64_t at = 0;
    SmallVector<Value> values;
    for (PadOp part : parts) {
      if (part.getLow()[*dim] != at)
        return failure();
      at += part.getX().getType().getDimSize(*dim);
      values.push_back(part.getX());
    }
    if (at != cast<RankedTensorType>(op.getType()).getDimSize(*dim))
      return failure();
    rewriter.replaceOpWithNewOp<ConcatOp>(op, values, *dim);
    return success();
  }
};

/// A batch on the left alone is more rows: one product instead of many, and one for the weight's
/// gradient.
struct FlattenedBatch : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto a = op.getLhs().getType(), r = op.getType();
    if (a.getRank() < 3 || op.getRhs().getType().getRank() != 2 || op.getTransposeLhs())
      return failure();
    GradBuilder b(rewriter, op.getLoc());
    int64_t depth = a.getShape().back();
    Value flat = b.reshape(op.getLhs(), a.clone({a.getNumElements() / depth, depth}));
    Value product = b.matmul(flat, op.getRhs(), false, op.getTransposeRhs(), r.getElementType());
    product.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, b.reshape(product, r));
    return success();
  }
};
} // namespace
void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SumOfParts>(context);
}
void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PowerOfConstant>(context);
}
void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FlattenedBatch>(context);
}
