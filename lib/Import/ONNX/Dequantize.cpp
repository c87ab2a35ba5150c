// Quantized weights as weights in f32: DequantizeLinear of an initializer, an integer initializer
// that is cast and scaled, rows of a quantized table, and the range of a quantized activation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Dequantize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace ampc::onnx;
using llvm::StringRef;

bool ampc::onnx::isQuantization(StringRef op) {
  return op.contains("Quantize") || op == "DequantizeLinear" || op.starts_with("QLinear") ||
         op.starts_with("MatMulInteger") || op == "ConvInteger" || op == "QGemm" ||
         op == "QAttention" || op == "MatMulNBits";
}

Dequantizer::Dequantizer(Model &model) : model(model), graph(model.graph) { noteNames(); }

void Dequantizer::noteNames() {
  for (const Tensor &tensor : graph.initializers)
    tensors[tensor.name] = &tensor;
  for (Node &node : graph.nodes) {
    for (const std::string &output : node.outputs)
      makers[output] = &node;
    for (const std::string &input : node.inputs)
      ++uses[input];
    const Attribute *value = node.op == "Constant" ? node.find("value") : nullptr;
    if (value && value->kind == Attribute::Tensor && !node.outputs.empty())
      tensors[node.outputs[0]] = &value->tensor;
  }
  for (const ValueInfo &output : graph.outputs)
    ++uses[output.name];
}

const Tensor *Dequantizer::known(const std::string &value) const { return tensors.lookup(value); }

/// The name, with a number if the graph has such a value.
std::string Dequantizer::freeName(std::string name) const {
  auto isTaken = [&](const std::string &each) {
    return tensors.contains(each) || makers.contains(each) ||
           llvm::any_of(graph.inputs, [&](const ValueInfo &i) { return i.name == each; }) ||
           llvm::any_of(added, [&](const Tensor &tensor) { return tensor.name == each; });
  };
  std::string free = name;
  for (int i = 1; isTaken(free); ++i)
    free = name + "." + std::to_string(i);
  return free;
}

static bool isSmall(Type type) { return type == Type::I8 || type == Type::U8; }

static int64_t attributeOf(const Node &node, std::string_view name, int64_t otherwise) {
  const Attribute *found = node.find(name);
  return found && found->kind == Attribute::Int ? found->integer : otherwise;
}

/// Whether the node computes a weight of known numbers. A Cast alone is no sign of quantization:
/// the arithmetic behind it is.
bool Dequantizer::isFoldable(const Node &node) const {
  if (!node.domain.empty() || node.outputs.size() != 1 || node.inputs.empty())
    return false;
  const Tensor *first = known(node.inputs[0]);
  if (node.op == "DequantizeLinear")
    return first && llvm::all_of(node.inputs, [&](const std::string &input) {
             return input.empty() || known(input);
           });
  if (node.op == "Cast")
    return first && isSmall(first->type) && isReal(Type(attributeOf(node, "to", 0)));
  if (node.op != "Mul" && node.op != "Sub")
    return false;
  bool hasFoldable = false;
  for (const std::string &input : node.inputs) {
    const Tensor *tensor = known(input);
    hasFoldable |= foldable.count(input) != 0;
    if (!foldable.count(input) && !(tensor && isReal(tensor->type)))
      return false;
  }
  return hasFoldable && node.inputs.size() == 2;
}

static float multiply(float x, float y) { return x * y; }
static float subtract(float x, float y) { return x - y; }

/// (x - zero) scale, with one scale and zero point for the tensor, per index of an axis, or per
/// block of an axis.
static std::optional<Reals> scaled(const Reals &x, const Reals &scale, const Reals *zero,
                                   int64_t axis, int64_t block) {
  int64_t rank = x.dims.size();
  auto fitted = [&](const Reals &each) {
    if (block > 0 && each.dims.size() == x.dims.size() && axis < rank)
      return each.repeated(axis, block, x.dims[axis]);
    return each.dims.size() <= 1 && axis < rank ? each.along(axis, rank) : each;
  };
  auto moved = zero ? combine(x, fitted(*zero), subtract) : std::optional(x);
  return moved ? combine(*moved, fitted(scale), multiply) : std::nullopt;
}

std::optional<Reals> Dequantizer::dequantized(const Node &node) const {
  auto x = realsOf(*known(node.inputs[0]));
  auto scale = node.inputs.size() > 1 ? realsOf(*known(node.inputs[1])) : std::nullopt;
  bool hasZero = node.inputs.size() > 2 && !node.inputs[2].empty();
  auto zero = hasZero ? realsOf(*known(node.inputs[2])) : std::nullopt;
  if (!x || !scale || (hasZero && !zero))
    return std::nullopt;
  int64_t axis = attributeOf(node, "axis", 1), rank = x->dims.size();
  return scaled(*x, *scale, zero ? &*zero : nullptr, axis < 0 ? axis + rank : axis,
                attributeOf(node, "block_size", 0));
}

std::optional<Reals> Dequantizer::evaluate(const std::string &value) const {
  if (!foldable.count(value)) {
    const Tensor *tensor = known(value);
    return tensor ? realsOf(*tensor) : std::nullopt;
  }
  const Node &node = *makers.lookup(value);
  if (node.op == "DequantizeLinear")
    return dequantized(node);
  auto x = evaluate(node.inputs[0]);
  if (node.op == "Cast" || !x)
    return x;
  auto y = evaluate(node.inputs[1]);
  return y ? combine(*x, *y, node.op == "Mul" ? multiply : subtract) : std::nullopt;
}

