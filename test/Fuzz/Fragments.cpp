// Parts of models that single random uses of ops almost never make.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/AsmParser/AsmParser.h"
#include "test/Fuzz/Generator.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// [batch, n]
RankedTensorType Generator::makeRowsType() {
  int64_t n = fragments.pick(ArrayRef(sampler.extents).drop_front());
  return RankedTensorType::get({sampler.extents[0], n}, builder.getF32Type());
}

/// A constant of some of the numbers.
Value Generator::makeConstant(ArrayRef<double> numbers, RankedTensorType type) {
  SmallVector<Attribute> elements;
  Type element = type.getElementType();
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    double number = fragments.pick(numbers);
    elements.push_back(isa<FloatType>(element)
                           ? Attribute(FloatAttr::get(element, number))
                           : Attribute(IntegerAttr::get(element, int64_t(number))));
  }
  return create("train.constant", {}, named("value", DenseElementsAttr::get(type, elements)), type);
}

Value Generator::multiplyByLeaf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return create("train.mul", {value, makeLeaf(type)}, {}, type);
}

static NamedAttribute predicate(MLIRContext *context, train::ComparePredicate which) {
  return {StringAttr::get(context, "predicate"), train::ComparePredicateAttr::get(context, which)};
}

/// Truth values of inputs and comparisons, joined by logical ops, by order and modulo 2.
Value Generator::makeTruths() {
  using train::ComparePredicate;
  static const char *joins[] = {"train.logical_and", "train.logical_or", "train.logical_xor",
                                "train.maximum",     "train.minimum",    "train.compare",
                                "train.compare",     "train.add",        "train.mul"};
  static const ComparePredicate orders[] = {ComparePredicate::lt, ComparePredicate::le,
                                            ComparePredicate::gt, ComparePredicate::ge};
  RankedTensorType reals = makeRowsType(), truths = reals.clone(builder.getI1Type());
  auto compare = [&](ValueRange sides) {
    return create("train.compare", sides, predicate(context, fragments.pick(orders)), truths);
  };
  auto makeTruth = [&] {
    return fragments.chance(0.6) ? makeInput(truths) : compare({makeLeaf(reals), makeLeaf(reals)});
  };
  Value truth = makeTruth();
  for (int64_t count = fragments.between(1, 3); count > 0; --count) {
    StringRef name = fragments.pick(joins);
    Value other = makeTruth();
    truth = name == "train.compare" ? compare({truth, other})
                                    : create(name, {truth, other}, {}, truths);
    if (fragments.chance(0.3))
      truth = create("train.logical_not", truth, {}, truths);
  }
  return multiplyByLeaf(create("train.cast", truth, {}, reals));
}

/// Casts of numbers that the type does not hold.
Value Generator::makeWholeNumbers() {
  static const double wild[] = {infinity, -infinity, std::nan(""), 3e9,    -3e9, 0x1p31, -0x1p31,
                                127.6,    128,       -128.9,       -129.5, 300,  1e20,   -0.4};
  RankedTensorType reals = makeRowsType();
  unsigned widths[] = {1, 8, 32, 32, 64};
  auto whole = builder.getIntegerType(fragments.pick(widths));
  Value isWild = makeInput(reals.clone(builder.getI1Type()));
  RankedTensorType row = reals.clone(reals.getShape().take_back(1));
  Value mixed =
      create("train.select", {isWild, makeConstant(wild, row), makeLeaf(reals)}, {}, reals);
  Value result =
      create("train.cast", create("train.cast", mixed, {}, reals.clone(whole)), {}, reals);
  // Results of about 1.
  double unit = std::ldexp(1.0, 1 - int(whole.getWidth()));
  Value units = makeConstant({unit}, RankedTensorType::get({}, builder.getF32Type()));
  return multiplyByLeaf(create("train.mul", {result, units}, {}, reals));
}

/// Whole numbers of which some name no element of a dimension.
Value Generator::makeRows(RankedTensorType type) {
  SmallVector<double> offsets = {-1000, -3, -2, -1, -1, 0, 0, 0, 0, 0, 1, 1000};
  llvm::append_range(offsets, sampler.extents);
  auto row = type.clone(type.getShape().take_back(1));
  return create("train.add", {makeInput(type), makeConstant(offsets, row)}, {}, type);
}

