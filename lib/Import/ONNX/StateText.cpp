// Declarations of parameters and buffers, their values, and remarks on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Prepare.h"
#include "lib/Import/ONNX/Print.h"
#include "lib/Import/ONNX/States.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Initializer of a state: the file's values, or a distribution that resembles the values. Zeros
/// and ones are written in the text.
static std::string initializerOf(const Tensor &tensor, StringRef file) {
  auto literal = tensor.count <= mostElements ? readLiteral(tensor) : std::nullopt;
  if (literal && literal->allEqual()) {
    double value = literal->reals[0];
    if (value == 0 || value == 1)
      return value ? "#train.ones" : "#train.zeros";
    if (std::isfinite(value) && file.empty())
      return llvm::formatv("#train.fill<{0:e8}>", value).str();
  }
  if (!file.empty()) {
    std::string text = "#train.data<\"";
    llvm::raw_string_ostream os(text);
    llvm::printEscapedString(file, os);
    return text + "\">";
  }
  if (tensor.dims.size() < 2)
    return "#train.zeros";
  double bound = std::sqrt(double(tensor.dims[0]) / tensor.count);
  return llvm::formatv("#train.uniform<low = {0:e3}, high = {1:e3}>", -bound, bound).str();
}

static std::optional<Element> elementFor(onnx::Type type) {
  static const std::map<onnx::Type, Element> elements = {
      {onnx::Type::F32, Element::F32}, {onnx::Type::F64, Element::F64},
      {onnx::Type::F16, Element::F16}, {onnx::Type::BF16, Element::BF16},
      {onnx::Type::Bool, Element::I1}, {onnx::Type::I8, Element::I8},
      {onnx::Type::I16, Element::I16}, {onnx::Type::I32, Element::I32},
      {onnx::Type::I64, Element::I64}, {onnx::Type::U8, Element::U8},
      {onnx::Type::U16, Element::U16}, {onnx::Type::U32, Element::U32},
      {onnx::Type::U64, Element::U64}};
  auto found = elements.find(type);
  return found == elements.end() ? std::nullopt : std::optional(found->second);
}

static NamedArray arrayOf(const Tensor &tensor, std::shared_ptr<void> owner) {
  NamedArray named;
  named.name = tensor.name;
  named.array.element = elementFor(tensor.type).value_or(Element::U8);
  named.array.dims = tensor.dims;
  named.array.data = tensor.data;
  named.array.mapping = std::move(owner);
  return named;
}

std::optional<std::vector<NamedArray>> ampc::readOnnxTensors(const std::string &path,
                                                             std::vector<std::string> &skipped,
                                                             std::string &error) {
  auto model = readModel(path, error);
  if (!model)
    return std::nullopt;
  if (error = prepare(*model); !error.empty())
    return std::nullopt;
  auto owners = std::make_shared<std::vector<std::shared_ptr<void>>>(model->owners);
  std::vector<NamedArray> arrays;
  for (const Tensor &tensor : model->graph.initializers) {
    if (tensor.fault.empty() && elementFor(tensor.type))
      arrays.push_back(arrayOf(tensor, owners));
    else
      skipped.push_back(tensor.name);
  }
  return arrays;
}

/// Initializers that are inputs of several nodes, if not all of these nodes are known to read the
/// initializer in the module.
static llvm::StringSet<> sharedByNodes(const Graph &graph) {
  llvm::StringMap<int> users;
  llvm::StringSet<> unsure, shared;
  for (const Node &node : graph.nodes)
    for (const std::string &input : node.inputs) {
      ++users[input];
      if (!llvm::is_contained(node.reads, input))
        unsure.insert(input);
    }
  for (const auto &name : unsure)
    if (users.lookup(name.getKey()) > 1)
      shared.insert(name.getKey());
  return shared;
}

/// The first names in quotes, and the number of the others: 'a', 'b' and 3 more.
static std::string listOf(ArrayRef<std::string> names) {
  constexpr size_t most = 5;
  std::string text;
  for (const std::string &name : names.take_front(most))
    text += (text.empty() ? "'" : ", '") + name + "'";
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more"
                             : text;
}

