// Loops of ordinary ops for recurrent layers whose functions the recurrent ops do not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/LoopBuilder.h"
#include "lib/Import/ONNX/Recurrent.h"
#include "mlir-dialects/Train/Ops/Loops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

// ---- Functions ----

namespace {
/// An activation: its node, and the numbers alpha and beta with their defaults. LeakyRelu: alpha
/// 0.01.
struct FunctionKind {
  StringLiteral op, node; ///< node: kind of node that computes the function, "" for none
  bool takesAlpha = false, takesBeta = false;
  double alpha = 0, beta = 0;
};
constexpr FunctionKind kinds[] = {
    {"affine", "", true, true, 1, 0},
    {"elu", "Elu", true, false, 1, 0},
    {"hardsigmoid", "HardSigmoid", true, true, 0.2, 0.5},
    {"leakyrelu", "LeakyRelu", true, false, 0.01, 0},
    {"relu", "Relu"},
    {"scaledtanh", "", true, true, 1, 1},
    {"sigmoid", "Sigmoid"},
    {"softplus", "Softplus"},
    {"softsign", "Softsign"},
    {"tanh", "Tanh"},
    {"thresholdedrelu", "ThresholdedRelu", true, false, 1, 0},
};
} // namespace

static const FunctionKind *kindOf(StringRef op) {
  const auto *found = llvm::find_if(kinds, [&](const FunctionKind &kind) { return kind.op == op; });
  return found == std::end(kinds) ? nullptr : found;
}

static SmallVector<std::string> namesOf(Converter &c, int64_t directions) {
  const onnx::Attribute *given = c.node.find("activations");
  if (given && !given->texts.empty())
    return {given->texts.begin(), given->texts.end()};
  static const std::map<std::string, std::vector<std::string>> usual = {
      {"LSTM", {"Sigmoid", "Tanh", "Tanh"}}, {"GRU", {"Sigmoid", "Tanh"}}, {"RNN", {"Tanh"}}};
  SmallVector<std::string> names;
  for (int64_t d = 0; d < directions; ++d)
    llvm::append_range(names, usual.at(c.node.op));
  return names;
}

std::optional<SmallVector<CellFunction>> ampc::onnx::functionsOf(Converter &c, int64_t direction,
                                                                 int64_t directions) {
  size_t each = c.node.op == "LSTM" ? 3 : c.node.op == "GRU" ? 2 : 1, alpha = 0, beta = 0;
  SmallVector<std::string> names = namesOf(c, directions);
  if (names.size() != each * directions) {
    c.fail("expected " + Twine(each * directions) + " activations, but got " + Twine(names.size()));
    return std::nullopt;
  }
  // Functions take alpha and beta, those that have one, in their order.
  auto next = [&](StringRef list, size_t &at, bool takes, double otherwise) {
    const onnx::Attribute *given = c.node.find(list.str());
    if (!takes || !given || at >= given->reals.size())
      return otherwise;
    return shortest(given->reals[at++], 8);
  };
  SmallVector<CellFunction> functions;
  for (StringRef name : names) {
    const FunctionKind *kind = kindOf(name.lower());
    if (!kind) {
      c.fail("expected activations that ampc has, but got " + name);
      return std::nullopt;
    }
    double a = next("activation_alpha", alpha, kind->takesAlpha, kind->alpha);
    double b = next("activation_beta", beta, kind->takesBeta, kind->beta);
    functions.push_back({kind->op.str(), a, b});
  }
  ArrayRef<CellFunction> all = functions;
  return llvm::to_vector(all.slice(direction * each, each));
}

/// Converts a node of one input, `x`, that computes the function.
static Value convertFunction(Converter &c, const FunctionKind &kind, const CellFunction &function,
                             Value x) {
  Node node;
  node.op = kind.node.str();
  node.inputs = {"x"};
  node.outputs = {"0"}; // a number gives no name
  auto number = [&](const char *name, bool takes, double value) {
    if (!takes)
      return;
    onnx::Attribute attribute;
    attribute.name = name;
    attribute.kind = onnx::Attribute::Real;
    attribute.real = float(value);
    node.attributes.push_back(attribute);
  };
  number("alpha", kind.takesAlpha, function.alpha);
  number("beta", kind.takesBeta, function.beta);
  Scope scope;
  ImportedValue &given = scope["x"];
  given.type = Converter::elementOf(x).isF64() ? onnx::Type::F64 : onnx::Type::F32;
  given.dims = Dims(Converter::shapeOf(x));
  given.plain = x;
  Converter inner(c.b, node, c.opset, scope);
  findEntry("", node.op)->convert(inner);
  if (!inner.fault.empty())
    return c.fail(inner.fault);
  return inner.valueOf(scope["0"]);
}

/// The function of x, with x limited to [-clip, clip].
static Value apply(Converter &c, const Direction &side, unsigned number, Value x) {
  if (!x)
    return {};
  if (side.clip) {
    x = c.make<train::MinimumOp>({x, c.real(side.clip, x)});
    x = c.make<train::MaximumOp>({x, c.real(-side.clip, x)});
  }
  const CellFunction &function = side.functions[number];
  const FunctionKind &kind = *kindOf(function.op);
  if (!kind.node.empty())
    return convertFunction(c, kind, function, x);
  Value alpha = c.real(function.alpha, x), beta = c.real(function.beta, x);
  return function.op == "affine" ? c.add(c.mul(alpha, x), beta)
                                 : c.mul(alpha, c.make<train::TanhOp>(c.mul(beta, x)));
}

