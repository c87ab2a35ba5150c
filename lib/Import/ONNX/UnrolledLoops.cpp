// Unrolling of loops whose rounds differ at import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/LoopBody.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
constexpr int64_t mostTimes = 2048; ///< rounds that are written out
} // namespace

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
    if (!value) {
      loop.fail("expected a value '" + node.inputs[0] + "' of the body");
      return false;
    }
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

static bool checkTimes(Converter &c, const Graph &body, int64_t times) {
  int64_t most = std::min(mostTimes, mostRepeated / std::max<int64_t>(body.nodes.size(), 1));
  if (times <= most)
    return true;
  c.fail("expected at most " + Twine(most) + " rounds of " + Twine(body.nodes.size()) +
         " nodes, but got " + Twine(times));
  return false;
}

/// Binds the number of the round and the condition of a Loop.
static void enterRound(LoopIterations &rounds, int64_t round) {
  rounds.enter(0, {knownScalar(Literal::scalar(round)),
                   knownScalar(Literal::scalar(onnx::Type::Bool, 1.0))});
}

static void setCarried(Converter &c, ArrayRef<ImportedValue> values) {
  for (auto [i, value] : llvm::enumerate(values))
    c.set(i, value);
}

/// Round by round, while the condition is true at import.
void Nodes::unrollLoop(OpBuilder &b, Converter &c, const LoopNode &loop, int64_t limit, bool goes,
                       Scope &scope) {
  const Graph &body = *loop.body;
  LoopIterations rounds(b, c, body, scope);
  std::vector<ImportedValue> values = loop.values;
  int64_t round = 0;
  for (; goes && round < limit; ++round) {
    if (!checkTimes(c, body, round + 1))
      return;
    enterRound(rounds, round);
    rounds.enter(loop.firstInput, values);
    if (!repeat(c, body.nodes.size() + 1) || !convertBody(b, body, scope) ||
        !rounds.keep(loop.firstOutput + loop.carried) || !rounds.leave(loop.firstOutput, values)) {
      c.fail("the body cannot be imported");
      return;
    }
    auto next = isTrue(c, knownAs(scope, body.outputs[0].name));
    if (!next)
      return;
    goes = *next;
  }
  setCarried(c, values);
  rounds.concatenateRows(loop.carried, {}, {});
  noteWrittenOut(c.node, round);
}

/// Binds the element of every sequence in a round; false with a fault recorded.
static bool enterElements(OpBuilder &b, Converter &c, const LoopNode &loop, int64_t round,
                          Scope &scope) {
  for (auto [i, axis] : llvm::enumerate(loop.inputAxes)) {
    Dims dims(c.dims(loop.carried + i));
    if (dims[axis] != loop.rounds) {
      c.fail("expected sequences of one length");
      return false;
    }
    dims.erase(dims.begin() + axis);
    int64_t at = loop.inputDirections[i] ? loop.rounds - 1 - round : round;
    Node element = valueOf("", loop.body->inputs[loop.firstInput + loop.carried + i].name);
    Value part = c.reshape(c.take(c.in(loop.carried + i), axis, Dims{at}), dims);
    if (!part)
      return false;
    Converter(b, element, c.opset, scope).set(0, part);
  }
  return true;
}

void Nodes::unrollScan(OpBuilder &b, Converter &c, const LoopNode &loop, Scope &scope) {
  const Graph &body = *loop.body;
  if (!checkTimes(c, body, loop.rounds))
    return;
  LoopIterations rounds(b, c, body, scope);
  std::vector<ImportedValue> values = loop.values;
  for (int64_t round = 0; round < loop.rounds; ++round) {
    rounds.enter(0, values);
    if (!enterElements(b, c, loop, round, scope))
      return;
    if (!repeat(c, body.nodes.size() + 1) || !convertBody(b, body, scope) ||
        !rounds.keep(loop.carried) || !rounds.leave(0, values)) {
      c.fail("the body cannot be imported");
      return;
    }
  }
  setCarried(c, values);
  rounds.concatenateRows(loop.carried, loop.outputAxes, loop.outputDirections);
  noteWrittenOut(c.node, loop.rounds);
}