/// Whether the numbers are a range: 0, 1, 2, 3.
static bool isRange(const Tensor &tensor) {
  constexpr int64_t fewest = 4;
  auto literal = tensor.count >= fewest ? readLiteral(tensor) : std::nullopt;
  if (!literal || literal->reals[0] == literal->reals[1])
    return false;
  double step = literal->reals[1] - literal->reals[0];
  for (int64_t i = 1; i < literal->count(); ++i)
    if (literal->reals[i] != literal->reals[0] + double(i) * step)
      return false;
  return true;
}

/// Whether the tensor seems to be a table that the code of the module computes: a basis of STFT or
/// CQT, or positions. Keras writes CQT as cq_t.
static bool isTable(const Tensor &tensor) {
  static const StringRef parts[] = {"buffer", "basis", "stft", "cqt", "cq_t", "filterbank"};
  std::string name = StringRef(tensor.name).lower();
  return isRange(tensor) ||
         llvm::any_of(parts, [&](StringRef part) { return StringRef(name).contains(part); });
}

std::vector<std::string> States::remarks() const {
  std::vector<std::string> texts;
  if (!numbers.empty())
    texts.push_back(std::string(numbers.size() == 1 ? "a number" : "numbers") +
                    " of the graph's formulas, such as an epsilon, " +
                    (numbers.size() == 1 ? "is no parameter: " : "are no parameters: ") +
                    listOf(numbers) + "; --trainable=NAME makes a number a parameter");
  if (!elsewhere.empty())
    texts.push_back("the loss does not depend on " + listOf(elsewhere) +
                    (elsewhere.size() == 1 ? ", which is a buffer" : ", which are buffers") +
                    ": other outputs of the file read " + (elsewhere.size() == 1 ? "it" : "them"));
  std::vector<std::string> tables;
  for (const Tensor &tensor : graph.initializers)
    if (trained.contains(tensor.name) && isTable(tensor))
      tables.push_back(tensor.name);
  if (!tables.empty())
    texts.push_back("steps train " + listOf(tables) + ", by name or values " +
                    (tables.size() == 1 ? "a table" : "tables") +
                    " of the code, such as a basis of frequencies: --freeze=NAME keeps a table");
  return texts;
}

static bool isOfOneValue(const Tensor &tensor) {
  auto literal = tensor.count > 1 ? readLiteral(tensor) : std::nullopt;
  return literal && literal->isReal() && literal->allEqual();
}

/// Exporters merge initializers of equal values, which is harmless for inference only.
static void warnOfJoined(ArrayRef<std::string> joined, ImportedModel &result) {
  if (!joined.empty())
    result.warnings.push_back(
        "parameter '" + joined.front() + "'" + (joined.size() > 1 ? " and others have" : " has") +
        " one value and several nodes: parameters that an exporter joined because of equal values "
        "are trained as one parameter; exporters do not join different trained weights");
}

/// No note tells weights of a layer from tables of cosines.
static void warnOfComputed(ArrayRef<std::string> computed, ImportedModel &result) {
  if (!computed.empty())
    result.warnings.push_back(
        "the exporter computed parameters from tensors that the file lacks: steps train the "
        "computed tensors, unless --freeze names these tensors: " +
        llvm::join(computed, ", "));
}

void States::print(llvm::raw_ostream &os, StringRef file, ImportedModel &result) const {
  llvm::StringSet<> shared = sharedByNodes(graph);
  std::vector<std::string> joined, computed;
  for (const Tensor &tensor : graph.initializers) {
    auto found = read.find(tensor.name);
    if (found == read.end())
      continue;
    bool isParam = trained.contains(tensor.name) || frozen.contains(tensor.name);
    os << (isParam && !written.contains(tensor.name) ? "  train.param " : "  train.buffer ")
       << symbolText(tensor.name) << " : " << typeText(found->second) << " = "
       << initializerOf(tensor, file) << (frozen.contains(tensor.name) ? " {frozen}" : "") << "\n";
    result.tensors.push_back(arrayOf(tensor, nullptr));
    if (auto behind = learnedBehind(tensor); trained.contains(tensor.name) && !behind.empty())
      computed.push_back(tensor.name + " of " + llvm::join(behind, " and "));
    if (trained.contains(tensor.name) && shared.contains(tensor.name) && isOfOneValue(tensor))
      joined.push_back(tensor.name);
  }
  warnOfJoined(joined, result);
  warnOfComputed(computed, result);
}
