// Recurrent layers: the ops lstm, gru and rnn, or a loop for other functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Recurrent.h"
#include "mlir-dialects/Train/Ops/Recurrent.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

// ---- Operands ----

/// Input of direction `d`, without the dimension of directions.
static Value ofDirection(Converter &c, unsigned input, int64_t d, int64_t axis = 0) {
  if (!c.has(input))
    return {};
  Value x = c.take(c.in(input), axis, Dims{d});
  Dims dims(c.dims(input));
  dims.erase(dims.begin() + axis);
  return c.reshape(x, dims);
}

/// Half of the biases, [2 gates H]: those of the input, then those of the state.
static Value half(Converter &c, Value biases, int64_t number) {
  int64_t width = Converter::shapeOf(biases)[0] / 2;
  return c.slice(biases, {number * width}, {width}, {1});
}

/// Biases of a sum are one; those of a GRU stay apart, as the second may be reset.
static void addBiases(Converter &c, Direction &side, int64_t d) {
  Value biases = ofDirection(c, 3, d);
  if (!biases)
    return;
  side.bias = half(c, biases, 0);
  side.hiddenBias = half(c, biases, 1);
  if (c.node.op == "GRU")
    return;
  side.bias = c.add(side.bias, side.hiddenBias);
  side.hiddenBias = {};
}

/// Lengths that all equal the number of rounds are none.
static Value lengthsOf(Converter &c, int64_t rounds) {
  const Literal *known = c.literal(4);
  if (!c.has(4) || (known && known->allEqual() && known->integer(0) == rounds))
    return {};
  return c.cast(c.in(4), c.b.getI32Type());
}

/// First states; if the file has one of the two, the other is 0.
static void addStates(Converter &c, Direction &side, int64_t d, int64_t layout) {
  side.h = ofDirection(c, 5, d, layout);
  side.c = c.node.op == "LSTM" ? ofDirection(c, 6, d, layout) : Value();
  if (c.node.op != "LSTM" || bool(side.h) == bool(side.c))
    return;
  Value given = side.h ? side.h : side.c;
  Value zeros = c.broadcastTo(c.real(0, given), Converter::shapeOf(given));
  (side.h ? side.c : side.h) = zeros;
}

static std::optional<Direction> directionOf(Converter &c, int64_t d, int64_t directions) {
  int64_t layout = c.integer("layout", 0);
  Direction side;
  side.x = c.in(0);
  side.input = c.transpose(ofDirection(c, 1, d), {1, 0});
  side.hidden = c.transpose(ofDirection(c, 2, d), {1, 0});
  addBiases(c, side, d);
  side.peepholes = c.node.op == "LSTM" ? ofDirection(c, 7, d) : Value();
  addStates(c, side, d, layout);
  side.lengths = lengthsOf(c, c.dims(0)[layout ? 1 : 0]);
  side.isReverse = d == 1 || c.text("direction", "forward") == "reverse";
  side.isBatchFirst = layout;
  side.linearBeforeReset = c.integer("linear_before_reset", 0);
  side.inputForget = c.integer("input_forget", 0);
  side.clip = c.real("clip", 0);
  auto functions = functionsOf(c, d, directions);
  if (!functions || !c.fault.empty())
    return std::nullopt;
  side.functions = *functions;
  return side;
}

// ---- Ops ----

/// Whether an op of the language computes the layer.
static bool hasOp(const Converter &c, const Direction &side) {
  auto are = [&](ArrayRef<StringRef> want) {
    return llvm::equal(side.functions, want,
                       [](const CellFunction &f, StringRef op) { return f.op == op; });
  };
  if (side.clip || side.inputForget)
    return false;
  return c.node.op == "LSTM"  ? are({"sigmoid", "tanh", "tanh"})
         : c.node.op == "GRU" ? are({"sigmoid", "tanh"})
                              : are({"tanh"}) || are({"relu"});
}

