// Sizes and values of inputs by options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/InputOptions.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "lib/Import/ONNX/Importer.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// The input of that name; an error that lists the names of all inputs if there is none.
static llvm::Expected<ValueInfo *> findInput(Graph &graph, llvm::StringRef option,
                                             const std::string &name) {
  std::vector<std::string> names;
  for (ValueInfo &input : graph.inputs) {
    if (input.name == name)
      return &input;
    names.push_back(input.name);
  }
  return mistake("expected " + option + " of an input of the file (" + llvm::join(names, ", ") +
                 "), but got " + name + didYouMean(name, names));
}

static llvm::Error applyShape(ValueInfo &input, const std::vector<int64_t> &sizes,
                              std::map<std::string, int64_t> &named) {
  if (input.hasShape && input.dims.size() != sizes.size())
    return mistake("expected --shape " + input.name + " with " + llvm::Twine(input.dims.size()) +
                   " sizes, but got " + llvm::Twine(sizes.size()));
  input.dims.resize(sizes.size());
  input.hasShape = true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Dim &dim = input.dims[i];
    if (sizes[i] < 0)
      continue;
    if (dim.size > 0 && dim.size != sizes[i])
      return mistake("expected --shape " + input.name + " with " + llvm::Twine(dim.size) +
                     " for dimension " + llvm::Twine(i) + ", as in the file, but got " +
                     llvm::Twine(sizes[i]));
    if (auto [at, isNew] = named.try_emplace(dim.symbol, sizes[i]);
        !isNew && at->second != sizes[i])
      at->second = -1; // several sizes of one name
    dim = {sizes[i], ""};
  }
  return llvm::Error::success();
}

/// Bytes of `count` equal elements; null if the type cannot hold the number.
static std::shared_ptr<std::vector<char>> filled(onnx::Type type, int64_t count, double number) {
  Literal one(type, {});
  one.set(0, number);
  if (!isReal(type) && double(one.ints[0]) != number)
    return nullptr;
  int64_t size = bytesOf(type);
  auto bytes = std::make_shared<std::vector<char>>(size_t(count * size));
  float single = float(number);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(bytes->data() + i * size,
                type == onnx::Type::F64   ? static_cast<const void *>(&number)
                : type == onnx::Type::F32 ? static_cast<const void *>(&single)
                                          : &one.ints[0],
                size_t(size));
  return bytes;
}

/// Replaces the input by an initializer that is a constant.
static llvm::Error giveValue(Model &model, ValueInfo &input, double number) {
  Tensor tensor;
  tensor.name = input.name;
  tensor.type = input.type;
  tensor.isGiven = true;
  for (const Dim &dim : input.dims)
    tensor.dims.push_back(dim.size);
  bool isOpen = llvm::any_of(tensor.dims, [](int64_t size) { return size < 1; });
  tensor.count = isOpen ? 0 : countOf(llvm::ArrayRef(tensor.dims));
  bool isHalf = input.type == onnx::Type::F16 || input.type == onnx::Type::BF16;
  if (isOpen || !bytesOf(input.type) || isHalf || tensor.count > mostElements ||
      (isReal(input.type) && tensor.count > 1))
    return mistake("expected --input of integers of known sizes, or with one element, but got " +
                   input.name);
  auto bytes = filled(input.type, tensor.count, number);
  if (!bytes)
    return mistake("expected --input " + input.name + " with a number of " + nameOf(input.type) +
                   ", but got " + llvm::Twine(std::to_string(number)));
  tensor.data = bytes->data();
  model.owners.push_back(bytes);
  model.graph.initializers.push_back(std::move(tensor));
  return llvm::Error::success();
}

