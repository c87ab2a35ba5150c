// Builder of train ops for converters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include "mlir-dialects/Train/Text/Results.h"
#include "mlir/IR/Verifier.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

std::nullptr_t Converter::fail(const Twine &message) {
  if (fault.empty())
    fault = message.str();
  return nullptr;
}

// ---- Inputs ----

ImportedValue *Converter::find(unsigned i) const {
  if (!has(i))
    return nullptr;
  auto found = scope.find(node.inputs[i]);
  return found == scope.end() ? nullptr : &found->second;
}

Dims ampc::onnx::toChannelsLast(int64_t rank) {
  Dims order = {0};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  return order;
}
Dims ampc::onnx::toChannelsFirst(int64_t rank) {
  Dims order = {0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i)
    order.push_back(i);
  return order;
}

Value Converter::readState(const ImportedValue &known) {
  const Dims &dims = known.stateDims.empty() ? known.dims : known.stateDims;
  auto type = RankedTensorType::get(dims, elementOf(known.type));
  Value read = train::ReadOp::create(b, NameLoc::get(b.getStringAttr(known.state)), type,
                                     FlatSymbolRefAttr::get(b.getContext(), known.state));
  if (known.stateDims.empty())
    return read;
  // A matrix with a single row is stored transposed, with a single column.
  bool isRepeated = dims[0] == 1 && known.dims[0] > 1 &&
                    ArrayRef(dims).drop_front() == ArrayRef(known.dims).drop_front();
  return isRepeated ? broadcastTo(read, known.dims) : transpose(read, {1, 0});
}

Value Converter::valueOf(ImportedValue &known) {
  if (known.sequence)
    return fail("expected a tensor, but got a sequence");
  if (!known.plain && !known.state.empty())
    known.plain = readState(known);
  if (!known.plain && known.literal)
    known.plain = constant(*known.literal);
  if (!known.plain && known.channelsLast)
    known.plain = transpose(known.channelsLast, toChannelsFirst(known.dims.size()));
  return known.plain;
}

Value Converter::in(unsigned i) {
  ImportedValue *known = find(i);
  return known ? valueOf(*known) : fail("expected an input " + Twine(i));
}

Value Converter::fixed(unsigned i) {
  Value value = in(i);
  return value ? make<train::StopGradientOp>(value) : Value();
}

ImportedValue Converter::known(unsigned i) const {
  ImportedValue *known = find(i);
  return known ? *known : ImportedValue();
}

Value Converter::image(unsigned i) {
  ImportedValue *known = find(i);
  if (!known)
    return fail("expected an input " + Twine(i));
  if (known->dims.size() < 3)
    return fail("expected at least 3 dimensions, but got " + Twine(known->dims.size()));
  if (!known->channelsLast)
    known->channelsLast = transpose(in(i), toChannelsLast(known->dims.size()));
  return known->channelsLast;
}

bool Converter::isChannelsLast(unsigned i) const {
  ImportedValue *known = find(i);
  return known && known->channelsLast && !known->plain;
}
const Literal *Converter::literal(unsigned i) const {
  ImportedValue *known = find(i);
  return known && known->state.empty() ? known->literal.get() : nullptr;
}
const Literal *Converter::setting(unsigned i) const {
  ImportedValue *known = find(i);
  return known ? known->literal.get() : nullptr;
}
ArrayRef<int64_t> Converter::dims(unsigned i) const {
  ImportedValue *known = find(i);
  return known ? ArrayRef<int64_t>(known->dims) : ArrayRef<int64_t>();
}
onnx::Type Converter::type(unsigned i) const {
  ImportedValue *known = find(i);
  return known ? known->type : onnx::Type::None;
}

std::string Converter::state(unsigned i) {
  ImportedValue *known = find(i);
  if (!known || known->state.empty())
    fail("expected input " + Twine(i) + " to be an initializer");
  return known ? known->state : "";
}

// ---- Attributes ----

