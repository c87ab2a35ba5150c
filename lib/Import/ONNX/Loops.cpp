// Loops of a known number of rounds: train.scan, or unrolled where rounds differ at import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Loops.h"
#include "lib/Import/ONNX/LoopBody.h"
#include "lib/Import/ONNX/LoopBuilder.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

// ---- Bodies ----

Node ampc::onnx::valueOf(const std::string &input, const std::string &output) {
  Node node;
  node.inputs = {input};
  node.outputs = {output};
  return node;
}

const ImportedValue *ampc::onnx::knownAs(const Scope &scope, StringRef name) {
  auto found = scope.find(name);
  return found == scope.end() ? nullptr : &found->second;
}

std::optional<bool> ampc::onnx::isTrue(Converter &c, const ImportedValue *condition) {
  if (!condition)
    return true;
  if (condition->literal && condition->literal->count() == 1)
    return condition->literal->integer(0) != 0;
  c.fail("expected a number of rounds and a condition that follow from the shapes of the model's "
         "inputs");
  return std::nullopt;
}

void ampc::onnx::declareInitializers(const Graph &body, Scope &scope) {
  for (const Tensor &tensor : body.initializers)
    if (auto literal = readLiteral(tensor)) {
      ImportedValue &known = scope[tensor.name];
      known = ImportedValue();
      known.type = literal->type;
      known.dims = literal->dims;
      known.literal = std::make_shared<const Literal>(std::move(*literal));
    }
}

ImportedValue ampc::onnx::knownScalar(Literal literal) {
  ImportedValue known;
  known.type = literal.type;
  known.literal = std::make_shared<const Literal>(std::move(literal));
  return known;
}

bool Nodes::convertBody(OpBuilder &b, const Graph &body, Scope &scope,
                        llvm::function_ref<bool(const Node &)> isSkipped) {
  declareInitializers(body, scope);
  return convertBodyNodes(b, body, scope, isSkipped);
}

bool Nodes::convertBodyNodes(OpBuilder &b, const Graph &body, Scope &scope,
                             llvm::function_ref<bool(const Node &)> isSkipped) {
  std::vector<const Node *> inner;
  for (const Node &each : body.nodes)
    if (!isSkipped || !isSkipped(each))
      inner.push_back(&each);
  checkKinds(inner);
  size_t before = record.faults.size();
  convert(b, inner, scope);
  return record.faults.size() == before &&
         llvm::none_of(body.outputs, [&](const ValueInfo &output) {
           return record.missing.contains(output.name);
         });
}

/// Body of the loop; null, with a fault recorded, for a wrong number of inputs or outputs.
static const Graph *bodyOf(Converter &c, int64_t inputs, int64_t outputs) {
  const onnx::Attribute *body = c.node.find("body");
  if (body && body->graph && int64_t(body->graph->inputs.size()) == inputs &&
      int64_t(body->graph->outputs.size()) >= outputs)
    return body->graph.get();
  c.fail("expected a body of " + Twine(inputs) + " inputs and at least " + Twine(outputs) +
         " outputs");
  return nullptr;
}

static std::vector<ImportedValue> knownOf(const Node &node, size_t first, size_t count,
                                          const Scope &scope) {
  std::vector<ImportedValue> values;
  for (size_t i = first; i < first + count; ++i)
    values.push_back(scope.lookup(node.inputs[i]));
  return values;
}

// ---- One body for all rounds ----

/// The value that an output is, through nodes Identity.
static std::string sourceOf(const Graph &body, const std::string &output) {
  std::string name = output;
  for (const Node &node : llvm::reverse(body.nodes))
    if (node.op == "Identity" && !node.outputs.empty() && node.outputs[0] == name)
      name = node.inputs[0];
  return name;
}

bool ampc::onnx::isUnchanged(const LoopNode &loop, int64_t i) {
  return sourceOf(*loop.body, loop.body->outputs[loop.firstOutput + i].name) ==
         loop.body->inputs[loop.firstInput + i].name;
}

static Value reversed(Converter &c, Value x) {
  return c.make<train::ReverseOp>(x, c.attr("dims", Dims{0}));
}

/// Moves dimension 0 to `axis`, or back.
static Value moved(Converter &c, Value x, int64_t axis, bool isBack) {
  if (!x)
    return {};
  Dims order = llvm::to_vector(llvm::seq<int64_t>(0, Converter::shapeOf(x).size()));
  int64_t from = isBack ? axis : 0, to = isBack ? 0 : axis;
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return c.transpose(x, order);
}

