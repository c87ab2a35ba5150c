// Loops whose condition follows from carried integers, as TensorFlow's `while_loop` has them: the
// number of rounds, the counters, and tensors that a counter indexes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/LoopBody.h"
#include "mlir-dialects/Train/Ops/Loops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

bool ampc::onnx::isCounter(const LoopNode &loop, int64_t i) {
  return llvm::any_of(loop.counters,
                      [&](const LoopCounter &counter) { return counter.carried == i; });
}

/// Number of the carried value that is an input of the body; -1 for other names.
static int64_t carriedOf(const LoopNode &loop, StringRef name) {
  for (int64_t i = 0; i < loop.carried; ++i)
    if (loop.body->inputs[loop.firstInput + i].name == name)
      return i;
  return -1;
}

// ---- The condition alone ----

namespace {
/// Slice of a Loop's condition: nodes of the body, and carried values with the nodes of their next
/// values.
struct ConditionSlice {
  llvm::DenseSet<const Node *> nodes;
  SmallVector<int64_t> carried;
};
} // namespace

static ConditionSlice sliceOf(const LoopNode &loop) {
  llvm::StringMap<const Node *> makers;
  for (const Node &node : loop.body->nodes)
    for (const std::string &output : node.outputs)
      makers[output] = &node;
  ConditionSlice slice;
  SmallVector<std::string> open = {loop.body->outputs[0].name};
  while (!open.empty()) {
    std::string name = open.pop_back_val();
    int64_t i = carriedOf(loop, name);
    if (i >= 0 && !llvm::is_contained(slice.carried, i)) {
      slice.carried.push_back(i);
      open.push_back(loop.body->outputs[loop.firstOutput + i].name);
    }
    const Node *maker = makers.lookup(name);
    if (maker && slice.nodes.insert(maker).second)
      llvm::append_range(open, maker->inputs);
  }
  return slice;
}

/// A known integer of rank 0.
static std::optional<int64_t> integerOf(const ImportedValue *value) {
  if (!value || !value->literal || value->literal->isReal() || !value->literal->dims.empty())
    return std::nullopt;
  return value->literal->integer(0);
}

namespace {
/// Carried values of the condition from round to round.
class ConditionRounds {
public:
  ConditionRounds(const LoopNode &loop, const ConditionSlice &slice, Scope &scope)
      : loop(loop), slice(slice), scope(scope) {
    for (int64_t i : slice.carried)
      values.push_back(loop.values[i]);
  }
  /// Binds the body's inputs.
  void enter(int64_t round);
  /// Reads the next carried values; false if a value is unknown.
  bool leave();
  /// Integers whose steps were equal in all rounds.
  std::vector<LoopCounter> counters() const;

private:
  void noteSteps(const std::vector<ImportedValue> &next);

  const LoopNode &loop;
  const ConditionSlice &slice;
  Scope &scope;
  std::vector<ImportedValue> values;
  std::vector<std::optional<int64_t>> steps; ///< empty where steps differ
};
} // namespace

void ConditionRounds::enter(int64_t round) {
  scope[loop.body->inputs[0].name] = knownScalar(Literal::scalar(round));
  scope[loop.body->inputs[1].name] = knownScalar(Literal::scalar(onnx::Type::Bool, 1.0));
  for (auto [i, value] : llvm::zip(slice.carried, values))
    scope[loop.body->inputs[loop.firstInput + i].name] = value;
}

void ConditionRounds::noteSteps(const std::vector<ImportedValue> &next) {
  bool isFirst = steps.empty();
  steps.resize(values.size());
  for (auto [before, after, step] : llvm::zip(values, next, steps)) {
    auto from = integerOf(&before), to = integerOf(&after);
    // Differences of a hostile file's integers wrap around.
    std::optional<int64_t> made =
        from && to ? std::optional(int64_t(uint64_t(*to) - uint64_t(*from))) : std::nullopt;
    step = isFirst || step == made ? made : std::nullopt;
  }
}

