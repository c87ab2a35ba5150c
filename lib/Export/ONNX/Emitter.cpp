// Values of the graph with their names and dimension orders, and constants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

// ---- Values ----

std::shared_ptr<Constant> Emitter::constantOf(StringRef state) {
  std::shared_ptr<Constant> &constant = states[state];
  if (!constant)
    constant = std::make_shared<Constant>(Constant{state.str(), stateOf(state), {}});
  return constant;
}

std::string Emitter::state(StringRef name) {
  Constant &constant = *constantOf(name);
  return form(constant, constant.array.dims, identity(int64_t(constant.array.dims.size())));
}

GraphValue &Emitter::trace(Value v) {
  auto found = values.find(v);
  if (found != values.end())
    return found->second;
  GraphValue traced;
  traced.order = identity(rankOf(v));
  // Weights and constants are materialized on demand.
  if (auto read = v.getDefiningOp<train::ReadOp>()) {
    traced.constant = constantOf(read.getState());
  } else if (auto constant = v.getDefiningOp<train::ConstantOp>()) {
    if (std::optional<Array> array = arrayOf(constant.getValue())) {
      if (int64_t dim = kind == BatchMode::AnyRepeated ? repeatedDimension(*array, rows) : -1;
          dim >= 0) {
        array = firstAlong(*array, dim);
        traced.rows = BatchLayout{dim};
        traced.isSingleRow = true;
      }
      traced.constant = std::make_shared<Constant>(Constant{"constant", *array, {}});
    } else
      fail(constant, "constants whose elements lie elsewhere");
  }
  return values.try_emplace(v, std::move(traced)).first->second;
}

std::string Emitter::form(Constant &constant, ArrayRef<int64_t> dims, ArrayRef<int64_t> order) {
  std::string &name = constant.forms[{dims.vec(), order.vec()}];
  if (!name.empty())
    return name;
  Array array = reshaped(constant.array, dims);
  if (!isIdentity(order))
    array = transposed(array, order);
  if (constant.name == "constant" && array.count() == 1 && array.dims.empty()) {
    // Scalars of formulas become Constant nodes, so that viewers show the number at the use.
    std::string key = std::string(nameOf(array.element)) +
                      std::string(static_cast<const char *>(array.data), size_t(array.bytes()));
    std::string &same = shared[key];
    if (same.empty()) {
      same = unique("constant");
      model.nodes.push_back({"Constant", same, {}, {same}, {{"value", array}}});
    }
    return name = same;
  }
  return name = initializer(constant.name, array);
}

std::string Emitter::in(Value v) { return in(v, identity(rankOf(v))); }

std::string Emitter::in(Value v, ArrayRef<int64_t> order) {
  GraphValue &traced = trace(v);
  Dims moved = exporting::positions(order, traced.order);
  if (traced.constant)
    return form(*traced.constant, traced.constant->array.dims, moved);
  return transpose(traced.name, moved);
}

std::string Emitter::in(Value v, Type element) { return cast(in(v), elementTypeOf(v), element); }

std::string Emitter::in(Value v, ArrayRef<int64_t> order, int64_t rank) {
  int64_t own = rankOf(v);
  if (own == rank)
    return in(v, order);
  if (own == 0 || isIdentity(order))
    return in(v);
  Dims dims(rank - own, 1);
  llvm::append_range(dims, sizesOf(v));
  GraphValue &traced = trace(v);
  if (traced.constant && isIdentity(traced.order))
    return form(*traced.constant, dims, order);
  return transpose(node("Reshape", {in(v), integers(dims)}), order);
}

Dims Emitter::sizesOf(Value v) {
  Dims dims(shapeOf(v));
  if (isBatched(v))
    dims[trace(v).rows->dim] = isSingleRow(v) ? 1 : -1;
  return dims;
}

ValueInfo Emitter::describe(Value v, StringRef name) {
  ValueInfo info{name.str(), *exporting::elementOf(elementTypeOf(v)), {}};
  for (int64_t size : shapeOf(v))
    info.dims.push_back({size, ""});
  if (isBatched(v)) {
    Dim &dim = info.dims[trace(v).rows->dim];
    int64_t times = dim.size / rows;
    dim.symbol = times == 1 ? "batch" : std::to_string(times) + "*batch";
  }
  return info;
}