/// Sequences as [rounds, ...], in the order of the rounds unless all of them are reversed; then
/// tensors whose rows the body reads by the number of the round.
static SmallVector<Value> sequencesOf(Converter &c, const LoopNode &loop, bool isReverse,
                                      const Scope &scope) {
  SmallVector<Value> sequences;
  for (auto [i, axis] : llvm::enumerate(loop.inputAxes)) {
    if (c.dims(loop.carried + i)[axis] != loop.rounds)
      c.fail("expected sequences of one length");
    Value sequence = moved(c, c.in(loop.carried + i), axis, true);
    sequences.push_back(loop.inputDirections[i] && !isReverse ? reversed(c, sequence) : sequence);
  }
  for (const Node *read : loop.rowReads) {
    ImportedValue data = readData(loop, *read, scope);
    sequences.push_back(c.valueOf(data));
  }
  return sequences;
}

/// Binds the outputs of the node: last carried values, then rows along their axes.
static void setResults(Converter &c, const LoopNode &loop, ArrayRef<Value> made,
                       ArrayRef<int64_t> changed, ArrayRef<int64_t> kept, bool isReverse) {
  for (auto [i, value] : llvm::enumerate(loop.values))
    c.set(i, value);
  for (const LoopCounter &counter : loop.counters)
    c.set(counter.carried, Literal::scalar(counter.last));
  for (auto [at, i] : llvm::enumerate(changed))
    c.set(i, made[at]);
  for (auto [at, i] : llvm::enumerate(kept)) {
    Value rows = made[changed.size() + at];
    bool isPrepended = i < int64_t(loop.outputDirections.size()) && loop.outputDirections[i];
    rows = isPrepended == isReverse ? rows : reversed(c, rows);
    int64_t axis = i < int64_t(loop.outputAxes.size()) ? loop.outputAxes[i] : 0;
    axis = c.axis(axis, Converter::shapeOf(rows).size());
    if (axis >= 0)
      c.set(loop.carried + i, moved(c, rows, axis, false));
  }
}

/// Values of the body by the names of its outputs from `first` on, by numbers.
static SmallVector<Value> outputsOf(OpBuilder &b, Converter &c, const LoopNode &loop, int64_t first,
                                    ArrayRef<int64_t> numbers, Scope &scope) {
  return llvm::map_to_vector(numbers, [&](int64_t i) -> Value {
    Node node = valueOf(loop.body->outputs[first + i].name);
    return Converter(b, node, c.opset, scope).in(0);
  });
}

/// A counter's value in a round.
static Value valueOf(Converter &c, const LoopCounter &counter, Value index) {
  Value scaled =
      counter.step == 1 ? index : c.mul(index, c.constant(Literal::scalar(counter.step)));
  return counter.first == 0 ? scaled : c.add(scaled, c.constant(Literal::scalar(counter.first)));
}

/// Binds the inputs of the body. `changed`: numbers of the carried values that change.
static void bindInputs(OpBuilder &b, Converter &c, const LoopNode &loop, LoopBuilder &rounds,
                       ArrayRef<int64_t> changed, Scope &scope) {
  auto bindName = [&](const std::string &name, Value value) {
    Node node = valueOf("", name);
    Converter(b, node, c.opset, scope).set(0, value);
  };
  auto bind = [&](int64_t input, Value value) { bindName(loop.body->inputs[input].name, value); };
  for (auto [i, value] : llvm::enumerate(loop.values))
    scope[loop.body->inputs[loop.firstInput + i].name] = value;
  for (auto [at, i] : llvm::enumerate(changed))
    bind(loop.firstInput + i, rounds.carried()[at]);
  for (const LoopCounter &counter : loop.counters)
    bind(loop.firstInput + counter.carried, valueOf(c, counter, rounds.index()));
  size_t given = loop.inputAxes.size();
  for (auto [i, row] : llvm::enumerate(rounds.rows().take_front(given)))
    bind(loop.firstInput + loop.carried + i, row);
  for (auto [read, row] : llvm::zip(loop.rowReads, rounds.rows().drop_front(given)))
    bindName(read->outputs[0], row);
  if (!loop.isLoop)
    return;
  bind(0, rounds.index());
  Node condition = valueOf("", loop.body->inputs[1].name);
  Converter(b, condition, c.opset, scope).set(0, Literal::scalar(onnx::Type::Bool, 1.0));
}