int64_t Converter::integer(StringRef name, int64_t otherwise) const {
  const onnx::Attribute *found = node.find(name);
  return found && found->kind == onnx::Attribute::Int ? found->integer : otherwise;
}
double Converter::real(StringRef name, double otherwise) const {
  const onnx::Attribute *found = node.find(name);
  return found && found->kind == onnx::Attribute::Real ? shortest(found->real, 8) : otherwise;
}
std::string Converter::text(StringRef name, StringRef otherwise) const {
  const onnx::Attribute *found = node.find(name);
  return found && found->kind == onnx::Attribute::Text ? found->text : otherwise.str();
}
std::optional<Dims> Converter::ints(StringRef name) const {
  const onnx::Attribute *found = node.find(name);
  if (!found || found->kind != onnx::Attribute::Ints)
    return std::nullopt;
  return Dims(found->ints.begin(), found->ints.end());
}

std::optional<Dims> Converter::numbers(unsigned i, StringRef what) {
  const Literal *known = setting(i);
  if (!known || known->dims.size() > 1) {
    fail("expected " + what + " that follow from the shapes of the inputs, but got " +
         (has(i) ? "values computed at run time" : "none"));
    return std::nullopt;
  }
  Dims result;
  for (int64_t at = 0; at < known->count(); ++at)
    result.push_back(known->integer(at));
  return result;
}

std::optional<Dims> Converter::numbersOf(StringRef attribute, unsigned input) {
  if (auto found = ints(attribute))
    return found;
  if (!has(input))
    return std::nullopt;
  return numbers(input, attribute);
}

int64_t Converter::axis(int64_t number, int64_t rank) {
  if (number >= -rank && number < rank)
    return number < 0 ? number + rank : number;
  fail("expected an axis of " + Twine(rank) + " dimensions, but got " + Twine(number));
  return -1;
}
int64_t Converter::axisOf(unsigned input, int64_t otherwise) {
  return axis(integer("axis", otherwise), rank(input));
}

// ---- Results ----

/// Name of the exporter for a value, as a name of the language: "/fc/Gemm_output_0" -> "fc.Gemm".
static std::string nameFor(StringRef output) {
  output = output.ltrim('/');
  output.consume_back("_output_0");
  std::string name;
  for (char c : output)
    name += llvm::isAlnum(c) || c == '_' || c == '.' ? c : c == '/' || c == ':' ? '.' : '_';
  bool isNumber = llvm::all_of(name, llvm::isDigit);
  return name.empty() || isNumber ? "" : llvm::isDigit(name[0]) ? "_" + name : name;
}

ImportedValue &Converter::define(unsigned i, onnx::Type type) {
  ImportedValue &known = scope[node.outputs[i]];
  known = ImportedValue();
  known.type = type;
  return known;
}

static onnx::Type typeOf(Value value) {
  mlir::Type element = Converter::elementOf(value);
  if (element.isInteger(1))
    return onnx::Type::Bool;
  if (element.isInteger(64))
    return onnx::Type::I64;
  if (isa<IntegerType>(element))
    return onnx::Type::I32;
  return element.isF64() ? onnx::Type::F64 : onnx::Type::F32;
}

/// Names an op created for this node after the node's output.
static void nameAfterOutput(Value value, const Node &node, const std::string &output) {
  Operation *op = value.getDefiningOp();
  std::string name = nameFor(output);
  if (op && !name.empty() && isa<UnknownLoc>(op->getLoc()) && op->getNumResults() == 1)
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name)));
}

void Converter::set(unsigned i, Value value) {
  if (!value || !wants(i))
    return;
  ImportedValue &known = define(i, typeOf(value));
  known.dims = Dims(shapeOf(value));
  known.plain = value;
  nameAfterOutput(value, node, node.outputs[i]);
}
void Converter::setImage(unsigned i, Value value) {
  if (!value || !wants(i))
    return;
  ImportedValue &known = define(i, typeOf(value));
  ArrayRef<int64_t> shape = shapeOf(value);
  for (int64_t from : toChannelsFirst(shape.size()))
    known.dims.push_back(shape[from]);
  known.channelsLast = value;
  nameAfterOutput(value, node, node.outputs[i]);
}
void Converter::set(unsigned i, Literal literal) {
  if (!wants(i))
    return;
  ImportedValue &known = define(i, literal.type);
  known.dims = literal.dims;
  known.literal = std::make_shared<const Literal>(std::move(literal));
}
void Converter::set(unsigned i, ImportedValue known) {
  if (wants(i))
    scope[node.outputs[i]] = std::move(known);
}
void Converter::pass(unsigned i, unsigned from) {
  if (ImportedValue *known = find(from); known && wants(i))
    scope[node.outputs[i]] = ImportedValue(*known);
}

