// Gradient nodes, which refer to the differentiated value by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Nodes.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Opaque copy of the value: a trivial reshape, so that merging of transposes does not look through
/// to the operands of a differentiated value.
static Value hide(Converter &c, Value x) {
  return x ? c.make<train::ReshapeOp>(x, {}, x.getType()) : x;
}

/// Whether the value is an argument or a read of state, which no builder looks through.
static bool isLeaf(Value x) {
  return x && (isa<BlockArgument>(x) || x.getDefiningOp<train::ReadOp>());
}

Value Nodes::evaluateAt(OpBuilder &b, Converter &c, const std::string &y,
                        ArrayRef<std::string> names, ArrayRef<Value> values, const Scope &outer) {
  llvm::StringSet<> end;
  for (const std::string &name : names)
    end.insert(name);
  auto slice = producers.slice({y}, end);
  if (!slice) {
    c.fail(llvm::toString(slice.takeError()));
    return {};
  }
  if (!repeat(c, slice->nodes.size()))
    return {};
  Scope scope;
  for (const auto &input : slice->inputs)
    if (auto found = outer.find(input.getKey()); found != outer.end())
      scope[input.getKey()] = found->second;
  for (auto [name, value] : llvm::zip(names, values)) {
    Node node;
    node.outputs = {name};
    scope.erase(name);
    Converter(b, node, c.opset, scope).set(0, value);
  }
  convert(b, slice->nodes, scope);
  Node node;
  node.inputs = {y};
  Value result = scope.contains(y) ? Converter(b, node, c.opset, scope).in(0) : Value();
  return result ? result : c.fail("expected nodes that can be imported for '" + y + "'");
}

/// Whether `value` depends on `source`.
static bool dependsOn(Value value, Value source) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == source)
      return true;
    if (Operation *op = seen[i].getDefiningOp())
      seen.insert_range(op->getOperands());
  }
  return false;
}

/// Names of the values on which `y` depends, in the order of the node's inputs: `xs`, then `zs`.
static std::vector<std::string> sourcesOf(Converter &c) {
  std::vector<std::string> names;
  for (StringRef list : {"xs", "zs"})
    if (const onnx::Attribute *found = c.node.find(list))
      llvm::append_range(names, found->texts);
  return names;
}

void Nodes::convertGradient(OpBuilder &b, Converter &c, Scope &scope) {
  const onnx::Attribute *xs = c.node.find("xs");
  std::string y = c.text("y", "");
  std::vector<std::string> names = sourcesOf(c);
  if (!xs || y.empty() || xs->texts.empty() || names.size() != c.inputs())
    return void(c.fail("expected the names of a value and of " + Twine(c.inputs()) +
                       " sources, but got " + Twine(names.size())));
  SmallVector<Value> values;
  for (unsigned i = 0; i < names.size(); ++i)
    values.push_back(c.in(i));
  ArrayRef<Value> sources = ArrayRef(values).take_front(xs->texts.size());
  if (!c.fault.empty())
    return;
  Value result;
  if (names == c.node.inputs && llvm::all_of(sources, isLeaf)) {
    Node node;
    node.inputs = {y};
    result = scope.contains(y) ? Converter(b, node, c.opset, scope).in(0) : Value();
  } else {
    for (size_t i = 0; i < sources.size(); ++i)
      values[i] = hide(c, values[i]);
    result = evaluateAt(b, c, y, names, values, scope);
  }
  if (!result)
    return void(c.fail("expected a value '" + y + "'"));
  for (auto [name, source] : llvm::zip(xs->texts, sources))
    if (!dependsOn(result, source))
      return void(
          c.fail("expected '" + y + "' to depend on '" + name + "', but the value does not"));
  // The gradient of a tensor is the gradient of the sum of its elements.
  if (int64_t rank = tensorOf(result).getRank())
    result = c.reduce(train::ReduceSumOp::getOperationName(), result,
                      llvm::to_vector(llvm::seq<int64_t>(rank)), false);
  SmallVector<Value> operands = {result};
  llvm::append_range(operands, sources);
  Operation *made =
      c.op(train::GradOp::getOperationName(), operands, {}, {}, unsigned(sources.size()));
  for (unsigned i = 0; made && i < sources.size(); ++i)
    c.set(i, made->getResult(i));
}