bool ConditionRounds::leave() {
  std::vector<ImportedValue> next;
  for (int64_t i : slice.carried) {
    const ImportedValue *value = knownAs(scope, loop.body->outputs[loop.firstOutput + i].name);
    if (!value || !value->literal)
      return false;
    next.push_back(*value);
  }
  noteSteps(next);
  values = std::move(next);
  return true;
}

std::vector<LoopCounter> ConditionRounds::counters() const {
  std::vector<LoopCounter> counters;
  for (auto [i, step, last] : llvm::zip(slice.carried, steps, values))
    if (step && !isUnchanged(loop, i))
      counters.push_back({i, *integerOf(&loop.values[i]), *step, *integerOf(&last)});
  return counters;
}

// ---- Rows by the counter ----

ImportedValue ampc::onnx::readData(const LoopNode &loop, const Node &read, const Scope &scope) {
  int64_t i = carriedOf(loop, read.inputs[0]);
  return i < 0 ? scope.lookup(read.inputs[0]) : loop.values[i];
}

/// Whether a name is the number of the round: the first input of the body, or a counter from 0 in
/// steps of 1.
static bool isRound(const LoopNode &loop, StringRef name) {
  int64_t i = carriedOf(loop, name);
  return name == loop.body->inputs[0].name ||
         llvm::any_of(loop.counters, [&](const LoopCounter &counter) {
           return counter.carried == i && counter.first == 0 && counter.step == 1;
         });
}

/// Nodes Gather that read row `round` of a tensor [rounds, ...] that the body does not change.
static std::vector<const Node *> rowReadsOf(const LoopNode &loop, const Scope &scope) {
  llvm::StringSet<> made;
  for (const Node &node : loop.body->nodes)
    for (const std::string &output : node.outputs)
      made.insert(output);
  std::vector<const Node *> reads;
  for (const Node &node : loop.body->nodes) {
    const onnx::Attribute *axis = node.op == "Gather" ? node.find("axis") : nullptr;
    if (node.op != "Gather" || node.inputs.size() != 2 || made.contains(node.inputs[0]) ||
        (axis && axis->integer != 0) || !isRound(loop, node.inputs[1]))
      continue;
    int64_t i = carriedOf(loop, node.inputs[0]);
    ImportedValue data = readData(loop, node, scope);
    if ((i < 0 || isUnchanged(loop, i)) && !data.dims.empty() && data.dims[0] == loop.rounds)
      reads.push_back(&node);
  }
  return reads;
}

// ---- Rounds ----

/// Limit of converted nodes in the conditions of all loops: seconds.
constexpr int64_t mostCounted = 1 << 18;

bool Nodes::countRounds(OpBuilder &b, Converter &c, LoopNode &loop, int64_t limit,
                        const Scope &scope) {
  ConditionSlice slice = sliceOf(loop);
  if (slice.carried.empty())
    return false;
  auto isSkipped = [&](const Node &node) { return !slice.nodes.contains(&node); };
  Scope inner = scope;
  declareInitializers(*loop.body, inner);
  ConditionRounds rounds(loop, slice, inner);
  Record before = record;
  ScopedDiagnosticHandler handler(b.getContext(), [](Diagnostic &) { return success(); });
  Block scratch; // nodes of the condition have known values; emitted ops are dropped
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&scratch);
  bool goes = true, isKnown = true;
  int64_t round = 0;
  for (; goes && isKnown && round < limit; ++round) {
    rounds.enter(round);
    counted += slice.nodes.size() + 1;
    isKnown = counted <= mostCounted && convertBodyNodes(b, *loop.body, inner, isSkipped) &&
              rounds.leave();
    const ImportedValue *condition = knownAs(inner, loop.body->outputs[0].name);
    isKnown &= condition && condition->literal && condition->literal->count() == 1;
    goes = isKnown && condition->literal->integer(0) != 0;
  }
  record = std::move(before);
  c.fault.clear();
  scratch.dropAllReferences();
  if (!isKnown)
    return false;
  loop.rounds = round;
  loop.isCounted = true;
  loop.counters = rounds.counters();
  loop.rowReads = rowReadsOf(loop, scope);
  return true;
}