/// Number of operands per group, with those that are present as the operands.
static NamedAttribute segments(Converter &c, ArrayRef<Value> all, SmallVector<Value> &operands) {
  SmallVector<int32_t> sizes;
  for (Value value : all) {
    sizes.push_back(value ? 1 : 0);
    if (value)
      operands.push_back(value);
  }
  return c.b.getNamedAttr("operandSegmentSizes", c.b.getDenseI32ArrayAttr(sizes));
}

/// The op, with the gates in the file's order.
static DirectionResults layerOf(Converter &c, const Direction &side) {
  bool isLstm = c.node.op == "LSTM", isGru = c.node.op == "GRU";
  SmallVector<Value> all = {side.x, side.input, side.hidden, side.bias}, operands;
  if (isGru)
    all.push_back(side.hiddenBias);
  all.push_back(side.h);
  if (isLstm)
    all.push_back(side.c);
  all.push_back(side.lengths);
  if (isLstm)
    all.append({Value(), side.peepholes});
  SmallVector<NamedAttribute> attributes = {segments(c, all, operands)};
  auto flag = [&](StringRef name, bool isSet) {
    if (isSet)
      attributes.push_back(c.flag(name));
  };
  flag("reverse", side.isReverse);
  flag("batch_first", side.isBatchFirst);
  flag("reset_after", isGru && side.linearBeforeReset);
  if (isLstm || isGru)
    attributes.push_back(c.b.getNamedAttr("gates", c.b.getStringAttr(isLstm ? "iofg" : "zrn")));
  else if (side.functions[0].op == "relu")
    attributes.push_back(c.b.getNamedAttr(
        "activation", train::RnnActivationAttr::get(c.b.getContext(), train::RnnActivation::relu)));
  StringRef name = isLstm  ? train::LstmOp::getOperationName()
                   : isGru ? train::GruOp::getOperationName()
                           : train::RnnOp::getOperationName();
  Operation *made = c.op(name, operands, attributes, {}, isLstm ? 3 : 2);
  if (!made)
    return {};
  return {made->getResult(0), made->getResult(1), isLstm ? made->getResult(2) : Value()};
}

// ---- Layers ----

static bool checkShapes(Converter &c, int64_t directions) {
  if (c.rank(0) == 3 && c.rank(1) == 3 && c.rank(2) == 3 && c.dims(1)[0] == directions)
    return true;
  c.fail("expected inputs of 3 dimensions, with weights for every direction");
  return false;
}

/// Inserts the dimension of directions.
static Value withDirection(Converter &c, Value x, int64_t axis) {
  if (!x)
    return {};
  Dims dims(Converter::shapeOf(x));
  dims.insert(dims.begin() + axis, 1);
  return c.reshape(x, dims);
}

/// Converts a recurrent layer. With layout 1 the batch dimension comes before rounds and
/// directions.
static void convertRecurrent(Converter &c) {
  int64_t directions = c.text("direction", "forward") == "bidirectional" ? 2 : 1;
  int64_t layout = c.integer("layout", 0);
  if (!checkShapes(c, directions))
    return;
  SmallVector<Value> all, lastH, lastC;
  for (int64_t d = 0; d < directions; ++d) {
    auto side = directionOf(c, d, directions);
    if (!side)
      return;
    DirectionResults made = hasOp(c, *side) ? layerOf(c, *side) : loopOf(c, *side);
    if (!made.all)
      return;
    all.push_back(withDirection(c, made.all, layout ? 2 : 1));
    lastH.push_back(withDirection(c, made.h, layout ? 1 : 0));
    lastC.push_back(withDirection(c, made.c, layout ? 1 : 0));
  }
  if (c.wants(0))
    c.set(0, c.concat(all, layout ? 2 : 1));
  if (c.wants(1))
    c.set(1, c.concat(lastH, layout ? 1 : 0));
  if (c.node.op == "LSTM" && c.wants(2))
    c.set(2, c.concat(lastC, layout ? 1 : 0));
}

static const Entry entries[] = {
    {"GRU", convertRecurrent, 7},
    {"LSTM", convertRecurrent, 7},
    {"RNN", convertRecurrent, 7},
};

ArrayRef<Entry> ampc::onnx::recurrentEntries() { return entries; }
