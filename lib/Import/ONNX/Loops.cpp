// Unrolling of loops with a known number of iterations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Nodes.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
constexpr int64_t mostTimes = 2048; ///< equal to the limit of recurrent layers
} // namespace

/// Node with a single value as input 0 and output 0, for converters.
static Node valueOf(const std::string &input, const std::string &output = "") {
  Node node;
  node.inputs = {input};
  node.outputs = {output};
  return node;
}

// ---- Iterations ----

namespace {
/// Iterations of a loop: carried values of an iteration are inputs of the next.
class LoopIterations {
public:
  LoopIterations(OpBuilder &b, Converter &loop, const Graph &body, Scope &scope)
      : b(b), loop(loop), body(body), scope(scope) {}

  /// Binds the body's inputs from `first` on.
  void enter(size_t first, std::vector<ImportedValue> values);
  /// Reads the body's outputs from `first` on; false if an output is missing.
  bool leave(size_t first, std::vector<ImportedValue> &values);
  /// Appends the body's outputs from `first` on, a row per iteration.
  bool keep(size_t first);
  /// Concatenates the rows along their axes, reversed where the direction says so, as the loop's
  /// outputs from `first` on.
  void concatenateRows(size_t first, ArrayRef<int64_t> axes, ArrayRef<int64_t> directions);

private:
  OpBuilder &b;
  Converter &loop;
  const Graph &body;
  Scope &scope;
  std::vector<SmallVector<Value>> rows;
};
} // namespace

void LoopIterations::enter(size_t first, std::vector<ImportedValue> values) {
  for (auto [i, value] : llvm::enumerate(values))
    scope[body.inputs[first + i].name] = std::move(value);
}

bool LoopIterations::leave(size_t first, std::vector<ImportedValue> &values) {
  std::vector<ImportedValue> next;
  for (size_t i = 0; i < values.size(); ++i) {
    auto found = scope.find(body.outputs[first + i].name);
    if (found == scope.end())
      return false;
    next.push_back(found->second);
  }
  values = std::move(next);
  return true;
}

bool LoopIterations::keep(size_t first) {
  rows.resize(body.outputs.size() - first);
  for (size_t i = 0; i < rows.size(); ++i) {
    Node node = valueOf(body.outputs[first + i].name);
    Value value = Converter(b, node, loop.opset, scope).in(0);
    if (!value)
      return loop.fail("expected a value '" + node.inputs[0] + "' of the body");
    rows[i].push_back(value);
  }
  return true;
}

void LoopIterations::concatenateRows(size_t first, ArrayRef<int64_t> axes,
                                     ArrayRef<int64_t> directions) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!loop.wants(first + i))
      continue;
    int64_t axis =
        loop.axis(i < axes.size() ? axes[i] : 0, Converter::shapeOf(rows[i].front()).size() + 1);
    if (axis < 0)
      return;
    if (i < directions.size() && directions[i])
      std::reverse(rows[i].begin(), rows[i].end());
    for (Value &row : rows[i]) {
      Dims dims(Converter::shapeOf(row));
      dims.insert(dims.begin() + axis, 1);
      row = loop.reshape(row, dims);
    }
    loop.set(first + i, loop.concat(rows[i], axis));
  }
}