/// Op of any of the names, or null.
Operation *Generator::sampleOneOf(ArrayRef<StringRef> names) {
  std::string name = "train." + fragments.pick(names).str();
  for (const OpDefinition &definition : definitions.ops)
    if (definition.name == name)
      return sampler.sample(definition, builder);
  return nullptr;
}

/// An op that reads or writes elements by number.
Value Generator::makeLookups() {
  drawsLookups = true;
  Operation *op =
      sampleOneOf({"gather", "embedding", "embedding_bag", "take_along_axis", "add_along_axis",
                   "scatter", "scatter_add", "segment_sum", "scatter_rows", "one_hot"});
  drawsLookups = false;
  return op ? op->getResult(0) : makeTruths();
}

/// Attention in which some queries see some keys and other queries none, with masks of all sizes.
Value Generator::makeMaskedAttention() {
  static const double fills[] = {-1e4, -1e9, -1e30, -3.4028234663852886e38, -infinity};
  int64_t rows = sampler.extents[0], queries = fragments.between(1, 9),
          keys = fragments.between(1, 17), width = fragments.between(1, 9);
  Type real = builder.getF32Type();
  auto query = RankedTensorType::get({rows, queries, width}, real), key = query, scores = query;
  key = RankedTensorType::get({rows, keys, width}, real);
  scores = RankedTensorType::get({rows, queries, keys}, real);
  double fill = fragments.pick(fills);
  SmallVector<Attribute> mask;
  for (int64_t i = 0; i < queries; ++i) {
    double share = fragments.chance(0.4) ? 1.0 : fragments.chance(0.5) ? 0.5 : 0.0;
    for (int64_t j = 0; j < keys; ++j)
      mask.push_back(builder.getF32FloatAttr(fragments.chance(share) ? fill : 0.0));
  }
  auto constant = RankedTensorType::get({queries, keys}, real);
  Value bias = create("train.constant", {}, named("value", DenseElementsAttr::get(constant, mask)),
                      constant);
  if (fragments.chance(0.4)) // of the caller
    bias =
        create("train.select",
               {makeInput(scores.clone(builder.getI1Type())), bias, makeLeaf(scores)}, {}, scores);
  SmallVector<NamedAttribute> attributes;
  if (fragments.chance(0.2) && keys >= queries)
    attributes.push_back(named("causal", builder.getUnitAttr()));
  return create("train.attention", {makeLeaf(query), makeLeaf(key), makeLeaf(key), bias},
                attributes, query);
}

/// Sines of positions times frequencies, and exponentials.
Value Generator::makeAngles() {
  static const char *sines[] = {"train.sin", "train.cos"};
  RankedTensorType type = makeRowsType(), row = type.clone(type.getShape().take_back(1));
  if (fragments.chance(0.25)) {
    Value exponent =
        create("train.mul", {makeInput(type), makeConstant({1, 1.5, 2, -2}, row)}, {}, type);
    return multiplyByLeaf(create("train.exp", exponent, {}, type));
  }
  // Times a row of frequencies, or as a product of matrices, which takes 16 bits.
  bool isProduct = fragments.chance(0.5);
  RankedTensorType column = isProduct ? type.clone({type.getDimSize(0), 1}) : type;
  RankedTensorType matrix = isProduct ? type.clone({1, type.getDimSize(1)}) : row;
  Value position = create("train.cast", makeInput(column.clone(builder.getI32Type())), {}, column);
  Value angle = create(isProduct ? "train.linear" : "train.mul",
                       {position, makeConstant({1, 0.1, 37, 101, 333, 1000}, matrix)}, {}, type);
  if (fragments.chance(0.4))
    angle = create("train.add", {angle, makeConstant({0.25, 200, -300}, row)}, {}, type);
  return multiplyByLeaf(create(fragments.pick(sines), angle, {}, type));
}

/// A parameter that the model declares in 16 bits.
Value Generator::makeNarrowWeights() {
  Type narrow = fragments.chance(0.5) ? Type(builder.getF16Type()) : builder.getBF16Type();
  RankedTensorType type = makeRowsType(), row = type.clone(type.getShape().take_back(1));
  Value weights = readState("train.param", row.clone(narrow));
  if (fragments.chance(0.3)) {
    Value x = create("train.cast", makeLeaf(type), {}, type.clone(narrow));
    return create("train.cast", create("train.mul", {x, weights}, {}, type.clone(narrow)), {},
                  type);
  }
  return create("train.mul", {makeLeaf(type), create("train.cast", weights, {}, row)}, {}, type);
}