// ---- Results ----

void Emitter::set(Value v, std::string name, ArrayRef<int64_t> order) {
  GraphValue &traced = values[v]; // the batch dimension may be known already
  traced.name = std::move(name);
  traced.order = Dims(order);
  traced.constant = nullptr;
}

void Emitter::alias(Value v, Value of) {
  GraphValue traced = trace(of);
  values[v] = std::move(traced);
}

void Emitter::fail(Operation *op, const Twine &reason) {
  faults.insert({op->getLoc(), {op->getName().getStringRef().str(), reason.str()}});
  for (Value result : op->getResults())
    set(result, "");
}

// ---- Nodes ----

std::vector<std::string> Emitter::nodes(StringRef kind, ArrayRef<std::string> inputs,
                                        std::vector<NodeAttribute> attributes, unsigned results) {
  std::string name = unique(current + "/" + kind.str());
  Node made{kind.str(), name, inputs.vec(), {name}, std::move(attributes)};
  for (unsigned i = 1; i < results; ++i)
    made.outputs.push_back(unique(name + "." + std::to_string(i)));
  model.nodes.push_back(made);
  return made.outputs;
}
std::string Emitter::node(StringRef kind, ArrayRef<std::string> inputs,
                          std::vector<NodeAttribute> attributes) {
  return nodes(kind, inputs, std::move(attributes), 1).front();
}

static int64_t dataType(Type element) {
  // Numbers of TensorProto.DataType.
  static const int64_t types[] = {1, 11, 10, 16, 9, 3, 5, 6, 7, 2, 4, 12, 13};
  return types[static_cast<int>(*exporting::elementOf(element))];
}

std::string Emitter::cast(std::string x, Type from, Type to) {
  return from == to ? x : node("Cast", {x}, {{"to", dataType(to)}});
}

std::string Emitter::transpose(const std::string &x, ArrayRef<int64_t> order) {
  if (isIdentity(order))
    return x;
  std::string &name = transposes[{x, order.vec()}];
  if (name.empty())
    name = node("Transpose", {x}, {{"perm", order.vec()}});
  return name;
}

std::string Emitter::number(double value, Type element) {
  Constant constant{"constant", arrayOf(value, element), {}};
  return form(constant, {}, {});
}

std::string Emitter::integers(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ",") + std::to_string(value);
  std::string &name = shared["integers " + text];
  if (name.empty())
    name = initializer("[" + text + "]", arrayOf(values));
  return name;
}

std::string Emitter::initializer(StringRef name, Array array) {
  std::string given = unique(name);
  model.initializers.push_back({given, std::move(array)});
  return given;
}

std::string Emitter::positions(int64_t size, int64_t dim, int64_t rank) {
  std::string &name =
      shared[("positions " + Twine(size) + " " + Twine(dim) + " " + Twine(rank)).str()];
  if (name.empty()) {
    auto numbers = std::make_shared<std::vector<int32_t>>(size);
    std::iota(numbers->begin(), numbers->end(), 0);
    Array array;
    array.element = Element::I32;
    array.dims.assign(rank, 1);
    array.dims[dim] = size;
    array.data = numbers->data();
    array.mapping = numbers;
    name = initializer("positions", array);
  }
  return name;
}

void Emitter::enter(Operation *op) {
  train::OriginAttr origin = originOf(op);
  current = origin ? origin.getName().str() : op->getName().stripDialect().str();
}

std::string Emitter::unique(StringRef name) {
  std::string given = name.str();
  // The search for a free suffix starts at the number of nodes: from 1, names of a function with
  // many calls would take quadratic time.
  for (size_t i = model.nodes.size(); !names.insert(given).second; ++i)
    given = (name + "." + Twine(i)).str();
  return given;
}

