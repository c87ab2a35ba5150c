// Unrolling of recurrent layers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
/// Weights of a direction; gates are blocks of rows.
struct RecurrentWeights {
  Value input, hidden;         // [gates * width, in] and [gates * width, width]
  Value inputBias, hiddenBias; // [gates * width], or null
  Value peepholes;             // [3 * width], or null
  int64_t width = 0;
  bool linearBeforeReset = false;
};
/// State carried between steps.
struct CarriedState {
  Value h, c;
};
using Step = CarriedState (*)(Converter &c, const RecurrentWeights &cell, Value x,
                              CarriedState before);

constexpr int64_t mostSteps = 2048;
} // namespace

/// Block `number` of the last dimension, in blocks of `width`.
static Value part(Converter &c, Value x, int64_t number, int64_t width) {
  if (!x)
    return {};
  int64_t axis = Converter::shapeOf(x).size() - 1;
  Dims index = llvm::to_vector(llvm::seq<int64_t>(number * width, (number + 1) * width));
  return c.take(x, axis, index);
}
static Value byRows(Converter &c, Value x, Value weights) {
  return c.make<train::MatmulOp>({x, weights}, c.flag("transpose_rhs"));
}
static Value plus(Converter &c, Value x, Value bias) { return bias ? c.add(x, bias) : x; }
static Value sigmoid(Converter &c, Value x) { return c.make<train::SigmoidOp>(x); }
static Value tanh(Converter &c, Value x) { return c.make<train::TanhOp>(x); }

/// Step of an LSTM; gate order i, o, f, c.
static CarriedState stepLstm(Converter &c, const RecurrentWeights &cell, Value x,
                             CarriedState before) {
  Value gates = c.add(plus(c, byRows(c, x, cell.input), cell.inputBias),
                      plus(c, byRows(c, before.h, cell.hidden), cell.hiddenBias));
  auto gate = [&](int64_t number) { return part(c, gates, number, cell.width); };
  auto peep = [&](Value value, int64_t number, Value state) {
    return cell.peepholes ? c.add(value, c.mul(part(c, cell.peepholes, number, cell.width), state))
                          : value;
  };
  Value i = sigmoid(c, peep(gate(0), 0, before.c)), f = sigmoid(c, peep(gate(2), 2, before.c));
  Value state = c.add(c.mul(f, before.c), c.mul(i, tanh(c, gate(3))));
  Value o = sigmoid(c, peep(gate(1), 1, state));
  return {c.mul(o, tanh(c, state)), state};
}

/// Step of a GRU; gate order z, r, h.
static CarriedState stepGru(Converter &c, const RecurrentWeights &cell, Value x,
                            CarriedState before) {
  int64_t w = cell.width;
  Value fromX = plus(c, byRows(c, x, cell.input), cell.inputBias);
  if (cell.linearBeforeReset) {
    Value fromH = plus(c, byRows(c, before.h, cell.hidden), cell.hiddenBias);
    Value z = sigmoid(c, c.add(part(c, fromX, 0, w), part(c, fromH, 0, w)));
    Value r = sigmoid(c, c.add(part(c, fromX, 1, w), part(c, fromH, 1, w)));
    Value n = tanh(c, c.add(part(c, fromX, 2, w), c.mul(r, part(c, fromH, 2, w))));
    return {c.add(n, c.mul(z, c.sub(before.h, n))), {}};
  }
  auto rows = [&](int64_t from, int64_t count) {
    Value weights = cell.hidden;
    return weights ? c.slice(weights, {from * w, 0}, {count * w, w}, {1, 1}) : Value();
  };
  auto bias = [&](int64_t number) {
    return cell.hiddenBias ? part(c, cell.hiddenBias, number, w) : Value();
  };
  Value gates = byRows(c, before.h, rows(0, 2));
  Value z = sigmoid(c, c.add(part(c, fromX, 0, w), plus(c, part(c, gates, 0, w), bias(0))));
  Value r = sigmoid(c, c.add(part(c, fromX, 1, w), plus(c, part(c, gates, 1, w), bias(1))));
  Value fromH = plus(c, byRows(c, c.mul(r, before.h), rows(2, 1)), bias(2));
  Value n = tanh(c, c.add(part(c, fromX, 2, w), fromH));
  return {c.add(n, c.mul(z, c.sub(before.h, n))), {}};
}

static CarriedState stepRnn(Converter &c, const RecurrentWeights &cell, Value x,
                            CarriedState before) {
  return {tanh(c, c.add(plus(c, byRows(c, x, cell.input), cell.inputBias),
                        plus(c, byRows(c, before.h, cell.hidden), cell.hiddenBias))),
          {}};
}

