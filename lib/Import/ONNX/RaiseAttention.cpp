// Restoration of attention: softmax(q k^T + mask) v as a single op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
/// Scores between the softmax and the product of queries and keys.
struct Scores {
  train::MatmulOp product;
  double scale = 1;
  Value bias;      ///< added after scaling
  Value sees;      ///< boolean, true for visible keys; the score of other keys is `fill`
  Value hides;     ///< boolean, true for hidden keys
  double fill = 0; ///< at most `hidden`
  bool causal = false;
};

/// Bound of scores of hidden keys: below, an added bias is lost in f32.
constexpr double hidden = -1e30;
constexpr double never = -std::numeric_limits<double>::infinity();
} // namespace

/// Moves a constant factor from the value to `scale`.
static bool takeFactor(Value &value, double &scale) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<train::MulOp, train::DivOp>(op))
    return false;
  for (unsigned i : {1, 0}) {
    auto number = numberOf(op->getOperand(i));
    Value other = op->getOperand(1 - i);
    if (!number || other.getType() != value.getType() || (i == 0 && isa<train::DivOp>(op)))
      continue;
    scale *= isa<train::DivOp>(op) ? 1 / *number : *number;
    value = other;
    return true;
  }
  return false;
}

/// Product of queries and keys below constant factors without other consumers.
static train::MatmulOp productBelow(Value value, double &scale) {
  while (value.hasOneUse()) {
    if (auto product = value.getDefiningOp<train::MatmulOp>())
      return product;
    if (!takeFactor(value, scale))
      break;
  }
  return nullptr;
}

static bool readScores(Value value, Scores &scores) {
  mlir::Type type = value.getType();
  if (auto choice = value.getDefiningOp<train::SelectOp>()) {
    auto isHidden = [&](unsigned i) {
      auto least = numberOf(choice->getOperand(i));
      return least && *least <= hidden;
    };
    if (!value.hasOneUse() || isHidden(1) == isHidden(2))
      return false;
    (isHidden(2) ? scores.sees : scores.hides) = choice->getOperand(0);
    scores.fill = *numberOf(choice->getOperand(isHidden(2) ? 2 : 1));
    value = choice->getOperand(isHidden(2) ? 1 : 2);
  }
  if (auto sum = value.getDefiningOp<train::AddOp>(); sum && value.hasOneUse())
    for (unsigned i : {0, 1}) {
      double scale = 1;
      if (sum->getOperand(i).getType() != type)
        continue;
      if (auto product = productBelow(sum->getOperand(i), scale)) {
        scores.product = product;
        scores.scale = scale;
        scores.bias = sum->getOperand(1 - i);
        return true;
      }
    }
  scores.product = productBelow(value, scores.scale);
  return bool(scores.product);
}

/// Whether a constant mask is exactly causal: hides every key behind the query's position, counted
/// from the end of both. Booleans are true for visible keys, or with `hides` for hidden keys.
/// Example, 2 queries and 3 keys: rows (1, 1, 0) and (1, 1, 1).
static bool isCausal(Value mask, int64_t queries, int64_t keys, bool hides = false) {
  auto constant = mask ? mask.getDefiningOp<train::ConstantOp>() : nullptr;
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.isSplat() || queries > keys)
    return false;
  ArrayRef<int64_t> shape = tensorOf(mask).getShape();
  if (shape.size() < 2 || shape.back() != keys || shape[shape.size() - 2] != queries)
    return false;
  // Equal for all heads and rows of a mask that repeats the pattern.
  auto isSeen = [&](int64_t i) { return i % keys - (keys - queries) <= i / keys % queries; };
  int64_t i = 0;
  if (elements.getElementType().isInteger(1))
    return llvm::all_of(elements.getValues<bool>(),
                        [&](bool is) { return (is != hides) == isSeen(i++); });
  if (!isa<FloatType>(elements.getElementType()))
    return false;
  return llvm::all_of(elements.getValues<APFloat>(), [&](const APFloat &each) {
    double number = each.convertToDouble();
    return isSeen(i++) ? number == 0 : number <= hidden;
  });
}

static Value reshapeBefore(Operation *root, Value x, ArrayRef<int64_t> shape) {
  Operation *made =
      makeBefore(root, train::ReshapeOp::getOperationName(), x, {}, tensorOf(x).clone(shape));
  return made ? made->getResult(0) : Value();
}

