// Sizes beside the number of rows that stay open in an exported graph.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/OpenSizes.h"
#include "lib/Export/ONNX/SizeValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace ampc;
using namespace ampc::exporting;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
class Joiner {
public:
  Joiner(llvm::MutableArrayRef<ProbeGraph> probes, ArrayRef<std::string> names);
  std::string join();

private:
  bool joinShapes(std::vector<ValueInfo> Model::*values, bool areInputs);
  bool joinNode(size_t number);
  /// Constants that the probes' nodes read as input i; nothing if some read other values, which
  /// must be the same.
  std::optional<Arrays> constantsOf(size_t number, size_t i);
  void forgetUnread();

  llvm::MutableArrayRef<ProbeGraph> probes;
  Model result;
  SizeValues values;
  SmallVector<std::vector<const Node *>, 4> nodes;          ///< of each probe, without constants
  SmallVector<llvm::StringMap<const Array *>, 4> constants; ///< of each probe
  SmallVector<llvm::StringMap<std::string>, 4> same; ///< names of a probe -> names of the first
  llvm::StringMap<size_t> positions; ///< of the first graph's nodes, by the first result
};
} // namespace

static const Array *constantOf(const Node &node) {
  return node.op == "Constant" ? std::get_if<Array>(&node.attributes[0].value) : nullptr;
}

Joiner::Joiner(llvm::MutableArrayRef<ProbeGraph> probes, ArrayRef<std::string> names)
    : probes(probes), result(probes[0].graph), values(probes, names, result) {
  for (const ProbeGraph &probe : probes) {
    auto &known = constants.emplace_back();
    auto &made = nodes.emplace_back();
    auto &renamed = same.emplace_back();
    for (const NamedArray &initializer : probe.graph.initializers)
      known[initializer.name] = &initializer.array;
    for (const Node &node : probe.graph.nodes)
      if (const Array *array = constantOf(node))
        known[node.outputs[0]] = array;
      else
        made.push_back(&node);
    for (const ValueInfo &input : probe.graph.inputs)
      renamed[input.name] = input.name;
  }
  for (auto [i, node] : llvm::enumerate(result.nodes))
    positions[node.outputs[0]] = i;
}

// ---- Nodes ----

static bool isEqual(const NodeAttribute &a, const NodeAttribute &b) {
  if (a.name != b.name || a.value.index() != b.value.index())
    return false;
  if (auto *array = std::get_if<Array>(&a.value))
    return isEqual(*array, std::get<Array>(b.value));
  return std::visit(
      [&](const auto &value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Array>)
          return false;
        else
          return value == std::get<Value>(b.value);
      },
      a.value);
}

static bool haveOneForm(const Node &a, const Node &b) {
  return a.op == b.op && a.inputs.size() == b.inputs.size() &&
         a.outputs.size() == b.outputs.size() && a.attributes.size() == b.attributes.size() &&
         llvm::all_of(llvm::zip(a.attributes, b.attributes),
                      [](auto pair) { return isEqual(std::get<0>(pair), std::get<1>(pair)); });
}

std::optional<Arrays> Joiner::constantsOf(size_t number, size_t i) {
  Arrays arrays;
  const std::string &first = nodes[0][number]->inputs[i];
  for (size_t probe = 0; probe < probes.size(); ++probe) {
    const std::string &name = nodes[probe][number]->inputs[i];
    if (const Array *array = constants[probe].lookup(name))
      arrays.push_back(array);
    else if (probe > 0 && same[probe].lookup(name) != first)
      return std::nullopt;
  }
  bool isOneKind = arrays.empty() || arrays.size() == probes.size();
  return isOneKind ? std::optional(arrays) : std::nullopt;
}