/// Checks attributes and inputs: only the default activations are supported.
static bool checkRecurrent(Converter &c, int64_t directions) {
  const onnx::Attribute *functions = c.node.find("activations");
  static const std::map<std::string, std::vector<std::string>> usual = {
      {"LSTM", {"Sigmoid", "Tanh", "Tanh"}}, {"GRU", {"Sigmoid", "Tanh"}}, {"RNN", {"Tanh"}}};
  if (functions && !functions->texts.empty()) {
    std::vector<std::string> want;
    for (int64_t d = 0; d < directions; ++d)
      llvm::append_range(want, usual.at(c.node.op));
    if (functions->texts != want)
      return c.fail("expected the usual activations of this op");
  }
  if (c.node.find("clip") || c.integer("input_forget", 0))
    return c.fail("expected no clip and no input_forget");
  if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3 || c.dims(1)[0] != directions)
    return c.fail("expected inputs of 3 dimensions, with weights for every direction");
  if (const Literal *lengths = c.literal(4); c.has(4)) {
    int64_t steps = c.dims(0)[c.integer("layout", 0) ? 1 : 0];
    if (!lengths || !lengths->allEqual() || lengths->integer(0) != steps)
      return c.fail("expected sequences of one length");
  }
  return true;
}

/// Input of direction `d`, without the dimension of directions.
static Value ofDirection(Converter &c, unsigned input, int64_t d, int64_t axis = 0) {
  if (!c.has(input))
    return {};
  Value x = c.take(c.in(input), axis, Dims{d});
  Dims dims(c.dims(input));
  dims.erase(dims.begin() + axis);
  return c.reshape(x, dims);
}

static RecurrentWeights cellOf(Converter &c, int64_t d, int64_t gates, int64_t width) {
  RecurrentWeights cell;
  cell.width = width;
  cell.input = ofDirection(c, 1, d);
  cell.hidden = ofDirection(c, 2, d);
  if (Value bias = ofDirection(c, 3, d)) {
    cell.inputBias = part(c, bias, 0, gates * width);
    cell.hiddenBias = part(c, bias, 1, gates * width);
  }
  if (c.node.op == "LSTM")
    cell.peepholes = ofDirection(c, 7, d);
  cell.linearBeforeReset = c.integer("linear_before_reset", 0);
  return cell;
}

/// Converts a recurrent layer. With layout 1 the batch dimension comes before steps and directions.
static void convertRecurrent(Converter &c, int64_t gates, Step step) {
  std::string direction = c.text("direction", "forward");
  int64_t directions = direction == "bidirectional" ? 2 : 1, layout = c.integer("layout", 0);
  if (!checkRecurrent(c, directions))
    return;
  int64_t steps = c.dims(0)[layout ? 1 : 0], rows = c.dims(0)[layout ? 0 : 1];
  int64_t width = c.integer("hidden_size", c.dims(2)[2]);
  if (steps > mostSteps) {
    c.fail("expected at most " + Twine(mostSteps) + " steps, but got " + Twine(steps));
    return;
  }
  Value zeros;
  SmallVector<Value> sequence[2], lastH, lastC;
  bool isLstm = c.node.op == "LSTM";
  for (int64_t d = 0; d < directions; ++d) {
    RecurrentWeights cell = cellOf(c, d, gates, width);
    if (!cell.input)
      return;
    auto first = [&](unsigned input) {
      Value given = ofDirection(c, input, d, layout);
      if (!given && !zeros)
        zeros = c.broadcastTo(c.real(0, cell.input), {rows, width});
      return given ? given : zeros;
    };
    CarriedState carried = {first(5), isLstm ? first(6) : Value()};
    bool isReverse = d == 1 || direction == "reverse";
    for (int64_t i = 0; i < steps; ++i) {
      int64_t at = isReverse ? steps - 1 - i : i;
      Value x = c.reshape(c.take(c.in(0), layout ? 1 : 0, Dims{at}), {rows, c.dims(0)[2]});
      carried = step(c, cell, x, carried);
      if (!carried.h)
        return;
      sequence[d].push_back(
          c.reshape(carried.h, layout ? Dims{rows, 1, 1, width} : Dims{1, 1, rows, width}));
    }
    if (isReverse)
      std::reverse(sequence[d].begin(), sequence[d].end());
    Dims one = layout ? Dims{rows, 1, width} : Dims{1, rows, width};
    lastH.push_back(c.reshape(carried.h, one));
    if (isLstm)
      lastC.push_back(c.reshape(carried.c, one));
  }
  if (c.wants(0)) {
    SmallVector<Value> sides;
    for (int64_t d = 0; d < directions; ++d)
      sides.push_back(c.concat(sequence[d], layout ? 1 : 0));
    c.set(0, c.concat(sides, layout ? 2 : 1));
  }
  if (c.wants(1))
    c.set(1, c.concat(lastH, layout ? 1 : 0));
  if (isLstm && c.wants(2))
    c.set(2, c.concat(lastC, layout ? 1 : 0));
}

static const Entry entries[] = {
    {"GRU", [](Converter &c) { convertRecurrent(c, 3, stepGru); }, 7},
    {"LSTM", [](Converter &c) { convertRecurrent(c, 4, stepLstm); }, 7},
    {"RNN", [](Converter &c) { convertRecurrent(c, 1, stepRnn); }, 7},
};

ArrayRef<Entry> ampc::onnx::recurrentEntries() { return entries; }