bool Nodes::convertBody(OpBuilder &b, const Graph &body, Scope &scope) {
  for (const Tensor &tensor : body.initializers)
    if (auto literal = readLiteral(tensor)) {
      ImportedValue &known = scope[tensor.name];
      known = ImportedValue();
      known.type = literal->type;
      known.dims = literal->dims;
      known.literal = std::make_shared<const Literal>(std::move(*literal));
    }
  std::vector<const Node *> inner;
  for (const Node &each : body.nodes)
    inner.push_back(&each);
  checkKinds(inner);
  size_t before = faults.size();
  convert(b, inner, scope);
  return faults.size() == before && llvm::none_of(body.outputs, [&](const ValueInfo &output) {
           return missing.contains(output.name);
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

static bool checkTimes(Converter &c, const Graph &body, int64_t times) {
  int64_t most = std::min(mostTimes, mostRepeated / std::max<int64_t>(body.nodes.size(), 1));
  if (times <= most)
    return true;
  return c.fail("expected at most " + Twine(most) + " rounds of " + Twine(body.nodes.size()) +
                " nodes, but got " + Twine(times));
}

static std::vector<ImportedValue> knownOf(const Node &node, size_t first, size_t count,
                                          const Scope &scope) {
  std::vector<ImportedValue> values;
  for (size_t i = first; i < first + count; ++i)
    values.push_back(scope.lookup(node.inputs[i]));
  return values;
}

// ---- Loop ----

/// Whether another iteration follows; nothing, with a fault recorded, if the condition is unknown
/// at import.
static std::optional<bool> isTrue(Converter &c, const ImportedValue *condition) {
  if (!condition)
    return true;
  if (condition->literal && condition->literal->count() == 1)
    return condition->literal->integer(0) != 0;
  c.fail("expected a number of rounds and a condition that follow from the shapes of the model's "
         "inputs");
  return std::nullopt;
}

static const ImportedValue *knownAs(const Scope &scope, StringRef name) {
  auto found = scope.find(name);
  return found == scope.end() ? nullptr : &found->second;
}

/// Converts Loop. Inputs: limit, condition, carried values; the body gets the iteration number, the
/// condition and carried values, and returns the condition, carried values and rows.
void Nodes::convertLoop(OpBuilder &b, Converter &c, Scope &scope) {
  const Node &node = c.node;
  int64_t carried = int64_t(node.inputs.size()) - 2;
  const Graph *body = carried < 0 ? nullptr : bodyOf(c, 2 + carried, 1 + carried);
  int64_t times = mostTimes + 1;
  if (c.has(0)) {
    auto limit = c.numbers(0, "a number of rounds");
    if (!limit || limit->size() != 1)
      return;
    times = std::min(limit->front(), times);
  }
  auto goes = isTrue(c, c.has(1) ? knownAs(scope, node.inputs[1]) : nullptr);
  if (!body || !goes)
    return;
  LoopIterations rounds(b, c, *body, scope);
  std::vector<ImportedValue> values = knownOf(node, 2, carried, scope);
  int64_t round = 0;
  for (; *goes && round < times; ++round) {
    if (!checkTimes(c, *body, round + 1))
      return;
    auto numberOf = [](Literal literal) {
      ImportedValue known;
      known.type = literal.type;
      known.literal = std::make_shared<const Literal>(std::move(literal));
      return known;
    };
    rounds.enter(
        0, {numberOf(Literal::scalar(round)), numberOf(Literal::scalar(onnx::Type::Bool, 1.0))});
    rounds.enter(2, values);
    if (!repeat(c, body->nodes.size() + 1) || !convertBody(b, *body, scope) ||
        !rounds.keep(1 + carried) || !rounds.leave(1, values)) {
      c.fail("the body cannot be imported");
      return;
    }
    goes = isTrue(c, knownAs(scope, body->outputs[0].name));
    if (!goes)
      return;
  }
  for (int64_t i = 0; i < carried; ++i)
    if (c.wants(i))
      scope[node.outputs[i]] = values[i];
  rounds.concatenateRows(carried, {}, {});
  noteWrittenOut(node, round);
}

// ---- Scan ----

/// Converts Scan. Inputs: carried values and sequences, of which the body gets an element per
/// iteration.
void Nodes::convertScan(OpBuilder &b, Converter &c, Scope &scope) {
  const Node &node = c.node;
  int64_t sequences = c.integer("num_scan_inputs", 0);
  int64_t carried = int64_t(node.inputs.size()) - sequences;
  if (c.opset < 9 || sequences < 1 || carried < 0) {
    c.fail("expected opset 9 or later, and at least one sequence");
    return;
  }
  const Graph *body = bodyOf(c, carried + sequences, carried);
  Dims axes = c.ints("scan_input_axes").value_or(Dims());
  Dims directions = c.ints("scan_input_directions").value_or(Dims());
  axes.resize(sequences, 0);
  directions.resize(sequences, 0);
  for (int64_t i = 0; i < sequences; ++i)
    if ((axes[i] = c.axis(axes[i], c.rank(carried + i))) < 0)
      return;
  if (!body)
    return;
  int64_t times = c.dims(carried)[axes[0]];
  if (!checkTimes(c, *body, times))
    return;
  LoopIterations rounds(b, c, *body, scope);
  std::vector<ImportedValue> values = knownOf(node, 0, carried, scope);
  for (int64_t round = 0; round < times; ++round) {
    rounds.enter(0, values);
    for (int64_t i = 0; i < sequences; ++i) {
      Dims dims(c.dims(carried + i));
      if (dims[axes[i]] != times) {
        c.fail("expected sequences of one length");
        return;
      }
      dims.erase(dims.begin() + axes[i]);
      int64_t at = directions[i] ? times - 1 - round : round;
      Node element = valueOf("", body->inputs[carried + i].name);
      Value part = c.reshape(c.take(c.in(carried + i), axes[i], Dims{at}), dims);
      if (!part)
        return;
      Converter(b, element, c.opset, scope).set(0, part);
    }
    if (!repeat(c, body->nodes.size() + 1) || !convertBody(b, *body, scope) ||
        !rounds.keep(carried) || !rounds.leave(0, values)) {
      c.fail("the body cannot be imported");
      return;
    }
  }
  for (int64_t i = 0; i < carried; ++i)
    if (c.wants(i))
      scope[node.outputs[i]] = values[i];
  rounds.concatenateRows(carried, c.ints("scan_output_axes").value_or(Dims()),
                         c.ints("scan_output_directions").value_or(Dims()));
  noteWrittenOut(node, times);
}