/// Joins node `number` of all probes; the first probe's node gets the inputs that differ.
bool Joiner::joinNode(size_t number) {
  const Node &first = *nodes[0][number];
  for (size_t probe = 1; probe < probes.size(); ++probe) {
    const Node &other = *nodes[probe][number];
    if (!haveOneForm(first, other))
      return false;
    for (auto [mine, theirs] : llvm::zip(first.outputs, other.outputs))
      same[probe][theirs] = mine;
  }
  Node &made = result.nodes[positions.lookup(first.outputs[0])];
  for (size_t i = 0; i < first.inputs.size(); ++i) {
    std::optional<Arrays> arrays = constantsOf(number, i);
    if (!arrays)
      return false;
    if (llvm::all_of(*arrays,
                     [&](const Array *array) { return isEqual(*arrays->front(), *array); }))
      continue;
    bool isShape = first.op == "Reshape" && i == 1;
    std::string name = isShape ? values.joinedShape(*arrays) : values.joined(*arrays);
    if (name.empty())
      return false;
    made.inputs[i] = name;
  }
  return true;
}

/// Symbols for dimensions that differ. A dimension of a result that has no formula, such as half
/// the width rounded up, has neither number nor name.
bool Joiner::joinShapes(std::vector<ValueInfo> Model::*kind, bool areInputs) {
  for (auto [i, value] : llvm::enumerate(result.*kind))
    for (auto [at, own] : llvm::enumerate(value.dims)) {
      auto dims = llvm::map_to_vector(probes, [&, i = i, at = at](const ProbeGraph &probe) {
        return (probe.graph.*kind)[i].dims[at];
      });
      auto hasSymbol = [](const Dim &dim) { return !dim.symbol.empty(); };
      bool isOfRows = llvm::any_of(dims, hasSymbol);
      bool isOneSymbol =
          llvm::all_of(dims, [&](const Dim &dim) { return dim.symbol == dims[0].symbol; });
      auto formula =
          values.formulaOf(llvm::map_to_vector(dims, [](const Dim &dim) { return dim.size; }));
      bool isFixed = formula && formula->sizes.empty();
      if (isOneSymbol && (isOfRows || isFixed))
        continue;
      bool isOpen = formula && !isFixed && !isOfRows;
      if (areInputs && !isOpen)
        return false;
      own = isOpen ? Dim{own.size, values.textOf(*formula)} : Dim{-1, ""};
      if (areInputs && formula->isSize())
        values.bind(formula->sizes[0], value.name, int64_t(at));
    }
  return true;
}

/// Drops constants that no node reads any more.
void Joiner::forgetUnread() {
  llvm::StringSet<> read;
  for (const Node &node : result.nodes)
    for (const std::string &input : node.inputs)
      read.insert(input);
  for (const ValueInfo &output : result.outputs)
    read.insert(output.name);
  llvm::erase_if(result.initializers,
                 [&](const NamedArray &each) { return !read.contains(each.name); });
  llvm::erase_if(result.nodes, [&](const Node &node) {
    return constantOf(node) && !read.contains(node.outputs[0]);
  });
}

std::string Joiner::join() {
  for (const ProbeGraph &probe : probes)
    if (probe.graph.inputs.size() != result.inputs.size() ||
        probe.graph.outputs.size() != result.outputs.size())
      return "the model has other inputs or results with another number";
  if (!joinShapes(&Model::inputs, /*areInputs=*/true))
    return "an input dimension has no formula of open sizes";
  if (std::string name = values.unbound(); !name.empty())
    return "no input has the size " + name + " in the model";
  for (const auto &made : nodes)
    if (made.size() != nodes[0].size())
      return "the graph has other nodes with another number";
  for (size_t number = 0; number < nodes[0].size(); ++number)
    if (!joinNode(number))
      return "node " + nodes[0][number]->name + " (" + nodes[0][number]->op +
             ") has other constants or attributes with another number";
  if (!joinShapes(&Model::outputs, /*areInputs=*/false))
    return "a result has another form with another number";
  std::vector<Node> &added = values.added;
  result.nodes.insert(result.nodes.begin(), added.begin(), added.end());
  forgetUnread();
  probes[0].graph = std::move(result);
  return "";
}

std::string exporting::openSizes(llvm::MutableArrayRef<ProbeGraph> probes,
                                 ArrayRef<std::string> names) {
  return Joiner(probes, names).join();
}