/// Replaces results of foldable nodes that other nodes read by initializers of the same name.
void Dequantizer::foldWeights() {
  llvm::StringSet<> read;
  for (const Node &node : graph.nodes) {
    bool isFolded = isFoldable(node);
    if (isFolded)
      foldable.insert(node.outputs[0]);
    if (!isFolded || node.op == "Cast")
      for (const std::string &input : node.inputs)
        read.insert(input);
  }
  for (const ValueInfo &output : graph.outputs)
    read.insert(output.name);
  for (const std::string &value : foldable) {
    const Node &node = *makers.lookup(value);
    if (node.op == "Cast" || !read.contains(value))
      continue;
    if (auto numbers = evaluate(value)) {
      added.push_back(tensorOf(model, value, std::move(*numbers)));
      dropped.insert(&node);
    }
  }
}

/// DequantizeLinear of rows of a quantized table: the rows of the table in f32.
bool Dequantizer::takeGather(Node &node) {
  const Node *gather = makers.lookup(node.inputs[0]);
  if (!gather || gather->op != "Gather" || node.inputs.size() < 2 || !known(gather->inputs[0]) ||
      !known(node.inputs[1]) || known(node.inputs[1])->count != 1)
    return false;
  std::string table = weight(
      {gather->inputs[0], node.inputs[1], node.inputs.size() > 2 ? node.inputs[2] : ""}, 0, false);
  if (table.empty())
    return false;
  Node rows = *gather;
  rows.inputs[0] = table;
  rows.outputs = node.outputs;
  node = std::move(rows);
  return true;
}

/// Least and largest integer of a type.
static std::pair<double, double> limitsOf(Type type) {
  switch (type) {
  case Type::I8:
    return {-128, 127};
  case Type::I16:
    return {-32768, 32767};
  case Type::U16:
    return {0, 65535};
  default:
    return {0, 255};
  }
}

/// QuantizeLinear and DequantizeLinear of an activation: the bounds of the integers, which may take
/// the place of a Relu, without the rounding between the bounds.
bool Dequantizer::takeRange(Node &node) {
  const Node *quantize = makers.lookup(node.inputs[0]);
  if (!quantize || quantize->op != "QuantizeLinear" || node.inputs.size() < 2 ||
      quantize->inputs.size() < 2)
    return false;
  auto sameOf = [&](size_t i) -> const Tensor * {
    bool isGiven = i < node.inputs.size() && i < quantize->inputs.size();
    const Tensor *own = isGiven ? known(node.inputs[i]) : nullptr;
    const Tensor *other = isGiven ? known(quantize->inputs[i]) : nullptr;
    bool isSame = own && other && own->count == 1 && other->count == 1 &&
                  realsOf(*own)->numbers == realsOf(*other)->numbers;
    return isSame ? own : nullptr;
  };
  const Tensor *scale = sameOf(1), *zero = sameOf(2);
  if (!scale || (!zero && (node.inputs.size() > 2 || quantize->inputs.size() > 2)))
    return false;
  auto [least, largest] = limitsOf(zero ? zero->type : Type::U8);
  float step = realsOf(*scale)->numbers[0], origin = zero ? realsOf(*zero)->numbers[0] : 0;
  Node clip;
  clip.name = node.name;
  clip.op = "Clip";
  clip.inputs = {quantize->inputs[0]};
  for (double bound : {least, largest}) {
    std::string name = freeName(node.outputs[0] + (bound == least ? ".low" : ".high"));
    added.push_back(tensorOf(model, name, {{}, {(float(bound) - origin) * step}}));
    added.back().isGiven = true;
    clip.inputs.push_back(name);
  }
  clip.outputs = node.outputs;
  node = std::move(clip);
  ++ranges;
  return true;
}

void Dequantizer::run() {
  foldWeights();
  for (Node &node : graph.nodes) {
    if (node.outputs.empty() || dropped.count(&node) || node.inputs.empty())
      continue;
    if (node.op == "DequantizeLinear")
      (void)(takeGather(node) || takeRange(node));
    else if (node.op == "MatMulInteger" || node.op == "ConvInteger")
      products += takeProduct(node);
    else if (node.op == "DynamicQuantizeMatMul" || node.op == "MatMulIntegerToFloat")
      products += takeToFloat(node);
    else if (node.op == "DynamicQuantizeLSTM")
      products += takeLstm(node);
  }
  int64_t weights = llvm::count_if(added, [](const Tensor &each) { return !each.isGiven; });
  llvm::erase_if(graph.nodes, [&](const Node &node) { return dropped.count(&node) != 0; });
  graph.nodes.insert(graph.nodes.end(), extra.begin(), extra.end());
  std::move(added.begin(), added.end(), std::back_inserter(graph.initializers));
  if (weights || ranges)
    model.remarks.push_back(
        "the file is quantized: " + std::to_string(weights) +
        (weights == 1 ? " weight of integers is" : " weights of integers are") + " in f32" +
        (products ? ", products of integers are products in f32" : "") +
        (ranges ? ", and activations keep the bounds of integers, but no rounding" : ""));
}

void ampc::onnx::dequantize(Model &model) {
  bool mayBe =
      llvm::any_of(model.graph.nodes, [](const Node &node) { return isQuantization(node.op); }) ||
      llvm::any_of(model.graph.initializers,
                   [](const Tensor &tensor) { return isSmall(tensor.type); });
  if (mayBe)
    Dequantizer(model).run();
}
