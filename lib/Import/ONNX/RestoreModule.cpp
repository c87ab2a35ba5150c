// Restoration of a module's parameters that an exporter merged or transposed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/RestoreModule.h"
#include "lib/Import/ONNX/Uses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <cstring>

using namespace ampc::onnx;

namespace {
/// Names of the module's values that the file holds.
class ModuleValues {
public:
  explicit ModuleValues(const Graph &graph) {
    for (const Tensor &tensor : graph.initializers) {
      initializers.insert(tensor.name);
      for (const std::string &name : tensor.computedFrom)
        parts.insert(name);
    }
  }
  bool hasWhole(const std::string &name) const { return initializers.contains(name); }
  /// Whether the file holds the value, or a tensor computed from the value.
  bool has(const std::string &name) const { return hasWhole(name) || parts.contains(name); }

private:
  llvm::StringSet<> initializers, parts;
};
} // namespace

/// Whether all elements are equal. Other tensors are not equal by chance: two layers share a
/// parameter.
static bool isOfOneValue(const Tensor &tensor) {
  int64_t size = bytesOf(tensor.type);
  return tensor.fault.empty() && size > 0 && tensor.count > 0 &&
         std::memcmp(tensor.data, tensor.data + size, size_t(tensor.bytes() - size)) == 0;
}

/// The node's inputs that are parameters or buffers of the module, paired with the names that the
/// op read in the module; nothing if the pairing is ambiguous.
static std::vector<std::pair<std::string *, std::string>>
inputsAndReads(Node &node, const Graph &graph, const ModuleValues &present) {
  std::vector<std::string *> inputs;
  for (std::string &input : node.inputs)
    if (present.hasWhole(input) && (graph.parameters.count(input) || graph.others.count(input)))
      inputs.push_back(&input);
  std::vector<std::string> reads = node.reads;
  if (node.op == "BatchNormalization" && reads.size() < inputs.size()) {
    // A repeated call reads factors, and statistics of the call before.
    inputs.resize(reads.size());
  } else if (reads.size() != inputs.size()) {
    // One op may become several nodes: reads that the file holds belong to the other nodes.
    llvm::erase_if(inputs,
                   [&](const std::string *input) { return llvm::is_contained(reads, *input); });
    llvm::erase_if(reads, [&](const std::string &read) { return present.has(read); });
  }
  std::vector<std::pair<std::string *, std::string>> pairs;
  if (reads.size() == inputs.size())
    for (auto [input, read] : llvm::zip(inputs, reads))
      pairs.emplace_back(input, read);
  return pairs;
}

/// Gives nodes an initializer of their own where the exporter merged equal parameters.
static void splitMergedParameters(Graph &graph, const ModuleValues &present) {
  llvm::StringMap<size_t> numbers; // initializer numbers; new initializers are appended
  for (size_t i = 0; i < graph.initializers.size(); ++i)
    numbers[graph.initializers[i].name] = i;
  for (Node &node : graph.nodes)
    for (auto &[input, read] : inputsAndReads(node, graph, present)) {
      const Tensor &joined = graph.initializers[numbers.lookup(*input)];
      if (*input == read || present.hasWhole(read) || !isOfOneValue(joined))
        continue;
      if (!numbers.contains(read)) {
        Tensor own = joined;
        own.name = read;
        numbers[read] = graph.initializers.size();
        graph.initializers.push_back(std::move(own));
      }
      *input = read;
    }
}

/// Restores statistics of a batch norm that is called again: such a node reads the statistics of
/// the call before, which are no state.
static void restoreStatistics(Graph &graph) {
  llvm::StringMap<std::pair<std::string, std::string>> known; // by the factors
  for (Node &node : graph.nodes) {
    if (node.op != "BatchNormalization" || node.inputs.size() != 5)
      continue;
    std::string &mean = node.inputs[3], &variance = node.inputs[4];
    bool isJoined = graph.parameters.count(mean) || graph.parameters.count(variance);
    if (!isJoined)
      known[node.inputs[1]] = {mean, variance};
    else if (auto found = known.find(node.inputs[1]); found != known.end())
      std::tie(mean, variance) = found->second;
  }
}

/// Visits pairs of element numbers of a matrix and of the transpose, tile by tile; stops when `use`
/// returns false.
template <typename Use> static bool forTransposed(int64_t rows, int64_t columns, Use use) {
  constexpr int64_t tile = 32; // so that both sides stay in a cache
  for (int64_t top = 0; top < rows; top += tile)
    for (int64_t left = 0; left < columns; left += tile)
      for (int64_t i = top; i < std::min(top + tile, rows); ++i)
        for (int64_t j = left; j < std::min(left + tile, columns); ++j)
          if (!use(i * columns + j, j * rows + i))
            return false;
  return true;
}

static Tensor transposed(const Tensor &tensor, Model &model) {
  int64_t size = bytesOf(tensor.type);
  auto bytes = std::make_shared<std::vector<char>>(tensor.bytes());
  forTransposed(tensor.dims[0], tensor.dims[1], [&](int64_t from, int64_t to) {
    std::memcpy(bytes->data() + to * size, tensor.data + from * size, size_t(size));
    return true;
  });
  Tensor result = tensor;
  std::swap(result.dims[0], result.dims[1]);
  result.data = bytes->data();
  model.owners.push_back(std::move(bytes));
  return result;
}

