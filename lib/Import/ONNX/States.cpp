// Classification of initializers: constants, parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/States.h"
#include "lib/Import/ONNX/Print.h"
#include "lib/Import/ONNX/RestoreModule.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Whether an exporter invented the name. Names of parameters are paths in a module.
static bool isExporterName(StringRef name) {
  return name.contains("::") || name.starts_with("/") || name.starts_with("val_") ||
         name.starts_with("const") || name.starts_with("Const") || name.starts_with("scalar") ||
         name.starts_with("int64_") || llvm::all_of(name, llvm::isDigit);
}

States::States(const Graph &graph) : graph(graph) {
  for (const ValueInfo &input : graph.inputs)
    values.insert(input.name);
  for (const Tensor &tensor : graph.initializers)
    initializers[tensor.name] = &tensor;
  for (const Node &node : graph.nodes) {
    for (const std::string &output : node.outputs)
      values.insert(output);
    if (node.op == "BatchNormalization" && node.inputs.size() == 5)
      for (size_t i : {3, 4})
        noteStatistics(node.inputs[i]);
  }
}

/// Whether the name is numbered, such as "view_2": a node that may no longer be in the graph.
static bool isNumbered(StringRef name) {
  return !name.contains('.') && llvm::isDigit(name.back()) &&
         name.rtrim("0123456789").ends_with("_");
}

/// Names of learned values from which an exporter computed the tensor: the module's parameters, or
/// without exporter notes, names that are no value of the graph and were not invented.
std::vector<std::string> States::learnedBehind(const Tensor &tensor) const {
  std::vector<std::string> names;
  bool isKnown = !graph.parameters.empty() || !graph.others.empty();
  llvm::copy_if(tensor.computedFrom, std::back_inserter(names), [&](const std::string &name) {
    if (isKnown)
      return graph.parameters.count(name) != 0;
    return !name.empty() && !isExporterName(name) && !values.contains(name) && !isNumbered(name);
  });
  return names;
}
bool States::isComputed(const Tensor &tensor) const {
  return !tensor.computedFrom.empty() && tensor.count <= mostElements &&
         learnedBehind(tensor).empty();
}

/// Whether the tensor is no parameter of the module, and was computed from none, by the exporter's
/// notes.
bool States::isFixed(const Tensor &tensor) const {
  if (tensor.computedFrom.empty())
    return graph.others.count(tensor.name) != 0;
  return !graph.parameters.empty() && learnedBehind(tensor).empty();
}

/// Whether the matrices are triangles of ones: 1 for keys up to the query, or 1 for keys behind.
static bool isTriangular(const Literal &x) {
  if (x.dims.size() < 2 || x.dims.back() < 2 || x.dims[x.dims.size() - 2] < 2)
    return false;
  int64_t width = x.dims.back(), height = x.dims[x.dims.size() - 2];
  auto holds = [&](bool isBehind) {
    for (int64_t i = 0; i < x.count(); ++i)
      if (x.reals[i] != double((i % width > i / width % height) == isBehind))
        return false;
    return true;
  };
  return holds(false) || holds(true);
}

/// Whether the tensor is a mask: huge numbers such as -inf, or triangles of ones. No parameter
/// starts like that.
static bool isMask(const Tensor &tensor) {
  constexpr double huge = 1e30;
  auto literal = tensor.count <= mostElements ? readLiteral(tensor) : std::nullopt;
  return literal && (llvm::any_of(literal->reals, [](double x) { return std::fabs(x) >= huge; }) ||
                     isTriangular(*literal));
}

bool States::isState(const Tensor &tensor) const {
  return onnx::isReal(tensor.type) && !(tensor.count <= 1 && isExporterName(tensor.name)) &&
         !isComputed(tensor) && !isMask(tensor);
}

