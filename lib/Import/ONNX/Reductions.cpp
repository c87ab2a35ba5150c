// Reductions, softmax, argmax and normalization.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantFolding.h"
#include "mlir-dialects/Train/Ops/CompositeNorm.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

// ---- Reductions ----

/// Reduced axes in ascending order; nothing, with a fault recorded, on error. Absent axes mean all
/// axes, or none with noop_with_empty_axes.
static std::optional<Dims> axesOf(Converter &c) {
  auto given = c.numbersOf("axes", 1);
  if (c.has(1) && !given)
    return std::nullopt;
  int64_t rank = c.rank(0);
  SmallVector<bool> isOut(rank, false);
  if (!given || given->empty())
    isOut.assign(rank, !c.integer("noop_with_empty_axes", 0));
  for (int64_t number : given.value_or(Dims())) {
    int64_t axis = c.axis(number, rank);
    if (axis < 0)
      return std::nullopt;
    isOut[axis] = true;
  }
  Dims axes;
  for (int64_t i = 0; i < rank; ++i)
    if (isOut[i])
      axes.push_back(i);
  return axes;
}

/// Folds a reduction of known values. A reduction over no axes keeps its operand.
static bool reduceKnown(Converter &c, const Scalar &function, std::optional<double> empty) {
  auto axes = c.literal(0) ? axesOf(c) : std::nullopt;
  return axes &&
         give(c, reduceLiteral(*c.literal(0), *axes, c.integer("keepdims", 1), function, empty));
}

/// Converts a reduction; `before` and `after` are applied to elements and sums: ReduceL2 =
/// sqrt(sum(square(x))).
static void reduce(Converter &c, StringRef name, Value (*before)(Converter &, Value) = nullptr,
                   Value (*after)(Converter &, Value) = nullptr) {
  auto axes = axesOf(c);
  if (!axes)
    return;
  bool keeps = c.integer("keepdims", 1), isImage = keeps && c.isChannelsLast(0);
  Value x = isImage ? c.image(0) : c.in(0);
  if (isImage)
    for (int64_t &axis : *axes)
      axis = axis == 0 ? 0 : axis == 1 ? c.rank(0) - 1 : axis - 1;
  llvm::sort(*axes);
  if (before && x)
    x = before(c, x);
  if (!axes->empty())
    x = c.reduce(name, x, *axes, keeps);
  if (after && x)
    x = after(c, x);
  if (isImage)
    c.setImage(0, x);
  else
    c.set(0, x);
}

/// Converts a reduction of booleans as 0 and 1 in f32.
static void reduceTruth(Converter &c, StringRef name) {
  auto axes = axesOf(c);
  Value x = c.in(0);
  if (!axes || !x)
    return;
  x = c.cast(x, c.b.getF32Type());
  if (!axes->empty())
    x = c.reduce(name, x, *axes, c.integer("keepdims", 1));
  c.set(0, c.compare(train::ComparePredicate::ne, x, c.real(0, x)));
}
static void reduceExtremum(Converter &c, StringRef name, const Scalar &function) {
  if (reduceKnown(c, function, std::nullopt) || !c.fault.empty())
    return;
  if (c.type(0) == onnx::Type::Bool)
    reduceTruth(c, name);
  else
    reduce(c, name);
}

/// Folds or converts a reduction; `empty` is the sum or product of no elements.
static void reduceOrEvaluate(Converter &c, StringRef name, const Scalar &function, double empty) {
  if (!reduceKnown(c, function, empty) && c.fault.empty())
    reduce(c, name);
}

static Value absolute(Converter &c, Value x) { return c.make<train::AbsOp>(x); }
static Value square(Converter &c, Value x) { return c.make<train::SquareOp>(x); }
static Value root(Converter &c, Value x) { return c.make<train::SqrtOp>(x); }
static Value logarithm(Converter &c, Value x) { return c.make<train::LogOp>(x); }

/// Argmax of integers by top_k with k = 1, because f32 does not hold all integers.
static Value firstOfIntegers(Converter &c, Value x, int64_t axis, bool isLeast) {
  SmallVector<NamedAttribute> attributes = {c.attr("k", int64_t(1)), c.attr("dim", axis)};
  if (isLeast)
    attributes.push_back(c.flag("smallest"));
  Operation *made = c.op("train.top_k", x, attributes, {}, 2);
  Dims dims(Converter::shapeOf(x));
  dims.erase(dims.begin() + axis);
  return made ? c.reshape(made->getResult(1), dims) : Value();
}

static void convertArgMax(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0)
    return;
  Dims kept(c.dims(0));
  kept[axis] = 1;
  Value x = c.in(0);
  bool isLeast = c.node.op == "ArgMin", isReal = onnx::isReal(c.type(0));
  if (!x)
    return;
  if (c.type(0) == onnx::Type::Bool)
    x = c.cast(x, c.b.getI32Type());
  if (isLeast && isReal)
    x = c.make<train::NegOp>(x);
  // The last maximum is the first maximum of the reversed dimension.
  int64_t size = c.dims(0)[axis];
  bool fromEnd = c.integer("select_last_index", 0) && size > 1;
  if (fromEnd)
    x = c.take(x, axis, Dims(llvm::reverse(llvm::seq<int64_t>(size))));
  Value at = isReal ? c.make<train::ArgmaxOp>(x, c.attr("dim", axis))
                    : firstOfIntegers(c, x, axis, isLeast);
  if (fromEnd && at)
    at = c.sub(c.constant(Literal::scalar(size - 1)), at);
  c.set(0, c.integer("keepdims", 1) ? c.reshape(at, kept) : at);
}

