// Recurrent layers: nodes LSTM, GRU and RNN of one direction, [time, batch, in].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Recurrent.h"
#include "lib/Export/ONNX/Emitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

// ---- Operands ----

static std::string withDirection(Emitter &e, const std::string &x) {
  return e.node("Unsqueeze", {x, e.integers({0})});
}

/// Blocks of the first dimension, which are in the order of the letters `from`, in the order `to`:
/// "ifgo" to "iofg".
static std::string reordered(Emitter &e, const std::string &x, int64_t width, StringRef from,
                             StringRef to) {
  if (from == to)
    return x;
  std::vector<std::string> blocks =
      e.nodes("Split", {x, e.integers(SmallVector<int64_t>(from.size(), width))},
              {{"axis", int64_t(0)}}, from.size());
  std::vector<std::string> moved;
  for (char letter : to)
    moved.push_back(blocks[from.find(letter)]);
  return e.node("Concat", moved, {{"axis", int64_t(0)}});
}

/// Letters of `order` that are among `letters`.
static std::string only(StringRef order, StringRef letters) {
  std::string found;
  llvm::copy_if(order, std::back_inserter(found), [&](char c) { return letters.contains(c); });
  return found;
}

static std::string zeros(Emitter &e, Type element, int64_t count) {
  Array zero = arrayOf(0.0, element), array = zero;
  auto bytes = std::make_shared<std::vector<char>>(size_t(zero.bytes() * count));
  array.dims = {count};
  array.data = bytes->data();
  array.mapping = std::move(bytes);
  return e.initializer("zeros", std::move(array));
}

namespace {
/// Operands that all layers have; absent ones are null. `from` and `to`: gates of the op and of the
/// node.
struct Layer {
  std::string kind;
  Value x, wx, wh, bias, biasH, h0, c0, lengths, peepholes;
  bool isReverse, isBatchFirst;
  std::string from, to;
};
} // namespace

/// [2 gates H]: biases of the input, then those of the state; "" without biases.
static std::string biasesOf(Emitter &e, const Layer &layer, int64_t width) {
  if (!layer.bias)
    return "";
  int64_t gates = Emitter::shapeOf(layer.wx)[1];
  std::string first = reordered(e, e.in(layer.bias), width, layer.from, layer.to);
  std::string second = layer.biasH ? reordered(e, e.in(layer.biasH), width, layer.from, layer.to)
                                   : zeros(e, Emitter::elementTypeOf(layer.bias), gates);
  return withDirection(e, e.node("Concat", {first, second}, {{"axis", int64_t(0)}}));
}

/// Weights have their columns as rows: [in, gates H] -> [1, gates H, in].
static std::string weightsOf(Emitter &e, const Layer &layer, Value weights, int64_t width) {
  return withDirection(e, reordered(e, e.in(weights, {1, 0}), width, layer.from, layer.to));
}

// ---- Nodes ----

static std::vector<std::string> inputsOf(Emitter &e, const Layer &layer, int64_t width) {
  Dims order = layer.isBatchFirst ? Dims{1, 0, 2} : Dims{0, 1, 2};
  auto state = [&](Value v) { return v ? withDirection(e, e.in(v)) : std::string(); };
  std::vector<std::string> inputs = {e.in(layer.x, order),
                                     weightsOf(e, layer, layer.wx, width),
                                     weightsOf(e, layer, layer.wh, width),
                                     biasesOf(e, layer, width),
                                     layer.lengths ? e.in(layer.lengths) : "",
                                     state(layer.h0)};
  if (layer.kind == "LSTM") {
    inputs.push_back(state(layer.c0));
    std::string from = only(layer.from, "ifo"), to = only(layer.to, "ifo");
    inputs.push_back(layer.peepholes
                         ? withDirection(e, reordered(e, e.in(layer.peepholes), width, from, to))
                         : "");
  }
  while (inputs.back().empty())
    inputs.pop_back();
  return inputs;
}

