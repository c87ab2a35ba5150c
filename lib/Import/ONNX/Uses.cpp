// Uses of the graph's values, and the roles of operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Uses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc::onnx;
using llvm::ArrayRef;
using llvm::StringRef;

void Uses::add(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i)
      uses[node.inputs[i]].push_back({node.op, node.domain, i});
    for (const Attribute &attribute : node.attributes)
      if (attribute.graph)
        add(*attribute.graph);
  }
  for (const ValueInfo &output : graph.outputs)
    returned[output.name] = true;
}

ArrayRef<Use> Uses::of(StringRef value) const {
  auto found = uses.find(value);
  return found == uses.end() ? ArrayRef<Use>() : ArrayRef<Use>(found->second);
}

bool ampc::onnx::isWeightOperand(const Use &use) {
  struct Row {
    StringRef op;
    uint64_t inputs; ///< bit i: input i is a weight
  };
  static const Row table[] = {
      {"Conv", 0b110},
      {"ConvTranspose", 0b110},
      {"Gemm", 0b110},
      {"MatMul", 0b11},
      {"LSTM", 0b10001110},
      {"GRU", 0b1110},
      {"RNN", 0b1110},
      {"BatchNormalization", 0b11110},
      {"InstanceNormalization", 0b110},
      {"LayerNormalization", 0b110},
      {"GroupNormalization", 0b110},
      {"RMSNormalization", 0b10},
      {"PRelu", 0b10},
  };
  auto found = llvm::find_if(table, [&](const Row &row) { return row.op == use.op; });
  return found != std::end(table) && use.input < 64 && (found->inputs >> use.input & 1);
}

bool ampc::onnx::isArithmetic(const Use &use) {
  static const StringRef ops[] = {
      "Add",  "Sub",  "Mul",   "Div",  "Pow",     "Mod",   "Max",         "Min",           "Sum",
      "Mean", "Clip", "Where", "Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"};
  return use.domain.empty() && llvm::is_contained(ops, StringRef(use.op));
}

/// Words of a name in lower case: "dense_1/BiasAdd:0" -> dense, bias, add.
static llvm::SmallVector<std::string> wordsOf(StringRef name) {
  llvm::SmallVector<std::string> words;
  char before = 0;
  for (char c : name) {
    if (llvm::isAlpha(c) && (!llvm::isAlpha(before) || (llvm::isUpper(c) && llvm::isLower(before))))
      words.emplace_back();
    if (llvm::isAlpha(c))
      words.back() += llvm::toLower(c);
    before = c;
  }
  return words;
}

bool ampc::onnx::isExporterName(StringRef name) {
  return name.contains("::") || name.starts_with("/") || name.starts_with("val_") ||
         name.starts_with("const") || name.starts_with("Const") || name.starts_with("scalar") ||
         name.starts_with("int64_") || llvm::all_of(name, llvm::isDigit);
}

bool ampc::onnx::hasParameterName(StringRef name) {
  static const StringRef parameters[] = {"weight", "weights", "kernel", "bias",  "scale",
                                         "gamma",  "beta",    "gain",   "slope", "temperature"};
  if (name.contains("ReadVariableOp") || name.contains("FusedBatchNorm"))
    return true;
  // Paddle: conv2d_3.w_0, conv2d_3.b_0.
  StringRef stem = name.rtrim("0123456789");
  if (stem.ends_with(".w_") || stem.ends_with(".b_"))
    return true;
  return llvm::any_of(wordsOf(name), [&](const std::string &word) {
    return llvm::is_contained(parameters, StringRef(word));
  });
}

bool ampc::onnx::isNumber(const Tensor &tensor, const Uses &uses) {
  if (tensor.count != 1 || !isReal(tensor.type) || hasParameterName(tensor.name))
    return false;
  ArrayRef<Use> readers = uses.of(tensor.name);
  if (llvm::any_of(readers, isWeightOperand))
    return false;
  return tensor.dims.empty() || llvm::all_of(readers, isArithmetic);
}
