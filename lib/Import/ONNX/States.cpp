// Classification of initializers: constants, parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/States.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

States::States(const Model &model)
    : graph(model.graph), uses(model.graph), namesParameters(model.producer == "pytorch") {
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

/// Whether the tensor is a mask: huge numbers such as -inf, NaN, or triangles of ones. No parameter
/// starts like that.
static bool isMask(const Tensor &tensor) {
  constexpr double huge = 1e30;
  auto literal = tensor.count <= mostElements ? readLiteral(tensor) : std::nullopt;
  return literal &&
         (llvm::any_of(literal->reals, [](double x) { return !(std::fabs(x) < huge); }) ||
          isTriangular(*literal));
}

/// Whether the tensor is a number of a formula. PyTorch's exporters, which give such numbers names
/// of their own, need no guess.
bool States::isFormulaNumber(const Tensor &tensor) const {
  return !namesParameters && !trainable.contains(tensor.name) && isNumber(tensor, uses);
}

/// Whether a single number is a weight: by the user's will, or by name and use in a file whose
/// exporter is not known to invent names.
bool States::isWeight(const Tensor &tensor) const {
  return trainable.contains(tensor.name) ||
         (!namesParameters &&
          (hasParameterName(tensor.name) || llvm::any_of(uses.of(tensor.name), isWeightOperand)));
}

bool States::isState(const Tensor &tensor) const {
  bool isInvented = tensor.count <= 1 && isExporterName(tensor.name) && !isWeight(tensor);
  return onnx::isReal(tensor.type) && !tensor.isGiven && !isInvented && !isFormulaNumber(tensor) &&
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
    if (isFormulaNumber(tensor) && !tensor.isGiven && !isExporterName(tensor.name) &&
        !llvm::is_contained(numbers, tensor.name))
      numbers.push_back(tensor.name);
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

void States::noteReads(train::FuncOp func) {
  for (Operation &op : func.front()) {
    if (auto state = dyn_cast<train::ReadOp>(op))
      read[state.getState()] = state.getType();
    if (auto norm = dyn_cast<train::BatchNormOp>(op))
      for (StringRef name : {norm.getRunningMean(), norm.getRunningVariance()}) {
        written.insert(name);
        read[name] = norm.getGamma().getType();
      }
  }
}

/// Walks backwards through real values from results of the function; calls count as differentiable
/// in every operand, loops in every value that their bodies read. Results of calls on the way go to
/// `called`.
llvm::StringSet<> States::behind(ValueRange results, llvm::SmallBitVector &called) const {
  llvm::StringSet<> names;
  llvm::SetVector<Operation *> reached;
  auto enter = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    if (!maker || !isa<FloatType>(Converter::elementOf(value)))
      return;
    reached.insert(maker);
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (isa<train::CallOp>(maker) && number < called.size())
      called.set(number);
  };
  llvm::for_each(results, enter);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (auto state = dyn_cast<train::ReadOp>(reached[i]);
        state && !statistics.contains(state.getState()) &&
        !isFixed(*initializers.at(state.getState())))
      names.insert(state.getState());
    reached[i]->walk([&](Operation *op) {
      if (passesGradient(op))
        llvm::for_each(op->getOperands(), enter);
    });
  }
  return names;
}

void States::noteTrained(train::FuncOp loss, train::FuncOp predict, bool calls) {
  unsigned outputs = predict ? predict.getFunctionType().getNumResults() : 0;
  llvm::SmallBitVector called(outputs), none;
  Value first = loss.front().getTerminator()->getOperand(0); // reports are behind
  trained = behind(first, called);
  if (!predict)
    return;
  ValueRange all = predict.front().getTerminator()->getOperands();
  SmallVector<Value> read;
  for (unsigned i : called.set_bits())
    read.push_back(all[i]);
  if (calls)
    for (const auto &name : behind(read, none))
      trained.insert(name.getKey());
  llvm::StringSet<> everywhere = behind(all, none);
  for (const Tensor &tensor : graph.initializers)
    if (everywhere.contains(tensor.name) && !trained.contains(tensor.name))
      elsewhere.push_back(tensor.name);
}

/// Visits the names that a pattern of the option matches; an error if it matches none.
template <typename Names, typename Visit>
static llvm::Error forMatches(StringRef option, StringRef what, const std::string &text,
                              const Names &names, Visit visit) {
  auto pattern = llvm::GlobPattern::create(text);
  if (!pattern)
    return pattern.takeError();
  bool matches = false;
  for (StringRef name : names)
    if (pattern->match(name)) {
      matches = true;
      visit(name);
    }
  if (matches)
    return llvm::Error::success();
  return llvm::createStringError(std::error_code(), "expected " + option + " to match " + what +
                                                        ", but '" + text + "' matches none");
}

llvm::Error States::train(ArrayRef<std::string> patterns) {
  std::vector<StringRef> candidates;
  for (const Tensor &tensor : graph.initializers)
    if (tensor.count == 1 && onnx::isReal(tensor.type))
      candidates.push_back(tensor.name);
  for (const std::string &text : patterns)
    if (llvm::Error error = forMatches("--trainable", "an initializer with one real element", text,
                                       candidates, [&](StringRef name) { trainable.insert(name); }))
      return error;
  return llvm::Error::success();
}

llvm::Error States::freeze(ArrayRef<std::string> patterns) {
  for (const std::string &text : patterns)
    if (llvm::Error error = forMatches("--freeze", "a parameter", text, trained.keys(),
                                       [&](StringRef name) { frozen.insert(name); }))
      return error;
  for (const auto &name : frozen)
    trained.erase(name.getKey());
  return llvm::Error::success();
}