static void emitLayer(Emitter &e, Operation *op, const Layer &layer,
                      std::vector<NodeAttribute> attributes) {
  int64_t width = Emitter::shapeOf(layer.wh)[0];
  attributes.insert(attributes.begin(), {"hidden_size", width});
  if (layer.isReverse)
    attributes.push_back({"direction", std::string("reverse")});
  std::vector<std::string> made =
      e.nodes(layer.kind, inputsOf(e, layer, width), std::move(attributes), op->getNumResults());
  // [time, 1, batch, H] and [1, batch, H]
  Dims order = layer.isBatchFirst ? Dims{1, 0, 2} : Dims{0, 1, 2};
  e.set(op->getResult(0), e.node("Squeeze", {made[0], e.integers({1})}), order);
  for (unsigned i = 1; i < op->getNumResults(); ++i)
    e.set(op->getResult(i), e.node("Squeeze", {made[i], e.integers({0})}));
}

static void emitLstm(Emitter &e, train::LstmOp op) {
  emitLayer(e, op,
            {"LSTM", op.getX(), op.getWx(), op.getWh(), op.getBias(), Value(), op.getH0(),
             op.getC0(), op.getLengths(), op.getPeepholes(), op.getReverse(), op.getBatchFirst(),
             op.getGates().value_or("ifgo").str(), "iofg"},
            {});
}

static void emitGru(Emitter &e, train::GruOp op) {
  emitLayer(e, op,
            {"GRU", op.getX(), op.getWx(), op.getWh(), op.getBias(), op.getBiasH(), op.getH0(),
             Value(), op.getLengths(), Value(), op.getReverse(), op.getBatchFirst(),
             op.getGates().value_or("rzn").str(), "zrn"},
            {{"linear_before_reset", int64_t(op.getResetAfter())}});
}

static void emitRnn(Emitter &e, train::RnnOp op) {
  std::vector<NodeAttribute> attributes;
  if (op.getActivation() == train::RnnActivation::relu)
    attributes.push_back({"activations", std::vector<std::string>{"Relu"}});
  emitLayer(e, op,
            {"RNN", op.getX(), op.getWx(), op.getWh(), op.getBias(), Value(), op.getH0(), Value(),
             op.getLengths(), Value(), op.getReverse(), op.getBatchFirst(), "n", "n"},
            attributes);
}

// ---- Rows of the batch ----

bool exporting::isBeyondLayers(Operation *op) {
  auto lstm = dyn_cast<train::LstmOp>(op);
  return lstm && lstm.getProjection();
}

/// States and lengths have a row per sequence; weights have none.
static bool areApart(Emitter &e, Operation *op, ArrayRef<Value> rows) {
  return llvm::all_of(op->getOperands().drop_front(), [&](Value v) {
    bool isOfRows = llvm::is_contained(rows, v);
    std::optional<BatchLayout> place = e.trace(v).rows;
    return isOfRows ? place && place->dim == 0 && place->outer == 1 : !place;
  });
}

std::optional<BatchLayout> exporting::rowsOfLayer(Emitter &e, OpResult result) {
  Operation *op = result.getOwner();
  SmallVector<Value> rows;
  bool isBatchFirst = false;
  if (auto lstm = dyn_cast<train::LstmOp>(op)) {
    rows = {lstm.getH0(), lstm.getC0(), lstm.getLengths()};
    isBatchFirst = lstm.getBatchFirst();
  } else if (auto gru = dyn_cast<train::GruOp>(op)) {
    rows = {gru.getH0(), gru.getLengths()};
    isBatchFirst = gru.getBatchFirst();
  } else if (auto rnn = dyn_cast<train::RnnOp>(op)) {
    rows = {rnn.getH0(), rnn.getLengths()};
    isBatchFirst = rnn.getBatchFirst();
  }
  std::optional<BatchLayout> place = e.trace(op->getOperand(0)).rows;
  if (!place || place->outer != 1 || place->dim != (isBatchFirst ? 0 : 1) || !areApart(e, op, rows))
    return std::nullopt;
  return result.getResultNumber() == 0 ? place : BatchLayout{0};
}

std::vector<Entry> exporting::recurrentEntries() {
  return {entry<train::LstmOp, emitLstm>(), entry<train::GruOp, emitGru>(),
          entry<train::RnnOp, emitRnn>()};
}
