// Nodes of a function, in topological order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/GraphSlice.h"
#include "ampc/Support/Mistake.h"
#include "llvm/ADT/DenseMap.h"

using namespace ampc::onnx;
using llvm::StringRef;

/// Name in quotes, cut at a length: names in some files are very long.
static std::string quoted(StringRef name) {
  constexpr size_t most = 200;
  return "'" + name.take_front(most).str() + (name.size() > most ? "...'" : "'");
}

std::string ampc::onnx::nameOf(const Node &node) {
  if (!node.name.empty())
    return quoted(node.name);
  return node.outputs.empty() ? "without a name" : "of " + quoted(node.outputs.front());
}

bool ampc::onnx::isGradient(const Node &node) {
  return node.op == "Gradient" && node.domain == trainingDomain;
}

Producers::Producers(const Graph &graph) {
  for (const ValueInfo &input : graph.inputs)
    given.insert(input.name);
  for (const Tensor &tensor : graph.initializers)
    given.insert(tensor.name);
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      if (!output.empty() && (given.contains(output) || !nodes.try_emplace(output, &node).second))
        again.try_emplace(output, &node);
}

/// Values that a node needs: inputs, outer values read by subgraphs (branches of If), and the
/// differentiated value.
static std::vector<std::string> neededBy(const Node &node) {
  std::vector<std::string> needed = node.inputs;
  if (const Attribute *y = isGradient(node) ? node.find("y") : nullptr)
    needed.push_back(y->text);
  for (const Attribute &attribute : node.attributes) {
    if (!attribute.graph)
      continue;
    llvm::StringSet<> inside;
    for (const ValueInfo &input : attribute.graph->inputs)
      inside.insert(input.name);
    for (const Tensor &tensor : attribute.graph->initializers)
      inside.insert(tensor.name);
    for (const Node &inner : attribute.graph->nodes) {
      for (std::string &input : neededBy(inner))
        if (!input.empty() && !inside.contains(input))
          needed.push_back(std::move(input));
      for (const std::string &output : inner.outputs)
        inside.insert(output);
    }
    for (const ValueInfo &output : attribute.graph->outputs)
      if (!inside.contains(output.name))
        needed.push_back(output.name);
  }
  return needed;
}

void ampc::onnx::forgetUnused(Graph &graph, llvm::ArrayRef<std::string> used) {
  llvm::StringSet<> names;
  for (const std::string &name : used)
    names.insert(name);
  for (const ValueInfo &output : graph.outputs)
    names.insert(output.name);
  for (const Node &node : graph.nodes)
    for (const std::string &name : neededBy(node))
      names.insert(name);
  for (Node &node : graph.nodes)
    for (size_t i = 1; i < node.outputs.size(); ++i)
      if (!names.contains(node.outputs[i]))
        node.outputs[i].clear();
  for (Node &node : graph.nodes)
    for (Attribute &attribute : node.attributes)
      if (attribute.graph)
        forgetUnused(*attribute.graph, {});
}

llvm::StringMap<std::string> ampc::onnx::dependentValues(const Slice &slice,
                                                         llvm::ArrayRef<std::string> inputs) {
  llvm::StringMap<std::string> behind;
  for (const std::string &input : inputs)
    behind[input] = input;
  for (const Node *node : slice.nodes)
    for (const std::string &needed : neededBy(*node))
      if (auto found = behind.find(needed); found != behind.end()) {
        for (const std::string &output : node->outputs)
          behind.try_emplace(output, found->second);
        break;
      }
  return behind;
}

/// Topological order by depth-first search with an explicit stack: graphs have chains of a hundred
/// thousand nodes.
llvm::Expected<Slice> Producers::slice(llvm::ArrayRef<std::string> values,
                                       const llvm::StringSet<> &end) const {
  Slice result;
  struct Visit {
    const Node *node;
    std::vector<std::string> needed;
    size_t next = 0;
  };
  llvm::DenseMap<const Node *, bool> isDone;
  std::vector<Visit> stack;
  auto enter = [&](StringRef value, const Node *user) -> llvm::Error {
    if (const Node *other = again.lookup(value))
      return mistake("node " + nameOf(*other) + " (" + other->op +
                     "): expected unique names of results, but another node has a result '" +
                     value + "'");
    const Node *node = find(value);
    if (end.contains(value) || !node) {
      if (!end.contains(value) && !given.contains(value))
        return mistake((user ? "node " + nameOf(*user) + " (" + user->op + ")" : "the model") +
                       ": expected a value '" + value +
                       "', but no node, input or initializer has that name");
      result.inputs.insert(value);
      return llvm::Error::success();
    }
    auto [at, isNew] = isDone.try_emplace(node, false);
    if (isNew)
      stack.push_back({node, neededBy(*node)});
    else if (!at->second)
      return mistake("node " + nameOf(*node) + " (" + node->op +
                     "): expected a graph without cycles, but the node depends on a result of the "
                     "node itself");
    return llvm::Error::success();
  };
  for (const std::string &value : values) {
    if (llvm::Error error = enter(value, nullptr))
      return error;
    while (!stack.empty()) {
      Visit &visit = stack.back();
      const Node *node = visit.node;
      if (visit.next < visit.needed.size()) {
        std::string input = visit.needed[visit.next++];
        if (!input.empty())
          if (llvm::Error error = enter(input, node))
            return error;
        continue;
      }
      isDone[node] = true;
      result.nodes.push_back(node);
      stack.pop_back();
    }
  }
  return result;
}