// ---- Building ----

mlir::Type Converter::elementOf(onnx::Type type) const {
  if (type == onnx::Type::Bool)
    return b.getI1Type();
  if (type == onnx::Type::F64)
    return b.getF64Type();
  return isReal(type) ? mlir::Type(b.getF32Type()) : b.getI32Type();
}

Operation *Converter::op(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                         mlir::Type result, unsigned results) {
  if (llvm::is_contained(operands, Value()))
    return fail("expected every operand");
  auto known = RegisteredOperationName::lookup(name, b.getContext());
  if (!known)
    return fail("there is no op " + name + " yet");
  OperationState state(b.getUnknownLoc(), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  bool isGiven = bool(result);
  if (!result)
    result = operands.empty() ? mlir::Type() : operands.front().getType();
  state.addTypes(SmallVector<mlir::Type>(results, result));
  Operation *made = b.create(state);
  // Absent attributes have defaults, so the verifier runs after inference.
  if ((!isGiven && failed(inferResults(made))) || failed(mlir::verify(made, false))) {
    made->erase();
    return fail("the op " + name + " does not take these operands");
  }
  return made;
}

NamedAttribute Converter::attr(StringRef name, ArrayRef<int64_t> numbers) {
  return b.getNamedAttr(name, b.getDenseI64ArrayAttr(numbers));
}
NamedAttribute Converter::attr(StringRef name, int64_t number) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(number));
}
NamedAttribute Converter::attr(StringRef name, double number) {
  return b.getNamedAttr(name, b.getF64FloatAttr(number));
}
NamedAttribute Converter::flag(StringRef name) { return b.getNamedAttr(name, b.getUnitAttr()); }

Value Converter::constant(const Literal &literal) {
  if (literal.count() == 0)
    return fail("expected a tensor with elements");
  mlir::Type element = elementOf(literal.type);
  auto type = RankedTensorType::get(literal.dims, element);
  int64_t count = literal.allEqual() ? 1 : literal.count();
  SmallVector<mlir::Attribute> elements;
  for (int64_t i = 0; i < count; ++i) {
    if (literal.isReal()) {
      elements.push_back(b.getFloatAttr(element, literal.reals[i]));
    } else if (int64_t value = literal.ints[i]; value == int32_t(value)) {
      elements.push_back(b.getIntegerAttr(element, value));
    } else {
      return fail("expected integers of 32 bits, but got " + Twine(value));
    }
  }
  return make<train::ConstantOp>(
      {}, b.getNamedAttr("value", DenseElementsAttr::get(type, elements)), type);
}

Value Converter::real(double number, Value like) {
  if (!like)
    return {};
  if (!isa<FloatType>(elementOf(like))) {
    if (number != std::floor(number))
      return fail("expected reals, but got integers");
    return constant(Literal::scalar(int64_t(number)));
  }
  Literal literal = Literal::scalar(onnx::Type::F64, number);
  literal.type = elementOf(like).isF64() ? onnx::Type::F64 : onnx::Type::F32;
  return constant(literal);
}

Value Converter::add(Value x, Value y) { return make<train::AddOp>({x, y}); }
Value Converter::sub(Value x, Value y) { return make<train::SubOp>({x, y}); }
Value Converter::mul(Value x, Value y) { return make<train::MulOp>({x, y}); }
Value Converter::div(Value x, Value y) { return make<train::DivOp>({x, y}); }
Value Converter::compare(train::ComparePredicate predicate, Value x, Value y) {
  return make<train::CompareOp>(
      {x, y},
      b.getNamedAttr("predicate", train::ComparePredicateAttr::get(b.getContext(), predicate)));
}
Value Converter::select(Value condition, Value x, Value y) {
  return make<train::SelectOp>({condition, x, y});
}

/// Whether a model can have a tensor of this shape: no size 0.
static bool isTensor(ArrayRef<int64_t> dims) {
  return llvm::all_of(dims, [](int64_t size) { return size > 0; });
}

Value Converter::reshape(Value x, ArrayRef<int64_t> dims) {
  if (!x || shapeOf(x) == dims)
    return x;
  if (!isTensor(dims))
    return fail("expected a tensor with elements");
  return make<train::ReshapeOp>(x, {}, RankedTensorType::get(dims, elementOf(x)));
}