/// Keys [..., keys, width] from the transposed operand [..., width, keys], if possible by removing
/// a transpose.
static Value keysOf(Operation *root, Value transposed) {
  // Heads and batch may have been a single dimension in the transpose.
  if (auto reshape = transposed.getDefiningOp<train::ReshapeOp>()) {
    SmallVector<int64_t> shape(tensorOf(transposed).getShape());
    if (tensorOf(reshape.getX()).getRank() >= 2 &&
        tensorOf(reshape.getX()).getShape().take_back(2) == ArrayRef(shape).take_back(2)) {
      Value keys = keysOf(root, reshape.getX());
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
      return keys ? reshapeBefore(root, keys, shape) : Value();
    }
  }
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(tensorOf(transposed).getRank()));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  if (auto before = transposed.getDefiningOp<train::TransposeOp>()) {
    for (int64_t &from : order)
      from = before.getPermutation()[from];
    transposed = before.getX();
  }
  if (llvm::is_sorted(order))
    return transposed;
  SmallVector<int64_t> shape;
  for (int64_t from : order)
    shape.push_back(tensorOf(transposed).getDimSize(from));
  Builder b(root->getContext());
  Operation *made = makeBefore(root, train::TransposeOp::getOperationName(), transposed,
                               b.getNamedAttr("permutation", b.getDenseI64ArrayAttr(order)),
                               tensorOf(transposed).clone(shape));
  return made ? made->getResult(0) : Value();
}

static Value constantBefore(Operation *root, double number, mlir::Type element) {
  Builder b(root->getContext());
  auto type = RankedTensorType::get({}, element);
  auto value = DenseElementsAttr::get(type, b.getFloatAttr(element, number));
  return makeBefore(root, train::ConstantOp::getOperationName(), {}, b.getNamedAttr("value", value),
                    type)
      ->getResult(0);
}

/// Bias of the scores: the graph's own bias, or 0, for visible keys, and the graph's fill for
/// hidden keys. A query without visible keys then has the graph's result: the mean of all values
/// for a fill of -3.4e38, NaN for -inf.
static Value biasOf(Operation *root, const Scores &scores, mlir::Type element) {
  Value seen = scores.bias ? scores.bias : constantBefore(root, 0, element);
  Value fill = constantBefore(root, scores.fill, element);
  Value mask = scores.sees ? scores.sees : scores.hides;
  auto shape = broadcastShape(tensorOf(mask).getShape(), tensorOf(seen).getShape());
  if (!shape)
    return {};
  Operation *made = makeBefore(root, train::SelectOp::getOperationName(),
                               {mask, scores.sees ? seen : fill, scores.sees ? fill : seen}, {},
                               RankedTensorType::get(*shape, element));
  return made ? made->getResult(0) : Value();
}

// ---- Queries without visible keys ----

/// Whether a constant bias hides every key of a query: a whole row of -inf along the last
/// dimension.
static bool hidesRow(DenseElementsAttr elements, int64_t width) {
  if (!isa<FloatType>(elements.getElementType()))
    return false;
  int64_t at = 0, hiddenKeys = 0;
  for (const APFloat &each : elements.getValues<APFloat>()) {
    hiddenKeys = (at % width ? hiddenKeys : 0) + (each.isInfinity() && each.isNegative());
    if (++at % width == 0 && hiddenKeys == width)
      return true;
  }
  return false;
}

/// Whether the op yields finite numbers for finite operands: some arithmetic, and data movement.
static bool staysFinite(Operation *op) {
  return isa<train::AddOp, train::SubOp, train::MulOp, train::NegOp, train::SelectOp>(op) ||
         op->hasTrait<GivesElements>();
}

