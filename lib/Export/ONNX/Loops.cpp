// Loops as nodes Scan, whose bodies read values of the graph around the loop by their names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Loops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

namespace {
/// Writes one loop.
class LoopWriter {
public:
  LoopWriter(Emitter &e, train::ScanOp scan)
      : e(e), scan(scan), next(scan.getNext()),
        hasPositions(scan.getIndex() || scan.getSequences().empty()) {}
  void run(llvm::function_ref<void(Block &)> emitBlock);

private:
  std::vector<std::string> inputs();
  void addInput(Body &body, Value argument, std::optional<BatchLayout> rows);
  void addInputs(Body &body);
  void addOutputs(Body &body);
  std::string resultOf(const Body &body, Value value);
  std::vector<NodeAttribute> attributesWith(std::shared_ptr<Body> body);
  void bindResults(ArrayRef<std::string> names);
  std::optional<BatchLayout> rowOfRound(Value sequence);
  void mixRows() { e.mixesRows = e.mixesRows ? e.mixesRows : scan; }

  Emitter &e;
  train::ScanOp scan;
  train::NextOp next;
  bool hasPositions; ///< the numbers of the rows are a sequence; Scan needs at least one
};
} // namespace

static bool areEqual(std::optional<BatchLayout> a, std::optional<BatchLayout> b) {
  return a.has_value() == b.has_value() && (!a || (a->dim == b->dim && a->outer == b->outer));
}

/// Carried values first, then sequences.
std::vector<std::string> LoopWriter::inputs() {
  std::vector<std::string> names;
  for (Value operand : scan->getOperands()) {
    e.repeat(operand);
    names.push_back(e.in(operand));
  }
  if (hasPositions)
    names.push_back(e.positions(scan.getRounds(), 0, 1));
  return names;
}

void LoopWriter::addInput(Body &body, Value argument, std::optional<BatchLayout> rows) {
  std::string name = e.uniqueHere("row");
  e.bind(argument, {name, identity(Emitter::rankOf(argument)), nullptr, rows});
  body.inputs.push_back(e.describe(argument, name));
}

/// Batch dimension of a row of the sequence. A loop over the rows of the batch mixes rows.
std::optional<BatchLayout> LoopWriter::rowOfRound(Value sequence) {
  std::optional<BatchLayout> rows = e.trace(sequence).rows;
  if (rows && --rows->dim < 0) {
    mixRows();
    return std::nullopt;
  }
  return rows;
}

void LoopWriter::addInputs(Body &body) {
  for (auto [argument, init] : llvm::zip(scan.getCarried(), scan.getInits()))
    addInput(body, argument, e.trace(init).rows);
  for (auto [argument, sequence] : llvm::zip(scan.getRows(), scan.getSequences()))
    addInput(body, argument, rowOfRound(sequence));
  if (Value index = scan.getIndex())
    addInput(body, index, std::nullopt);
  else if (hasPositions)
    body.inputs.push_back({e.uniqueHere("row"), Element::I32, {}});
}

/// Name of a node's result in the body: values from outside, arguments and repeated results go
/// through a node Identity.
std::string LoopWriter::resultOf(const Body &body, Value value) {
  e.repeat(value);
  std::string name = e.in(value);
  bool isMade = llvm::any_of(e.model.nodes, [&](const Node &node) {
    return node.op != "Constant" && llvm::is_contained(node.outputs, name);
  });
  bool isTaken = llvm::any_of(body.outputs, [&](auto &output) { return output.name == name; });
  return isMade && !isTaken ? name : e.node("Identity", {name});
}

void LoopWriter::addOutputs(Body &body) {
  e.enter(scan);
  for (auto [argument, passed] : llvm::zip(scan.getCarried(), next.getCarried()))
    if (!areEqual(e.trace(argument).rows, e.trace(passed).rows))
      mixRows();
  for (Value value : next->getOperands())
    body.outputs.push_back(e.describe(value, resultOf(body, value)));
}

/// With `reverse`, sequences run from the last row, and kept values lie where the round's row lies.
std::vector<NodeAttribute> LoopWriter::attributesWith(std::shared_ptr<Body> body) {
  size_t sequences = scan.getSequences().size() + hasPositions;
  std::vector<NodeAttribute> attributes = {{"body", std::move(body)},
                                           {"num_scan_inputs", int64_t(sequences)}};
  if (!scan.getReverse())
    return attributes;
  attributes.push_back({"scan_input_directions", std::vector<int64_t>(sequences, 1)});
  if (size_t kept = next.getEach().size())
    attributes.push_back({"scan_output_directions", std::vector<int64_t>(kept, 1)});
  return attributes;
}

void LoopWriter::bindResults(ArrayRef<std::string> names) {
  size_t carried = next.getCarried().size();
  for (auto [i, result, value] : llvm::enumerate(scan.getResults(), next->getOperands())) {
    std::optional<BatchLayout> rows = e.trace(value).rows;
    if (rows && i >= carried)
      ++rows->dim;
    e.bind(result, {names[i], identity(Emitter::rankOf(result)), nullptr, rows});
  }
}

void LoopWriter::run(llvm::function_ref<void(Block &)> emitBlock) {
  std::vector<std::string> operands = inputs();
  std::shared_ptr<Body> body = e.collect([&](Body &made) {
    addInputs(made);
    emitBlock(scan.getBody().front());
    addOutputs(made);
  });
  e.enter(scan);
  bindResults(e.nodes("Scan", operands, attributesWith(body), scan.getNumResults()));
}

void exporting::emitScan(Emitter &e, train::ScanOp scan,
                         llvm::function_ref<void(Block &)> emitBlock) {
  LoopWriter(e, scan).run(emitBlock);
}