/// Transposes, merging with a transpose below; identities disappear.
Value Converter::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (!x)
    return x;
  Dims order(permutation);
  if (auto before = x.getDefiningOp<train::TransposeOp>()) {
    for (int64_t &from : order)
      from = before.getPermutation()[from];
    x = before.getX();
  }
  if (llvm::is_sorted(order))
    return x;
  return make<train::TransposeOp>(x, attr("permutation", order));
}

Value Converter::broadcastTo(Value x, ArrayRef<int64_t> dims) {
  if (!x || shapeOf(x) == dims)
    return x;
  if (!isTensor(dims))
    return fail("expected a tensor with elements");
  return make<train::BroadcastToOp>(x, {}, RankedTensorType::get(dims, elementOf(x)));
}

Value Converter::cast(Value x, mlir::Type element) {
  if (!x || elementOf(x) == element)
    return x;
  return make<train::CastOp>(x, {}, RankedTensorType::get(shapeOf(x), element));
}

Value Converter::slice(Value x, ArrayRef<int64_t> from, ArrayRef<int64_t> sizes,
                       ArrayRef<int64_t> strides) {
  if (!x || shapeOf(x) == sizes)
    return x;
  if (!isTensor(sizes))
    return fail("expected a slice with elements");
  return make<train::SliceOp>(
      x, {attr("offsets", from), attr("sizes", sizes), attr("strides", strides)});
}

Value Converter::reduce(StringRef name, Value x, ArrayRef<int64_t> over, bool keep) {
  if (!x)
    return x;
  Dims kept(shapeOf(x));
  for (int64_t dim : over)
    kept[dim] = 1;
  Operation *made = op(name, x, attr("dims", over));
  if (!made)
    return {};
  return keep ? reshape(made->getResult(0), kept) : made->getResult(0);
}

Value Converter::concat(ValueRange parts, int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  return make<train::ConcatOp>(parts, attr("dim", axis));
}

Value Converter::countBy(int64_t step, int64_t count) {
  if (count < 1)
    return fail("expected a tensor with elements");
  auto type = RankedTensorType::get(count, b.getI32Type());
  Value numbers = make<train::IotaOp>({}, attr("dim", int64_t(0)), type);
  return step == 1 ? numbers : mul(numbers, constant(Literal::scalar(step)));
}

/// Permutation that moves a dimension to the front.
static Dims toFront(int64_t axis, int64_t rank) {
  Dims order = {axis};
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      order.push_back(i);
  return order;
}

/// Gathers along `axis`: the dimensions of the index replace the dimension.
Value Converter::take(Value x, int64_t axis, Value index) {
  if (!x || !index)
    return {};
  int64_t rank = shapeOf(x).size(), more = shapeOf(index).size();
  Value rows = transpose(x, toFront(axis, rank));
  bool isKnown = bool(index.getDefiningOp<train::ConstantOp>());
  SmallVector<NamedAttribute> attributes;
  if (!isKnown)
    attributes.push_back(flag("from_end"));
  Value taken = make<train::GatherOp>({rows, index}, attributes);
  if (!taken || axis == 0)
    return taken;
  // [index..., dims before the axis..., dims behind the axis...]
  Dims order;
  for (int64_t i = 0; i < axis; ++i)
    order.push_back(more + i);
  for (int64_t i = 0; i < more; ++i)
    order.push_back(i);
  for (int64_t i = axis; i + 1 < rank; ++i)
    order.push_back(more + i);
  return transpose(taken, order);
}

Value Converter::take(Value x, int64_t axis, ArrayRef<int64_t> index) {
  if (!x || index.empty())
    return fail("expected at least one index");
  if (int64_t(index.size()) > mostElements)
    return fail("expected at most " + Twine(mostElements) + " indices");
  // An arithmetic progression is a slice.
  int64_t step = index.size() > 1 ? index[1] - index[0] : 1;
  bool isSlice = step > 0;
  for (size_t i = 1; i < index.size(); ++i)
    isSlice &= index[i] - index[i - 1] == step;
  if (!isSlice)
    return take(x, axis, constant(Literal::of(index)));
  Dims from(shapeOf(x).size(), 0), sizes(shapeOf(x)), strides(shapeOf(x).size(), 1);
  from[axis] = index[0];
  sizes[axis] = index.size();
  strides[axis] = step;
  return slice(x, from, sizes, strides);
}