// ---- Cells ----

namespace {
struct States {
  Value h, c;
};
} // namespace

static Value plus(Converter &c, Value x, Value bias) { return bias ? c.add(x, bias) : x; }
static Value times(Converter &c, Value x, Value weights) {
  return c.make<train::MatmulOp>({x, weights});
}

/// Gates i o f c; `sums` are [batch, 4 H]. Peepholes i o f.
static States lstm(Converter &c, const Direction &side, Value sums, States before) {
  int64_t width = Converter::shapeOf(before.h).back();
  auto peep = [&](Value gate, int64_t number, Value state) {
    if (!side.peepholes)
      return gate;
    return c.add(gate, c.mul(c.slice(side.peepholes, {number * width}, {width}, {1}), state));
  };
  sums = c.add(sums, times(c, before.h, side.hidden));
  auto gate = [&](int64_t number) {
    int64_t batch = Converter::shapeOf(before.h)[0];
    return c.slice(sums, {0, number * width}, {batch, width}, {1, 1});
  };
  Value i = apply(c, side, 0, peep(gate(0), 0, before.c));
  Value f =
      side.inputForget ? c.sub(c.real(1, i), i) : apply(c, side, 0, peep(gate(2), 2, before.c));
  Value state = c.add(c.mul(f, before.c), c.mul(i, apply(c, side, 1, gate(3))));
  Value o = apply(c, side, 0, peep(gate(1), 1, state));
  return {c.mul(o, apply(c, side, 2, state)), state};
}

/// Gates z r h; `sums` are [batch, 3 H].
static States gru(Converter &c, const Direction &side, Value sums, States before) {
  int64_t batch = Converter::shapeOf(before.h)[0], width = Converter::shapeOf(before.h)[1];
  auto block = [&](Value x, int64_t number) {
    return c.slice(x, {0, number * width}, {batch, width}, {1, 1});
  };
  auto weights = [&](int64_t from, int64_t count) {
    return c.slice(side.hidden, {0, from * width}, {width, count * width}, {1, 1});
  };
  auto bias = [&](Value x, int64_t number) {
    return side.hiddenBias ? c.add(x, c.slice(side.hiddenBias, {number * width}, {width}, {1})) : x;
  };
  Value gates = times(c, before.h, weights(0, 2));
  Value z = apply(c, side, 0, c.add(block(sums, 0), bias(block(gates, 0), 0)));
  Value r = apply(c, side, 0, c.add(block(sums, 1), bias(block(gates, 1), 1)));
  Value reset = side.linearBeforeReset ? c.mul(r, bias(times(c, before.h, weights(2, 1)), 2))
                                       : bias(times(c, c.mul(r, before.h), weights(2, 1)), 2);
  Value n = apply(c, side, 1, c.add(block(sums, 2), reset));
  return {c.add(n, c.mul(z, c.sub(before.h, n))), {}};
}

static States rnn(Converter &c, const Direction &side, Value sums, States before) {
  return {apply(c, side, 0, c.add(sums, times(c, before.h, side.hidden))), {}};
}

/// The state of before, in rows whose sequence has ended.
static Value kept(Converter &c, Value isRow, Value state, Value before) {
  return isRow && state ? c.select(isRow, state, before) : state;
}

/// A round: row times weights, then the cell; sequences that have ended keep their state.
static SmallVector<Value> finishRound(Converter &c, const Direction &side, LoopBuilder &rounds) {
  ValueRange carried = rounds.carried();
  States before = {carried[0], carried.size() > 1 ? carried[1] : Value()};
  Value sums = rounds.rows()[0];
  States after = c.node.op == "LSTM"  ? lstm(c, side, sums, before)
                 : c.node.op == "GRU" ? gru(c, side, sums, before)
                                      : rnn(c, side, sums, before);
  Value each = after.h;
  if (side.lengths && after.h) {
    Value isRow = c.compare(train::ComparePredicate::lt, rounds.index(), side.lengths);
    isRow = c.reshape(isRow, {Converter::shapeOf(before.h)[0], 1});
    each = c.select(isRow, after.h, c.real(0, after.h));
    after = {kept(c, isRow, after.h, before.h), kept(c, isRow, after.c, before.c)};
  }
  SmallVector<Value> next = {after.h};
  if (before.c)
    next.push_back(after.c);
  return rounds.finish(next, each, side.isReverse);
}

/// The product with the weights of the input, of all rounds at once, is in front of the loop.
DirectionResults ampc::onnx::loopOf(Converter &c, const Direction &side) {
  Value x = side.isBatchFirst ? c.transpose(side.x, {1, 0, 2}) : side.x;
  Value sums = plus(c, times(c, x, side.input), side.bias);
  if (!sums)
    return {};
  ArrayRef<int64_t> shape = Converter::shapeOf(sums);
  int64_t width = Converter::shapeOf(side.hidden)[0];
  Value zeros = c.broadcastTo(c.real(0, sums), {shape[1], width});
  SmallVector<Value> inits = {side.h ? side.h : zeros};
  if (c.node.op == "LSTM")
    inits.push_back(side.c ? side.c : zeros);
  LoopBuilder rounds(c, inits, sums, shape[0]);
  SmallVector<Value> made = finishRound(c, side, rounds);
  if (made.empty())
    return {};
  Value all = side.isBatchFirst ? c.transpose(made.back(), {1, 0, 2}) : made.back();
  return {all, made[0], inits.size() > 1 ? made[1] : Value()};
}