llvm::Error ampc::onnx::applyInputOptions(Model &model, const ImportOptions &options) {
  std::map<std::string, int64_t> named;
  for (const auto &[name, sizes] : options.shapes) {
    auto input = findInput(model.graph, "--shape", name);
    if (!input)
      return input.takeError();
    if (llvm::Error error = applyShape(**input, sizes, named))
      return error;
  }
  // Dimensions of other inputs that have the same name, if the name has one size.
  named.erase("");
  for (ValueInfo &input : model.graph.inputs)
    for (Dim &dim : input.dims)
      if (auto found = named.find(dim.symbol); found != named.end() && found->second > 0)
        dim = {found->second, ""};
  for (const auto &[name, number] : options.inputs) {
    auto input = findInput(model.graph, "--input", name);
    if (!input)
      return input.takeError();
    if (llvm::Error error = giveValue(model, **input, number))
      return error;
    llvm::erase_if(model.graph.inputs, [&](const ValueInfo &each) { return each.name == name; });
  }
  return llvm::Error::success();
}

/// Error for a dimension of `--dim` that no input of the file names; "" if
/// there is none.
static std::string unknownDim(const std::map<std::string, int64_t> &given, const Graph &graph) {
  std::vector<std::string> names;
  for (const ValueInfo &input : graph.inputs)
    for (const Dim &dim : input.dims)
      if (!dim.symbol.empty() && !llvm::is_contained(names, dim.symbol))
        names.push_back(dim.symbol);
  for (const auto &[name, size] : given)
    if (!llvm::is_contained(names, name))
      return "expected --dim of a dimension that an input of the file names (" +
             (names.empty() ? "there is none" : llvm::join(names, ", ")) + "), but got " + name +
             didYouMean(name, names);
  return "";
}

/// Option that gives an open dimension of the file a number. A name of several dimensions, or none,
/// is no help.
static std::string optionFor(const ValueInfo &input, size_t number) {
  const std::string &symbol = input.dims[number].symbol;
  bool isNamed = !symbol.empty() && llvm::count_if(input.dims, [&](const Dim &dim) {
                                      return dim.symbol == symbol;
                                    }) == 1;
  if (isNamed)
    return "--dim " + symbol + "=NUMBER";
  std::string sizes;
  for (auto [i, dim] : llvm::enumerate(input.dims))
    sizes += (i ? "," : "") + (dim.size > 0 ? std::to_string(dim.size) : i ? "SIZE" : "?");
  return "--shape " + input.name + "=" + sizes;
}

llvm::Error Importer::readInputs() {
  if (std::string unknown = unknownDim(options.dims, model.graph); !unknown.empty())
    return mistake(unknown);
  llvm::StringSet<> initial;
  for (const Tensor &tensor : model.graph.initializers)
    initial.insert(tensor.name);
  int64_t rows = 0;
  std::string symbol;
  for (const ValueInfo &inFile : model.graph.inputs) {
    ValueInfo input = inFile;
    if (initial.contains(input.name))
      continue;
    if (!input.hasShape || !bytesOf(input.type))
      return mistake("input '" + input.name + "': expected a tensor of numbers with a shape");
    for (auto [i, dim] : llvm::enumerate(input.dims)) {
      bool isFirst = i == 0 && rows == 0;
      if (auto given = options.dims.find(dim.symbol);
          !dim.symbol.empty() && given != options.dims.end())
        dim.size = given->second;
      if (isFirst) {
        rows = dim.size;
        symbol = dim.symbol;
      }
      // Batch dimensions: the first dimension of the first input, and dimensions with the same
      // symbol, or the same number in the leading position.
      bool isBatch = isFirst || (!symbol.empty() && dim.symbol == symbol) ||
                     (symbol.empty() && i == 0 && dim.size == rows);
      if (options.batch && isBatch)
        dim.size = options.batch;
      if (dim.size < 1 && isBatch)
        return mistake("input '" + input.name +
                       "': expected --batch, as the file leaves dimension " + Twine(i) + " open" +
                       (symbol.empty() ? "" : " (" + symbol + ")"));
      if (dim.size < 1)
        return mistake("input '" + input.name + "': expected " + optionFor(inFile, i) +
                       " for dimension " + Twine(i) + ", which the file leaves open");
    }
    inputs.push_back(input);
  }
  return llvm::Error::success();
}
