// Products of dynamic quantization as products in f32. DynamicQuantizeLinear makes integers of an
// activation, with a scale and a zero point of the step; a product with quantized weights in
// integers, a cast and both scales follow. In f32 the activation is itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Dequantize.h"
#include "llvm/ADT/STLExtras.h"

using namespace ampc::onnx;
using llvm::StringRef;

static std::string inputOf(const Node &node, size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : "";
}

/// The only node that reads the value, if it is an `op`.
const Node *Dequantizer::only(const std::string &value, StringRef op) const {
  if (uses.lookup(value) != 1)
    return nullptr;
  for (const Node &node : graph.nodes)
    if (llvm::is_contained(node.inputs, value))
      return node.op == op ? &node : nullptr;
  return nullptr;
}

/// Name of a weight in f32, (values - zero) scale; scales of several elements are along `axis`. ""
/// if a tensor is not known.
std::string Dequantizer::weight(const Scaled &scaled, int64_t axis, bool isTransposed) {
  std::string key = scaled.values + "\n" + scaled.scale + "\n" + scaled.zero;
  if (auto found = made.find(key); found != made.end())
    return found->second;
  auto read = [&](const std::string &name) {
    const Tensor *tensor = known(name);
    return tensor ? realsOf(*tensor) : std::nullopt;
  };
  auto values = read(scaled.values), scale = read(scaled.scale), zero = read(scaled.zero);
  if (!values || !scale || (!scaled.zero.empty() && !zero))
    return "";
  int64_t rank = values->dims.size();
  // Scales of recurrent layers: [directions, 4 H] of values [directions, I, 4 H].
  auto fitted = [&](const Reals &each) {
    bool isPerGate = isTransposed && each.dims.size() == 2 && rank == 3;
    return isPerGate ? Reals{{each.dims[0], 1, each.dims[1]}, each.numbers}
                     : each.along(axis, rank);
  };
  auto apply = [&](std::optional<Reals> x, const Reals &y, bool isProduct) {
    return combine(*x, fitted(y), [=](float a, float b) { return isProduct ? a * b : a - b; });
  };
  auto numbers = zero ? apply(values, *zero, false) : values;
  numbers = numbers ? apply(numbers, *scale, true) : std::nullopt;
  if (!numbers || numbers->dims != values->dims)
    return "";
  StringRef stem = scaled.values;
  stem.consume_back("_quantized");
  std::string name = freeName(stem.str());
  added.push_back(
      tensorOf(model, name, isTransposed ? numbers->transposed() : std::move(*numbers)));
  return made[key] = name;
}

/// The activation of which the value is the quantized form; "" if there is none.
std::string Dequantizer::realOf(const std::string &quantized) const {
  const Node *node = makers.lookup(quantized);
  bool isIt = node && node->op == "DynamicQuantizeLinear" && node->outputs.size() == 3 &&
              node->outputs[0] == quantized;
  return isIt ? node->inputs[0] : "";
}

/// The operand of a product of two beside `factor`; "" if `factor` is none.
std::string Dequantizer::otherFactor(const Node &product, const std::string &factor) const {
  if (product.op != "Mul" || product.inputs.size() != 2)
    return "";
  return product.inputs[0] == factor   ? product.inputs[1]
         : product.inputs[1] == factor ? product.inputs[0]
                                       : "";
}

void Dequantizer::setProduct(Node &node, StringRef op, const std::string &x,
                             const std::string &weight, const std::string &bias) {
  node.op = op.str();
  node.domain = "";
  node.inputs = {x, weight};
  if (bias.empty())
    return;
  Node sum;
  sum.name = node.name + "/bias";
  sum.op = "Add";
  sum.inputs = {freeName(node.outputs[0] + ".product"), bias};
  sum.outputs = node.outputs;
  node.outputs[0] = sum.inputs[0];
  extra.push_back(std::move(sum));
}

/// MatMulInteger or ConvInteger, Cast, and Mul with the product of both scales.
bool Dequantizer::takeProduct(Node &node) {
  std::string x = realOf(node.inputs[0]);
  const Node *cast = only(node.outputs[0], "Cast");
  const Node *scaledBy = cast ? only(cast->outputs[0], "Mul") : nullptr;
  if (x.empty() || !scaledBy || node.inputs.size() < 2)
    return false;
  const Node &quantize = *makers.lookup(node.inputs[0]);
  const Node *scales = makers.lookup(otherFactor(*scaledBy, cast->outputs[0]));
  std::string scale = scales ? otherFactor(*scales, quantize.outputs[1]) : "";
  const Tensor *values = known(node.inputs[1]), *factors = known(scale);
  if (!values || !factors || inputOf(node, 2) != quantize.outputs[2] || values->dims.empty())
    return false;
  // Scales per filter are [O, 1, 1] beside results [N, O, H, W], and zero points [O].
  bool isConv = node.op == "ConvInteger";
  if (isConv && factors->count > 1 &&
      (factors->dims.size() + 1 < values->dims.size() || factors->count != values->dims[0]))
    return false;
  std::string filters = weight({node.inputs[1], scale, inputOf(node, 3)},
                               isConv ? 0 : int64_t(values->dims.size()) - 1, false);
  if (filters.empty())
    return false;
  dropped.insert(cast);
  dropped.insert(scaledBy);
  node.outputs = scaledBy->outputs;
  setProduct(node, isConv ? "Conv" : "MatMul", x, filters, "");
  return true;
}

/// com.microsoft's product with its own scales: of an activation in f32, or quantized beside it.
bool Dequantizer::takeToFloat(Node &node) {
  bool isDynamic = node.op == "DynamicQuantizeMatMul";
  std::string x = isDynamic ? node.inputs[0] : realOf(node.inputs[0]);
  const Tensor *values = node.inputs.size() > 1 ? known(node.inputs[1]) : nullptr;
  if (x.empty() || !values)
    return false;
  Scaled scaled{node.inputs[1], inputOf(node, isDynamic ? 2 : 3), inputOf(node, isDynamic ? 3 : 5)};
  std::string bias = inputOf(node, isDynamic ? 4 : 6);
  std::string factor = weight(scaled, int64_t(values->dims.size()) - 1, false);
  if (factor.empty())
    return false;
  setProduct(node, "MatMul", x, factor, bias);
  return true;
}

/// com.microsoft.DynamicQuantizeLSTM: weights [directions, I, 4 H], scales [directions] or
/// [directions, 4 H]; LSTM has weights [directions, 4 H, I].
bool Dequantizer::takeLstm(Node &node) {
  std::string input = weight({inputOf(node, 1), inputOf(node, 8), inputOf(node, 9)}, 0, true);
  std::string state = weight({inputOf(node, 2), inputOf(node, 10), inputOf(node, 11)}, 0, true);
  if (input.empty() || state.empty())
    return false;
  node.op = "LSTM";
  node.domain = "";
  node.inputs.resize(std::min<size_t>(node.inputs.size(), 8));
  node.inputs[1] = input;
  node.inputs[2] = state;
  return true;
}
