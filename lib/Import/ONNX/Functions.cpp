// Inlining of the file's local functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Functions.h"
#include "lib/Import/ONNX/GraphSlice.h"
#include "llvm/ADT/STLExtras.h"

using namespace ampc::onnx;

namespace {
constexpr int deepest = 50;
constexpr size_t mostNodes = 1 << 20;
constexpr size_t mostBytes = 1 << 28; ///< of names, which grow with each call

class Expander {
public:
  explicit Expander(const std::vector<Function> &functions) {
    for (const Function &function : functions)
      table[{function.domain, function.name}] = &function;
  }
  void add(Node node, int depth);

  std::vector<Node> nodes;
  std::string fault;

private:
  size_t added = 0, bytes = 0;
  using Names = std::map<std::string, std::string>;
  void expand(const Node &call, const Function &function, int depth);
  static void rename(Node &node, const Names &names, const std::string &prefix);

  std::map<std::pair<std::string, std::string>, const Function *> table;
};
} // namespace

/// Renames values of the function: inner values get the call's name as prefix, inputs and outputs
/// the caller's names.
void Expander::rename(Node &node, const Names &names, const std::string &prefix) {
  auto change = [&](std::string &name) {
    auto found = names.find(name);
    if (!name.empty())
      name = found == names.end() ? prefix + name : found->second;
  };
  for (std::string &name : node.inputs)
    change(name);
  for (std::string &name : node.outputs)
    change(name);
  for (Attribute &attribute : node.attributes) {
    if (isGradient(node)) {
      change(attribute.text);
      llvm::for_each(attribute.texts, change);
    }
    if (!attribute.graph)
      continue;
    attribute.graph = std::make_shared<Graph>(*attribute.graph);
    for (ValueInfo &input : attribute.graph->inputs)
      change(input.name);
    for (Node &inner : attribute.graph->nodes)
      rename(inner, names, prefix);
    for (Tensor &tensor : attribute.graph->initializers)
      change(tensor.name);
    for (ValueInfo &output : attribute.graph->outputs)
      change(output.name);
  }
}

void Expander::expand(const Node &call, const Function &function, int depth) {
  Names names;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : "";
  for (size_t i = 0; i < function.outputs.size(); ++i)
    if (i < call.outputs.size() && !call.outputs[i].empty())
      names[function.outputs[i]] = call.outputs[i];
  std::string prefix =
      (call.name.empty() && !call.outputs.empty() ? call.outputs[0] : call.name) + "/";
  for (Node node : function.nodes) {
    if (!fault.empty())
      return;
    rename(node, names, prefix);
    node.name = prefix + node.name;
    std::vector<Attribute> attributes;
    for (Attribute &attribute : node.attributes) {
      if (attribute.refersTo.empty()) {
        attributes.push_back(std::move(attribute));
      } else if (const Attribute *given = call.find(attribute.refersTo)) {
        attributes.push_back(*given);
        attributes.back().name = attribute.name;
      }
    }
    node.attributes = std::move(attributes);
    add(std::move(node), depth + 1);
  }
}

void Expander::add(Node node, int depth) {
  auto found = table.find({node.domain, node.op});
  bytes += node.name.size();
  for (const std::string &name : node.outputs)
    bytes += name.size();
  if (depth > deepest || ++added > mostNodes || bytes > mostBytes)
    fault = "expected functions nested at most " + std::to_string(deepest) +
            " deep, with at most a million nodes in all and names of 256 MiB";
  if (!fault.empty())
    return;
  if (found == table.end())
    nodes.push_back(std::move(node));
  else
    expand(node, *found->second, depth);
}

std::string ampc::onnx::expandFunctions(Model &model) {
  if (model.functions.empty())
    return "";
  Expander expander(model.functions);
  for (Node &node : model.graph.nodes)
    expander.add(std::move(node), 0);
  model.graph.nodes = std::move(expander.nodes);
  return expander.fault;
}
