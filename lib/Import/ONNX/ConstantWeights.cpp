// Weights in Constant nodes as initializers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantWeights.h"
#include "lib/Import/ONNX/Uses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace ampc::onnx;
using llvm::StringRef;

namespace {
/// Constants that meet a value computed from an input, such as filters of an activation, and not
/// only other constants or shapes, whose arithmetic ends at import.
class MetConstants {
public:
  explicit MetConstants(const Graph &graph);
  bool contains(StringRef value) const { return met.contains(value); }

private:
  void collect(const Graph &graph);
  bool isComputed(const Node &node) const;
  /// Records operands of the node that meet computed values; whether there is a new one.
  bool noteMeeting(const Node &node);

  std::vector<const Node *> nodes; ///< of all graphs, operands first
  llvm::StringSet<> computed;      ///< values that depend on an input, but for its shape
  llvm::StringSet<> met;
};

class Lifter {
public:
  explicit Lifter(const Graph &graph) : uses(graph), met(graph) { countNames(graph); }
  void liftFrom(Graph &graph, bool isInner);

  std::vector<Tensor> lifted;

private:
  void countNames(const Graph &graph);
  bool isWeight(const Tensor &tensor) const;
  void lift(Graph &graph, Tensor tensor, bool isInner);

  Uses uses;
  MetConstants met;
  llvm::StringMap<int> named; ///< values of each name in all graphs
};
} // namespace

/// Whether the operand is a setting of the node, which has to be known at import.
static bool isSetting(const Use &use) {
  static const StringRef ops[] = {"Resize", "Upsample", "OneHot", "Pad", "Range", "Dropout"};
  return use.input > 0 && llvm::is_contained(ops, StringRef(use.op));
}

void Lifter::countNames(const Graph &graph) {
  for (const ValueInfo &input : graph.inputs)
    ++named[input.name];
  for (const Tensor &tensor : graph.initializers)
    ++named[tensor.name];
  for (const Node &node : graph.nodes) {
    for (const std::string &output : node.outputs)
      ++named[output];
    for (const Attribute &attribute : node.attributes)
      if (attribute.graph)
        countNames(*attribute.graph);
  }
}

void MetConstants::collect(const Graph &graph) {
  for (const ValueInfo &input : graph.inputs)
    computed.insert(input.name);
  for (const Node &node : graph.nodes) {
    for (const Attribute &attribute : node.attributes)
      if (attribute.graph)
        collect(*attribute.graph);
    nodes.push_back(&node);
  }
}

/// Results of If and loops count as computed.
bool MetConstants::isComputed(const Node &node) const {
  if (node.op == "Shape" || node.op == "Size")
    return false;
  return llvm::any_of(node.inputs,
                      [&](const std::string &input) { return computed.contains(input); }) ||
         llvm::any_of(node.attributes,
                      [](const Attribute &attribute) { return bool(attribute.graph); });
}

bool MetConstants::noteMeeting(const Node &node) {
  bool isMet = isComputed(node) || llvm::any_of(node.outputs, [&](const std::string &output) {
                 return met.contains(output);
               });
  bool isNew = false;
  for (size_t i = 0; isMet && i < node.inputs.size(); ++i)
    if (!isSetting({node.op, node.domain, i}))
      isNew |= met.insert(node.inputs[i]).second;
  return isNew;
}

MetConstants::MetConstants(const Graph &graph) {
  collect(graph);
  for (const Tensor &tensor : graph.initializers)
    computed.erase(tensor.name);
  // One pass in order, and one that finds nothing new, unless the file has another order.
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Node *node : nodes)
      if (isComputed(*node))
        for (const std::string &output : node->outputs)
          isNew |= computed.insert(output).second;
  }
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Node *node : llvm::reverse(nodes))
      isNew |= noteMeeting(*node);
  }
}

bool Lifter::isWeight(const Tensor &tensor) const {
  return isReal(tensor.type) && tensor.count > 0 && met.contains(tensor.name) &&
         !isNumber(tensor, uses);
}

/// Renames a value in the operands of the graph and its subgraphs.
static void renameReads(Graph &graph, const std::string &from, const std::string &to) {
  for (Node &node : graph.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
    for (Attribute &attribute : node.attributes)
      if (attribute.graph)
        renameReads(*attribute.graph, from, to);
  }
  for (ValueInfo &output : graph.outputs)
    if (output.name == from)
      output.name = to;
}

/// Two branches may have values of one name: the second initializer gets a number.
void Lifter::lift(Graph &graph, Tensor tensor, bool isInner) {
  std::string name = tensor.name;
  if (isInner && named.lookup(name) > 1)
    for (int i = 1; named.count(tensor.name); ++i)
      tensor.name = name + "." + std::to_string(i);
  if (tensor.name != name) {
    named[tensor.name] = 1;
    renameReads(graph, name, tensor.name);
  }
  lifted.push_back(std::move(tensor));
}

static const Tensor *tensorOf(const Node &node) {
  const Attribute *value = node.op == "Constant" && node.domain.empty() && node.outputs.size() == 1
                               ? node.find("value")
                               : nullptr;
  return value && value->kind == Attribute::Tensor ? &value->tensor : nullptr;
}

void Lifter::liftFrom(Graph &graph, bool isInner) {
  for (Node &node : graph.nodes)
    for (Attribute &attribute : node.attributes)
      if (attribute.graph)
        liftFrom(*attribute.graph, true);
  std::vector<Tensor> weights;
  llvm::erase_if(graph.nodes, [&](const Node &node) {
    const Tensor *tensor = tensorOf(node);
    if (!tensor)
      return false;
    Tensor weight = *tensor;
    weight.name = node.outputs[0];
    bool isLifted = isWeight(weight);
    if (isLifted)
      weights.push_back(std::move(weight));
    return isLifted;
  });
  if (isInner)
    llvm::erase_if(graph.initializers, [&](const Tensor &tensor) {
      bool isLifted = isWeight(tensor);
      if (isLifted)
        weights.push_back(tensor);
      return isLifted;
    });
  for (Tensor &weight : weights)
    lift(graph, std::move(weight), isInner);
}

void ampc::onnx::liftWeights(Model &model) {
  if (model.producer == "pytorch")
    return;
  Lifter lifter(model.graph);
  lifter.liftFrom(model.graph, false);
  std::move(lifter.lifted.begin(), lifter.lifted.end(),
            std::back_inserter(model.graph.initializers));
}