static bool isTransposed(const Tensor &tensor, const Tensor &whole) {
  int64_t size = bytesOf(tensor.type);
  return whole.fault.empty() && whole.type == tensor.type && whole.dims.size() == 2 &&
         whole.dims[0] == tensor.dims[1] && whole.dims[1] == tensor.dims[0] &&
         forTransposed(tensor.dims[0], tensor.dims[1], [&](int64_t at, int64_t there) {
           return std::memcmp(tensor.data + at * size, whole.data + there * size, size_t(size)) ==
                  0;
         });
}

/// Right operands of products that were linear layers -> names of the weights whose transposes the
/// operands are.
static llvm::StringMap<std::string> factorsOfLinear(const Graph &graph) {
  llvm::StringMap<std::string> weights;
  for (const Node &node : graph.nodes)
    if (node.op == "MatMul" && node.inputs.size() == 2 && !node.reads.empty() &&
        node.source == "torch.ops.aten.linear.default")
      weights[node.inputs[1]] = node.reads[0];
  return weights;
}

/// The only parameter from which the tensor was computed, apart from sizes and constants; "" if
/// there is none or several.
static std::string parameterBehind(const Tensor &tensor, const Graph &graph) {
  if (graph.parameters.empty() && graph.others.empty())
    return tensor.computedFrom.size() == 1 ? tensor.computedFrom[0] : "";
  std::string only;
  for (const std::string &name : tensor.computedFrom) {
    if (graph.others.count(name) || (graph.parameters.count(name) && !only.empty()))
      return "";
    if (graph.parameters.count(name))
      only = name;
  }
  return only;
}

/// Whether the exporter expanded the tensor along a batch of fixed size, such as a class token.
static bool isExpanded(const Tensor &tensor) {
  if (tensor.name.compare(0, 6, "expand") != 0 || tensor.dims.size() < 2 || tensor.dims[0] < 2)
    return false;
  int64_t bytes = tensor.bytes() / tensor.dims[0];
  return std::memcmp(tensor.data, tensor.data + bytes, size_t(tensor.bytes() - bytes)) == 0;
}
static Tensor firstOf(const Tensor &tensor) {
  Tensor first = tensor;
  first.count /= first.dims[0];
  first.dims[0] = 1;
  return first;
}

/// Restores weights from the exporter's transposed copies of linear weights, made even if another
/// layer has the weight itself, and from copies per row of expanded tensors.
static void restoreWeights(Model &model) {
  llvm::StringMap<const Tensor *> wholes;
  for (const Tensor &tensor : model.graph.initializers)
    wholes[tensor.name] = &tensor;
  llvm::StringMap<std::string> factors = factorsOfLinear(model.graph);
  std::vector<Tensor> restored;
  llvm::StringSet<> names;
  for (Tensor &tensor : model.graph.initializers) {
    std::string name = parameterBehind(tensor, model.graph);
    if (name.empty() || !tensor.fault.empty() || tensor.bytes() == 0)
      continue;
    const Tensor *whole = wholes.lookup(name);
    bool isRepeated = !whole && isExpanded(tensor);
    if (!isRepeated && (tensor.dims.size() != 2 || (whole ? !isTransposed(tensor, *whole)
                                                          : factors.lookup(tensor.name) != name)))
      continue;
    if (!whole && !names.insert(name).second)
      continue; // another copy, which may have other values
    if (!whole) {
      restored.push_back(isRepeated ? firstOf(tensor) : transposed(tensor, model));
      restored.back().name = name;
      restored.back().computedFrom.clear();
    }
    tensor.original = name;
  }
  std::move(restored.begin(), restored.end(), std::back_inserter(model.graph.initializers));
}

/// Whether the tensor may be a folded transpose: a matrix of real numbers under a name of the
/// exporter, which no note explains. Symmetric matrices equal their transposes without being tied.
static bool isFoldCandidate(const Tensor &tensor) {
  return tensor.fault.empty() && isReal(tensor.type) && tensor.dims.size() == 2 &&
         tensor.dims[0] > 1 && tensor.dims[1] > 1 && tensor.computedFrom.empty() &&
         tensor.original.empty() && isExporterName(tensor.name) && !isOfOneValue(tensor) &&
         !isTransposed(tensor, tensor);
}

/// Ties transposed copies to their matrices. Constant folding replaces Transpose of a weight by a
/// second initializer; a weight that another node reads, e.g. an embedding that is the output head
/// too, is then in the file twice: embedding.weight [V, D] and onnx::MatMul_7 [D, V].
static void tieTransposes(Model &model) {
  for (Tensor &tensor : model.graph.initializers) {
    if (!isFoldCandidate(tensor))
      continue;
    for (const Tensor &whole : model.graph.initializers)
      if (!isExporterName(whole.name) && whole.original.empty() && isTransposed(tensor, whole)) {
        tensor.original = whole.name;
        model.remarks.push_back("'" + tensor.name + "' is '" + whole.name +
                                "' transposed: the two are one parameter");
        break;
      }
  }
}

void ampc::onnx::restoreModule(Model &model) {
  Graph &graph = model.graph;
  splitMergedParameters(graph, ModuleValues(graph));
  restoreStatistics(graph);
  restoreWeights(model);
  tieTransposes(model);
  ModuleValues present(graph);
  std::set<std::string, std::less<>> read;
  for (const Node &node : graph.nodes)
    read.insert(node.reads.begin(), node.reads.end());
  for (const std::string &name : graph.parameters)
    if (!present.has(name))
      (read.count(name) ? graph.lost : graph.unread).push_back(name);
}