/// Initializer without fans, which the consuming op determines.
Attribute Generator::makeOpenInit() {
  static const char *names[] = {"#train.kaiming_uniform", "#train.kaiming_normal",
                                "#train.xavier_uniform", "#train.xavier_normal"};
  return parseAttribute(fragments.pick(names), context);
}
Value Generator::makeWeights() {
  leavesFans = true;
  Operation *op = sampleOneOf({"matmul", "linear", "linear", "einsum", "conv1d", "conv2d", "conv3d",
                               "conv_transpose", "embedding", "gather"});
  leavesFans = false;
  return op ? op->getResult(0) : makeTruths();
}

void Generator::addFragment() {
  using Make = Value (Generator::*)();
  static const Make makes[] = {&Generator::makeTruths,          &Generator::makeWholeNumbers,
                               &Generator::makeLookups,         &Generator::makeLookups,
                               &Generator::makeMaskedAttention, &Generator::makeAngles,
                               &Generator::makeNarrowWeights,   &Generator::makeWeights};
  pool.push_back((this->*fragments.pick(makes))());
}

// ---- Terms of a loss that have divisors of their own ----

/// Mean over rows with mask 0 or 1; the divisor counts at least one row.
Value Generator::averageCounted(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType()), number = type.clone(ArrayRef<int64_t>());
  auto all = named("dims", builder.getDenseI64ArrayAttr({0}));
  Value mask = create("train.cast", makeInput(type.clone(builder.getI1Type())), {}, type);
  Value sum = create("train.reduce_sum", create("train.mul", {rows, mask}, {}, type), all, number);
  Value count = create("train.reduce_sum", mask, all, number);
  return create("train.div",
                {sum, create("train.maximum", {count, makeConstant({1}, number)}, {}, number)}, {},
                number);
}

/// A loss of classes, of some rows or by weights, a sum over rows, or a penalty.
Value Generator::makeTerm() {
  int64_t rows = sampler.extents[0], classes = fragments.between(2, 7),
          width = fragments.between(1, 5);
  Type real = builder.getF32Type();
  auto tensor = [&](ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  };
  auto number = tensor({}, real), logits = tensor({rows, classes}, real);
  Value weights = readState("train.param", tensor({width, classes}, real));
  Value z = create("train.linear", {makeInput(tensor({rows, width}, real)), weights}, {}, logits);
  Value label = makeInput(tensor({rows}, builder.getI32Type()));
  NamedAttribute ignore =
      named("ignore", builder.getI64IntegerAttr(fragments.between(0, classes - 1)));
  NamedAttribute all = named("dims", builder.getDenseI64ArrayAttr({0, 1}));
  switch (fragments.between(0, 6)) {
  case 0:
  case 1:
    return create("train.softmax_cross_entropy", {z, label}, ignore, number);
  case 2: {
    Value costs = makeConstant({0.25, 0.5, 1, 2, 3}, tensor({classes}, real));
    SmallVector<NamedAttribute> attributes;
    if (fragments.chance(0.5))
      attributes.push_back(ignore);
    return create("train.weighted_cross_entropy", {z, label, costs}, attributes, number);
  }
  case 3:
    return create("train.nll", {create("train.log_softmax", z, {}, logits), label}, ignore, number);
  case 4: {
    auto each = named("reduction", train::ReductionAttr::get(context, train::Reduction::none));
    return averageCounted(
        create("train.softmax_cross_entropy", {z, label}, each, tensor({rows}, real)));
  }
  case 5:
    return create("train.reduce_sum", create("train.tanh", z, {}, logits), all, number);
  default:
    return create("train.reduce_mean", create("train.square", weights, {}, weights.getType()), all,
                  number);
  }
}

Value Generator::addTerms(Value loss) {
  for (int64_t count = fragments.between(1, 2); count > 0; --count) {
    Value term = makeTerm(),
          factor = makeConstant({1, 0.5, 0.1}, cast<RankedTensorType>(term.getType()));
    Value part = create("train.mul", {term, factor}, {}, term.getType());
    loss = create("train.add", {loss, part}, {}, part.getType());
  }
  return loss;
}