bool Nodes::tryRounds(OpBuilder &b, Converter &c, const LoopNode &loop, Scope &scope) {
  bool isReverse = !loop.inputDirections.empty() &&
                   llvm::all_of(loop.inputDirections, [](int64_t d) { return d != 0; });
  SmallVector<int64_t> changed, kept;
  SmallVector<Value> inits;
  std::vector<ImportedValue> first = loop.values;
  for (int64_t i = 0; i < loop.carried; ++i)
    if (!isUnchanged(loop, i) && !isCounter(loop, i)) {
      changed.push_back(i);
      inits.push_back(c.valueOf(first[i]));
    }
  int64_t firstRow = loop.firstOutput + loop.carried;
  for (int64_t i = 0; i < int64_t(loop.body->outputs.size()) - firstRow; ++i)
    if (c.wants(loop.carried + i))
      kept.push_back(i);
  SmallVector<Value> sequences = sequencesOf(c, loop, isReverse, scope);
  if (!c.fault.empty() || llvm::is_contained(inits, Value()) ||
      llvm::is_contained(sequences, Value()))
    return false;
  Scope inner = scope; // values of the body are unknown outside
  LoopBuilder rounds(c, inits, sequences, loop.rounds);
  bindInputs(b, c, loop, rounds, changed, inner);
  auto isRead = [&](const Node &node) { return llvm::is_contained(loop.rowReads, &node); };
  if (!repeat(c, loop.body->nodes.size() + 1) || !convertBody(b, *loop.body, inner, isRead))
    return false;
  if (loop.isLoop && !loop.isCounted) {
    auto goes = isTrue(c, knownAs(inner, loop.body->outputs[0].name));
    if (!goes || !*goes)
      return false;
  }
  SmallVector<Value> next = outputsOf(b, c, loop, loop.firstOutput, changed, inner);
  SmallVector<Value> made =
      rounds.finish(next, outputsOf(b, c, loop, firstRow, kept, inner), isReverse);
  if (made.empty())
    return false;
  setResults(c, loop, made, changed, kept, isReverse);
  return c.fault.empty();
}

bool Nodes::convertRounds(OpBuilder &b, Converter &c, const LoopNode &loop, Scope &scope) {
  if (loop.rounds < 1 || loop.rounds > train::ScanOp::mostRounds)
    return false;
  Record before = record;
  ScopedDiagnosticHandler handler(b.getContext(), [](Diagnostic &) { return success(); });
  if (tryRounds(b, c, loop, scope))
    return true;
  record = std::move(before);
  c.fault.clear();
  return false;
}

// ---- Nodes ----

/// Converts Loop. Inputs: limit, condition, carried values; the body gets the number of the round,
/// the condition and carried values, and returns the condition, carried values and rows.
void Nodes::convertLoop(OpBuilder &b, Converter &c, Scope &scope) {
  const Node &node = c.node;
  LoopNode loop;
  loop.isLoop = true;
  loop.carried = int64_t(node.inputs.size()) - 2;
  loop.firstInput = 2;
  loop.firstOutput = 1;
  loop.body = loop.carried < 0 ? nullptr : bodyOf(c, 2 + loop.carried, 1 + loop.carried);
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (c.has(0)) {
    auto given = c.numbers(0, "a number of rounds");
    if (!given || given->size() != 1)
      return;
    limit = given->front();
  }
  auto goes = isTrue(c, c.has(1) ? knownAs(scope, node.inputs[1]) : nullptr);
  if (!loop.body || !goes)
    return;
  loop.values = knownOf(node, 2, loop.carried, scope);
  loop.rounds = limit;
  if (*goes && (convertRounds(b, c, loop, scope) ||
                (countRounds(b, c, loop, limit, scope) && convertRounds(b, c, loop, scope))))
    return;
  unrollLoop(b, c, loop, limit, *goes, scope);
}

/// Converts Scan. Inputs: carried values and sequences, of which the body gets an element per
/// round.
void Nodes::convertScan(OpBuilder &b, Converter &c, Scope &scope) {
  const Node &node = c.node;
  LoopNode loop;
  int64_t sequences = c.integer("num_scan_inputs", 0);
  loop.carried = int64_t(node.inputs.size()) - sequences;
  if (c.opset < 9 || sequences < 1 || loop.carried < 0) {
    c.fail("expected opset 9 or later, and at least one sequence");
    return;
  }
  loop.body = bodyOf(c, loop.carried + sequences, loop.carried);
  loop.inputAxes = c.ints("scan_input_axes").value_or(Dims());
  loop.inputDirections = c.ints("scan_input_directions").value_or(Dims());
  loop.outputAxes = c.ints("scan_output_axes").value_or(Dims());
  loop.outputDirections = c.ints("scan_output_directions").value_or(Dims());
  loop.inputAxes.resize(sequences, 0);
  loop.inputDirections.resize(sequences, 0);
  for (int64_t i = 0; i < sequences; ++i)
    if ((loop.inputAxes[i] = c.axis(loop.inputAxes[i], c.rank(loop.carried + i))) < 0)
      return;
  if (!loop.body)
    return;
  loop.rounds = c.dims(loop.carried)[loop.inputAxes[0]];
  loop.values = knownOf(node, 0, loop.carried, scope);
  if (!convertRounds(b, c, loop, scope))
    unrollScan(b, c, loop, scope);
}