/// Whether a query may have no visible key, by a bias row of -inf. State is finite, and masks in
/// the file are constants.
static bool mayHideAll(Value bias) {
  if (auto constant = bias.getDefiningOp<train::ConstantOp>())
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      return hidesRow(elements,
                      tensorOf(bias).getShape().empty() ? 1 : tensorOf(bias).getShape().back());
  llvm::SetVector<Value> sources;
  sources.insert(bias);
  for (size_t i = 0; i < sources.size(); ++i) {
    Operation *op = sources[i].getDefiningOp();
    auto from = dyn_cast_or_null<train::CastOp>(op);
    auto constant = dyn_cast_or_null<train::ConstantOp>(op);
    auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
    bool isFinite = isa_and_nonnull<train::ReadOp>(op) ||
                    isa<IntegerType>(getElementTypeOrSelf(sources[i].getType())) ||
                    (from && isa<IntegerType>(getElementTypeOrSelf(from.getX().getType())));
    if (elements)
      isFinite = llvm::all_of(elements.getValues<APFloat>(),
                              [](const APFloat &each) { return each.isFinite(); });
    if (isFinite)
      continue;
    if (!op || elements || !staysFinite(op))
      return true;
    sources.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Replaces results by NaN for queries whose bias row is -inf, as softmax yields; `train.attention`
/// yields 0. bias: [..., queries or 1, keys or 1].
static Operation *withNaN(Operation *root, Operation *attention, Value bias) {
  Builder b(root->getContext());
  SmallVector<int64_t> shape(tensorOf(bias).getShape());
  int64_t last = shape.size() - 1;
  mlir::Type element = tensorOf(bias).getElementType();
  auto type = tensorOf(bias).clone(ArrayRef(shape).drop_back());
  Operation *greatest = makeBefore(root, train::ReduceMaxOp::getOperationName(), bias,
                                   b.getNamedAttr("dims", b.getDenseI64ArrayAttr(last)), type);
  shape[last] = 1;
  Value rows = greatest ? reshapeBefore(root, greatest->getResult(0), shape) : Value();
  if (!rows)
    return nullptr;
  auto predicate = train::ComparePredicateAttr::get(b.getContext(), train::ComparePredicate::eq);
  Operation *seesNone = makeBefore(
      root, train::CompareOp::getOperationName(), {rows, constantBefore(root, never, element)},
      b.getNamedAttr("predicate", predicate), tensorOf(rows).clone(b.getI1Type()));
  Value nan = constantBefore(root, std::numeric_limits<double>::quiet_NaN(), element);
  Value y = attention->getResult(0);
  return seesNone ? makeBefore(root, train::SelectOp::getOperationName(),
                               {seesNone->getResult(0), nan, y}, {}, y.getType())
                  : nullptr;
}

/// Softmax that computes `weights`, without other consumers. PyTorch's guard replaces NaN by 0 for
/// queries without visible keys, as `train.attention` does.
static train::SoftmaxOp softmaxOf(Value weights, bool &isGuarded) {
  if (auto softmax = weights.getDefiningOp<train::SoftmaxOp>())
    return weights.hasOneUse() ? softmax : nullptr;
  auto choice = weights.getDefiningOp<train::SelectOp>();
  if (!choice || !weights.hasOneUse())
    return nullptr;
  auto isNaN = choice->getOperand(0).getDefiningOp<train::CompareOp>();
  auto softmax = choice->getOperand(2).getDefiningOp<train::SoftmaxOp>();
  auto instead = numberOf(choice->getOperand(1));
  Value value = choice->getOperand(2);
  bool isGuard = isNaN && softmax && instead && *instead == 0 &&
                 isNaN.getPredicate() == train::ComparePredicate::ne &&
                 llvm::all_of(isNaN->getOperands(), [&](Value x) { return x == value; }) &&
                 llvm::all_of(value.getUsers(),
                              [&](Operation *user) { return user == isNaN || user == choice; });
  isGuarded = isGuard && isNaN->hasOneUse();
  return isGuarded ? softmax : nullptr;
}

/// Turns the mask into a flag or a bias under which every query has the result of the graph.
static bool readMask(Operation *root, Scores &scores, RankedTensorType query, int64_t keys) {
  int64_t queries = query.getDimSize(query.getRank() - 2);
  bool isHiding = scores.sees || scores.hides;
  // Beside a bias, which may hide the keys that causality leaves visible, the graph's own fill
  // matters.
  if (!scores.bias &&
      (isCausal(scores.sees, queries, keys) || isCausal(scores.hides, queries, keys, true))) {
    scores.causal = true;
    return true;
  }
  if (!isHiding && isCausal(scores.bias, queries, keys)) {
    scores.causal = true;
    scores.bias = {};
  }
  if (isHiding)
    scores.bias = biasOf(root, scores, query.getElementType());
  return !isHiding || scores.bias;
}

Operation *ampc::onnx::raiseAttention(Operation *root) {
  auto product = dyn_cast<train::MatmulOp>(root);
  if (!product || product.getTransposeLhs() || product.getTransposeRhs())
    return nullptr;
  bool isGuarded = false;
  train::SoftmaxOp weights = softmaxOf(product.getLhs(), isGuarded);
  Scores scores;
  if (!weights || !weights.isAlongLast() || !readScores(weights.getX(), scores) ||
      scores.product.getTransposeLhs())
    return nullptr;
  Value query = scores.product.getLhs(), key = scores.product.getRhs(), value = product.getRhs();
  takeFactor(query, scores.scale);
  takeFactor(key, scores.scale);
  int64_t rank = tensorOf(query).getRank();
  if (rank < 3 || tensorOf(key).getRank() != rank || tensorOf(value).getRank() != rank)
    return nullptr;
  if (!scores.product.getTransposeRhs() && !(key = keysOf(root, key)))
    return nullptr;
  if (key.getType() != value.getType())
    return nullptr;
  if (!readMask(root, scores, tensorOf(query), tensorOf(key).getDimSize(rank - 2)))
    return nullptr;
  SmallVector<Value> operands = {query, key, value};
  if (scores.bias)
    operands.push_back(scores.bias);
  Builder b(root->getContext());
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("scale", b.getF64FloatAttr(scores.scale))};
  if (scores.causal)
    attributes.push_back(b.getNamedAttr("causal", b.getUnitAttr()));
  Operation *made = makeBefore(root, train::AttentionOp::getOperationName(), operands, attributes,
                               root->getResult(0).getType());
  bool isExact = !made || isGuarded || !scores.bias || !mayHideAll(scores.bias);
  return isExact ? made : withNaN(root, made, scores.bias);
}