void States::declare(Scope &scope, const llvm::StringSet<> &needed, Nodes &nodes) {
  constexpr int64_t mostOfSettings = 64; // largest setting in elements: scales, paddings, bounds
  for (const Tensor &tensor : graph.initializers) {
    if (!needed.contains(tensor.name))
      continue;
    if (!tensor.missingFile.empty()) {
      nodes.noteMissingFile(tensor.missingFile);
      continue;
    }
    if (!tensor.fault.empty()) {
      nodes.note("initializer '" + tensor.name + "': " + tensor.fault);
      continue;
    }
    ImportedValue &known = scope[tensor.name];
    known.type = tensor.type;
    known.dims = Dims(tensor.dims.begin(), tensor.dims.end());
    bool isKept = isState(tensor) && tensor.count > 0;
    if (isKept)
      known.state = tensor.original.empty() ? tensor.name : tensor.original;
    if (isKept && !tensor.original.empty()) {
      const std::vector<int64_t> &dims = initializers.at(tensor.original)->dims;
      known.stateDims = Dims(dims.begin(), dims.end());
    }
    if (!isKept || tensor.count <= mostOfSettings)
      if (auto literal = readLiteral(tensor))
        known.literal = std::make_shared<const Literal>(std::move(*literal));
    if (!isKept && !known.literal) {
      nodes.note("initializer '" + tensor.name + "': expected at most " + Twine(mostElements) +
                 " integers, but got " + Twine(tensor.count));
      scope.erase(tensor.name);
    }
  }
}

/// Whether the op propagates gradients from results to operands.
static bool passesGradient(Operation *op) {
  if (auto differentiable = dyn_cast<DifferentiableOpInterface>(op))
    return differentiable.isDifferentiable() && !isa<train::StopGradientOp>(op);
  return true;
}

/// Walks backwards from the result of the loss through real values; calls count as differentiable
/// in every operand.
void States::noteReads(train::FuncOp func, bool trains) {
  Block &body = func.front();
  for (Operation &op : body) {
    if (auto state = dyn_cast<train::ReadOp>(op))
      read[state.getState()] = state.getType();
    if (auto norm = dyn_cast<train::BatchNormOp>(op))
      for (StringRef name : {norm.getRunningMean(), norm.getRunningVariance()}) {
        written.insert(name);
        read[name] = norm.getGamma().getType();
      }
  }
  if (!trains)
    return;
  llvm::SetVector<Operation *> reached;
  reached.insert(body.getTerminator());
  for (size_t i = 0; i < reached.size(); ++i) {
    if (auto state = dyn_cast<train::ReadOp>(reached[i]);
        state && !statistics.contains(state.getState()) &&
        !isFixed(*initializers.at(state.getState())))
      trained.insert(state.getState());
    if (i > 0 && !passesGradient(reached[i]))
      continue;
    for (Value operand : reached[i]->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && isa<FloatType>(Converter::elementOf(operand)))
        reached.insert(maker);
  }
}

llvm::Error States::freeze(ArrayRef<std::string> patterns) {
  for (const std::string &text : patterns) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return pattern.takeError();
    bool matches = false;
    for (const auto &name : trained)
      if (pattern->match(name.getKey())) {
        matches = true;
        frozen.insert(name.getKey());
      }
    if (!matches)
      return llvm::createStringError(std::error_code(),
                                     "expected --freeze to match a parameter, but '" + text +
                                         "' matches none");
  }
  for (const auto &name : frozen)
    trained.erase(name.getKey());
  return llvm::Error::success();
}

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
  restoreModule(*model);
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

static bool isOfOneValue(const Tensor &tensor) {
  auto literal = tensor.count > 1 ? readLiteral(tensor) : std::nullopt;
  return literal && literal->isReal() && literal->allEqual();
}

/// Exporters merge initializers of equal values, which is harmless for inference only.
static void warnOfJoined(ArrayRef<std::string> joined, ImportedModel &result) {
  if (!joined.empty())
    result.warnings.push_back(
        "parameter '" + joined.front() + "'" + (joined.size() > 1 ? " and others have" : " has") +
        " one value and several nodes: parameters that were equal when an exporter joined them are "
        "trained as one; of trained weights it joins none");
}

/// No note tells weights of a layer from tables of cosines.
static void warnOfComputed(ArrayRef<std::string> computed, ImportedModel &result) {
  if (!computed.empty())
    result.warnings.push_back("the exporter computed parameters of what is not in the file: steps "
                              "train them as they are, unless --freeze names them: " +
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