// ---- Softmax ----

/// Converts a softmax. Before opset 13, dimensions from the axis on are a single row.
template <typename Op> static void softmax(Converter &c) {
  int64_t rank = c.rank(0), axis = c.axisOf(0, c.opset < 13 ? 1 : -1);
  if (axis < 0)
    return;
  if (c.opset < 13 && axis < rank - 1) {
    int64_t inner = 1;
    for (int64_t size : c.dims(0).drop_front(axis))
      inner *= size;
    Dims dims(c.dims(0).take_front(axis));
    dims.push_back(inner);
    return c.set(0, c.reshape(c.make<Op>(c.reshape(c.in(0), dims)), c.dims(0)));
  }
  if (axis == 1 && rank > 2)
    return c.setImage(0, c.make<Op>(c.image(0)));
  if (axis == rank - 1)
    return c.set(0, c.make<Op>(c.in(0)));
  c.set(0, c.make<Op>(c.in(0), c.attr("dim", axis)));
}

// ---- Normalization ----

/// Sets outputs 1 and 2: mean and reciprocal deviation of every row.
static void giveStatistics(Converter &c, Value rows, int64_t axis, double epsilon) {
  if (!rows || (!c.wants(1) && !c.wants(2)))
    return;
  int64_t last = Converter::shapeOf(rows).size() - 1;
  Value mean = c.reduce("train.reduce_mean", rows, {last}, true);
  Value centred = c.sub(rows, mean);
  Value variance = c.reduce("train.reduce_mean", square(c, centred), {last}, true);
  Dims dims(c.dims(0));
  std::fill(dims.begin() + axis, dims.end(), 1);
  if (!variance)
    return;
  c.set(1, c.reshape(mean, dims));
  c.set(2, c.reshape(c.make<train::RsqrtOp>(c.add(variance, c.real(epsilon, variance))), dims));
}

/// Converts layer and RMS norms over the dimensions from the axis on.
static void convertRowNorm(Converter &c, bool isCentred) {
  int64_t rank = c.rank(0), axis = c.axisOf(0, -1);
  if (axis < 0)
    return;
  int64_t width = 1;
  for (int64_t size : c.dims(0).drop_front(axis))
    width *= size;
  Dims dims(c.dims(0).take_front(axis));
  dims.push_back(width);
  Value x = c.reshape(c.in(0), dims), gamma = c.in(1);
  if (!x || !gamma)
    return;
  auto flat = [&](Value value) {
    return c.reshape(c.broadcastTo(value, c.dims(0).take_back(rank - axis)), {width});
  };
  double epsilon = c.real("epsilon", 1e-5);
  if (!isCentred)
    return c.set(0, c.reshape(c.make<train::RmsNormOp>({x, flat(gamma)}, c.attr("eps", epsilon)),
                              c.dims(0)));
  Value beta = c.has(2) ? c.in(2) : c.constant(Literal(c.type(1), c.dims(1)));
  Value y = c.make<train::LayerNormOp>({x, flat(gamma), flat(beta)}, c.attr("eps", epsilon));
  c.set(0, c.reshape(y, c.dims(0)));
  giveStatistics(c, x, axis, epsilon);
}

/// Converts a batch norm; channels are the last dimension of images.
static void convertBatchNorm(Converter &c) {
  bool isImage = c.rank(0) > 2;
  double epsilon = c.real("epsilon", 1e-5), momentum = c.real("momentum", 0.9);
  bool isTraining = c.opset >= 14 ? c.integer("training_mode", 0) : c.wants(1);
  bool trains = c.mode == LayerMode::Train || (c.mode == LayerMode::File && isTraining);
  c.isFixedNorm = !trains && c.mode == LayerMode::File;
  Value x = isImage ? c.image(0) : c.in(0), gamma = c.in(1), beta = c.in(2), y;
  if (trains) {
    std::string mean = c.state(3), variance = c.state(4);
    if (!c.fault.empty())
      return;
    auto symbol = [&](StringRef name) { return FlatSymbolRefAttr::get(c.b.getContext(), name); };
    SmallVector<NamedAttribute> attributes = {
        c.b.getNamedAttr("running_mean", symbol(mean)),
        c.b.getNamedAttr("running_variance", symbol(variance)), c.attr("momentum", 1 - momentum),
        c.attr("eps", epsilon)};
    // BatchNormalization-14 defines the divisor n; before opset 14, and for nodes under
    // `--mode=train`, the running variance is PyTorch's, with divisor n - 1.
    if (isTraining && c.opset >= 14)
      attributes.push_back(c.b.getNamedAttr("population", c.b.getUnitAttr()));
    y = c.make<train::BatchNormOp>({x, gamma, beta}, attributes, x ? x.getType() : mlir::Type());
  } else {
    // Fixed statistics of a finished training.
    Value variance = c.in(4);
    if (!variance)
      return;
    Value scale = c.make<train::RsqrtOp>(c.add(variance, c.real(epsilon, variance)));
    y = c.add(c.mul(c.sub(x, c.in(3)), c.mul(scale, gamma)), beta);
  }
  if (isImage)
    c.setImage(0, y);
  else
    c.set(0, y);
}