std::shared_ptr<Body> Emitter::collect(llvm::function_ref<void(Body &)> emit) {
  auto body = std::make_shared<Body>();
  std::vector<Node> around = std::exchange(model.nodes, {});
  auto transposesAround = transposes;
  emit(*body);
  for (Node &node : model.nodes)
    (node.op == "Constant" ? around : body->nodes).push_back(std::move(node));
  model.nodes = std::move(around);
  transposes = std::move(transposesAround);
  return body;
}

/// Renames a value where nodes read it, in the bodies of loops as well.
static void renameReads(std::vector<Node> &nodes, const std::string &from, const std::string &to) {
  SmallVector<std::vector<Node> *> open{&nodes};
  while (!open.empty())
    for (Node &node : *open.pop_back_val()) {
      llvm::replace(node.inputs, from, to);
      for (NodeAttribute &attribute : node.attributes)
        if (auto *body = std::get_if<std::shared_ptr<Body>>(&attribute.value))
          open.push_back(&(*body)->nodes);
    }
}

bool Emitter::rename(const std::string &from, const std::string &to) {
  auto made = llvm::find_if(model.nodes,
                            [&](Node &node) { return llvm::is_contained(node.outputs, from); });
  bool isOutput = llvm::any_of(model.outputs, [&](ValueInfo &out) { return out.name == from; });
  if (made == model.nodes.end() || isOutput || made->op == "Constant")
    return false;
  renameReads(model.nodes, from, to);
  for (Node &node : model.nodes)
    llvm::replace(node.outputs, from, to);
  return true;
}

// ---- Rows of the batch ----

void Emitter::bindInput(Value v, StringRef name, std::optional<BatchLayout> place) {
  bind(v, {name.str(), identity(rankOf(v)), nullptr, place});
  if (!place || !rowsInput.empty())
    return;
  rowsInput = name.str();
  rowsDim = place->dim;
  rowsTimes = shapeOf(v)[place->dim] / rows;
}

/// Vector [times * rows of the batch], computed in the graph.
std::string Emitter::countRows(int64_t times) {
  std::string sizes = node("Shape", {rowsInput});
  std::string count = node("Gather", {sizes, integers({rowsDim})}, {{"axis", int64_t(0)}});
  if (rowsTimes > 1)
    count = node("Div", {count, integers({rowsTimes})});
  return times > 1 ? node("Mul", {count, integers({times})}) : count;
}

std::string Emitter::sizes(Value v, Dims dims) {
  if (!isBatched(v) || isSingleRow(v))
    return integers(dims);
  int64_t dim = trace(v).rows->dim;
  std::vector<std::string> parts;
  if (dim > 0)
    parts.push_back(integers(ArrayRef(dims).take_front(dim)));
  parts.push_back(countRows(shapeOf(v)[dim] / rows));
  if (dim + 1 < rankOf(v))
    parts.push_back(integers(ArrayRef(dims).drop_front(dim + 1)));
  return parts.size() == 1 ? parts[0] : node("Concat", parts, {{"axis", int64_t(0)}});
}

void Emitter::repeat(Value v) {
  if (!isSingleRow(v))
    return;
  std::string one = in(v);
  GraphValue traced{"", identity(rankOf(v)), nullptr, trace(v).rows};
  bind(v, traced);
  traced.name = node("Expand", {one, sizes(v, Dims(shapeOf(v)))});
  bind(v, traced);
}

void Emitter::noteRows(Operation *op) {
  auto batched = llvm::make_filter_range(op->getOperands(), [&](Value v) { return isBatched(v); });
  if (!batched.empty())
    repeatOperands(*this, op);
  for (OpResult result : op->getResults()) {
    GraphValue traced;
    traced.order = identity(rankOf(result));
    if (!batched.empty()) {
      traced.rows = rowsOfResult(*this, result);
      traced.isSingleRow =
          traced.rows && llvm::all_of(batched, [&](Value v) { return isSingleRow(v); });
      if (!traced.rows && !result.use_empty() && !mixesRows)
        mixesRows = op;
    } else if (int64_t dim = kind == BatchMode::AnyRepeated ? repeatedDimension(result, rows) : -1;
               dim >= 0) {
      traced.rows = BatchLayout{dim};
      traced.isSingleRow = true;
    }
    values[result] = std::move(traced);
  }
}