static void convertInstanceNorm(Converter &c) {
  if (Value x = c.image(0))
    c.setImage(0, c.make<train::InstanceNormOp>({x, c.in(1), c.in(2)},
                                                {c.attr("eps", c.real("epsilon", 1e-5))},
                                                x.getType()));
}

static void convertGroupNorm(Converter &c) {
  int64_t groups = c.integer("num_groups", 0);
  if (c.rank(0) < 2 || groups < 1 || c.dims(0)[1] % groups) {
    c.fail("expected channels that num_groups divides");
    return;
  }
  bool isImage = c.rank(0) > 2;
  Value x = isImage ? c.image(0) : c.in(0);
  if (!x)
    return;
  // Before opset 21 there is a factor per group.
  int64_t channels = c.dims(0)[1];
  auto perChannel = [&](unsigned i) {
    Value factor = c.in(i);
    if (factor && c.rank(i) == 1 && c.dims(i)[0] == groups && groups != channels)
      factor = c.reshape(c.broadcastTo(c.reshape(factor, {groups, 1}), {groups, channels / groups}),
                         {channels});
    return factor;
  };
  Value gamma = perChannel(1), beta = perChannel(2);
  Value y = c.make<train::GroupNormOp>(
      {x, gamma, beta}, {c.attr("groups", groups), c.attr("eps", c.real("epsilon", 1e-5))},
      x.getType());
  if (isImage)
    c.setImage(0, y);
  else
    c.set(0, y);
}

static void convertLpNorm(Converter &c) {
  int64_t axis = c.axisOf(0, -1), power = c.integer("p", 2);
  Value x = axis < 0 ? Value() : c.in(0);
  if (x) // zeros stay zeros
    c.set(0, c.make<train::NormalizeOp>({x},
                                        {c.attr("dim", axis), c.attr("p", double(power)),
                                         c.attr("eps", double(std::numeric_limits<float>::min()))},
                                        x.getType()));
}

static void convertMeanVariance(Converter &c) {
  Dims axes = c.ints("axes").value_or(Dims{0, 2, 3});
  for (int64_t &axis : axes)
    if ((axis = c.axis(axis, c.rank(0))) < 0)
      return;
  Value x = c.in(0), mean = c.reduce("train.reduce_mean", x, axes, true);
  Value centred = c.sub(x, mean);
  if (!centred)
    return;
  // The definition adds the constant to the deviation, not to the variance.
  Value variance = c.reduce("train.reduce_mean", square(c, centred), axes, true);
  Value deviation = variance ? root(c, variance) : Value();
  c.set(0, c.div(centred, c.add(deviation, c.real(1e-9, deviation))));
}

#define REDUCE(NAME, ...) {NAME, [](Converter &c) { reduce(c, __VA_ARGS__); }}

static const Entry entries[] = {
    REDUCE("ReduceL1", "train.reduce_sum", absolute),
    REDUCE("ReduceL2", "train.reduce_sum", square, root),
    REDUCE("ReduceLogSum", "train.reduce_sum", nullptr, logarithm),
    REDUCE("ReduceLogSumExp", "train.logsumexp"),
    {"ReduceMax", [](Converter &c) { reduceExtremum(c, "train.reduce_max", scalar::max); }},
    REDUCE("ReduceMean", "train.reduce_mean"),
    {"ReduceMin", [](Converter &c) { reduceExtremum(c, "train.reduce_min", scalar::min); }},
    {"ReduceProd", [](Converter &c) { reduceOrEvaluate(c, "train.reduce_prod", scalar::mul, 1); }},
    {"ReduceSum", [](Converter &c) { reduceOrEvaluate(c, "train.reduce_sum", scalar::add, 0); }},
    REDUCE("ReduceSumSquare", "train.reduce_sum", square),
    {"ArgMax", convertArgMax},
    {"ArgMin", convertArgMax},
    {"BatchNormalization", convertBatchNorm, 7},
    {"GroupNormalization", convertGroupNorm},
    {"InstanceNormalization", convertInstanceNorm},
    {"LayerNormalization", [](Converter &c) { convertRowNorm(c, true); }},
    {"LogSoftmax", softmax<train::LogSoftmaxOp>},
    {"LpNormalization", convertLpNorm},
    {"MeanVarianceNormalization", convertMeanVariance},
    {"RMSNormalization", [](Converter &c) { convertRowNorm(c, false); }},
    {"Softmax", softmax<train::SoftmaxOp>},
};

ArrayRef<Entry> ampc::onnx::reductionEntries() { return entries; }
