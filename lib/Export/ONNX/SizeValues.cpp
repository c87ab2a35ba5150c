// Numbers that an exported graph computes from open sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/SizeValues.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <numeric>

using namespace ampc;
using namespace ampc::exporting;
using llvm::ArrayRef;
using llvm::SmallVector;

SizeValues::SizeValues(ArrayRef<ProbeGraph> probes, ArrayRef<std::string> names, Model &graph)
    : probes(probes), names(names), result(graph), inputOf(names.size()) {
  for (const Node &node : result.nodes)
    taken.insert(node.outputs.begin(), node.outputs.end());
  for (const NamedArray &initializer : result.initializers)
    taken.insert(initializer.name);
  for (const ValueInfo &input : result.inputs)
    taken.insert(input.name);
}

void SizeValues::bind(size_t size, const std::string &input, int64_t dim) {
  if (inputOf[size].first.empty())
    inputOf[size] = {input, dim};
}

std::string SizeValues::unbound() const {
  for (auto [name, input] : llvm::zip(names, inputOf))
    if (input.first.empty())
      return name;
  return "";
}

// ---- Numbers ----

std::optional<int64_t> Formula::of(int64_t product) const {
  if (factor * product % divisor != 0)
    return std::nullopt;
  return factor * product / divisor + rest;
}

/// Sets factor / divisor to the quotient in lowest terms.
static void setQuotient(Formula &formula, int64_t dividend, int64_t divisor) {
  int64_t common = std::gcd(dividend, divisor);
  formula.factor = dividend / common;
  formula.divisor = divisor / common;
}

/// Fits the first probes; the last probe, in which all sizes differ, is the check.
std::optional<Formula> SizeValues::formulaOf(ArrayRef<int64_t> numbers) const {
  Formula formula;
  ArrayRef<int64_t> first = probes[0].sizes, last = probes.back().sizes;
  for (size_t size = 0; size < names.size(); ++size)
    if (numbers[size + 1] != numbers[0])
      formula.sizes.push_back(size);
  int64_t before = 1, after = 1, distance = 1;
  for (size_t size : formula.sizes) {
    before *= first[size];
    after *= last[size];
    distance *= probes[size + 1].sizes[size] - first[size];
  }
  if (formula.sizes.empty())
    formula.rest = numbers[0];
  else if (formula.sizes.size() == 1)
    setQuotient(formula, numbers[formula.sizes[0] + 1] - numbers[0], distance);
  else
    setQuotient(formula, numbers[0], before);
  if (formula.sizes.size() == 1)
    formula.rest = numbers[0] - formula.of(before).value_or(0);
  bool fits = distance % formula.divisor == 0 && formula.of(before) == numbers[0] &&
              formula.of(after) == numbers.back();
  for (size_t size : formula.sizes)
    fits &= formula.of(before / first[size] * probes[size + 1].sizes[size]) == numbers[size + 1];
  return fits ? std::optional(formula) : std::nullopt;
}

std::string SizeValues::textOf(const Formula &formula) const {
  std::string text = formula.factor == 1 ? "" : std::to_string(formula.factor) + "*";
  for (size_t size : formula.sizes)
    text += names[size] + "*";
  text.pop_back();
  if (formula.divisor != 1)
    text += "/" + std::to_string(formula.divisor);
  if (formula.rest)
    text += (formula.rest < 0 ? " - " : " + ") + std::to_string(std::abs(formula.rest));
  return text;
}

// ---- Values that nodes compute ----

std::string SizeValues::unique(const std::string &name) {
  std::string given = name;
  for (int i = 1; !taken.insert(given).second; ++i)
    given = name + "." + std::to_string(i);
  return given;
}

std::string SizeValues::add(const char *op, std::vector<std::string> inputs,
                            std::vector<NodeAttribute> attributes) {
  std::string key = op;
  for (const std::string &input : inputs)
    key += "\n" + input;
  if (attributes.empty())
    if (auto found = known.find(key); found != known.end())
      return found->second;
  bool isShared = attributes.empty();
  std::string name = unique("sizes/" + std::string(op));
  added.push_back({op, name, std::move(inputs), {name}, std::move(attributes)});
  if (isShared)
    known[key] = name;
  return name;
}

static Array arrayOfIntegers(ArrayRef<int64_t> numbers) {
  auto data = std::make_shared<std::vector<int64_t>>(numbers.begin(), numbers.end());
  Array array;
  array.element = Element::I64;
  array.dims = {int64_t(numbers.size())};
  array.data = data->data();
  array.mapping = data;
  return array;
}

std::string SizeValues::integers(ArrayRef<int64_t> numbers) {
  std::string key = "integers";
  for (int64_t number : numbers)
    key += " " + std::to_string(number);
  std::string &name = known[key];
  if (name.empty()) {
    name = unique("sizes/" + key.substr(9));
    result.initializers.push_back({name, arrayOfIntegers(numbers)});
  }
  return name;
}

std::string SizeValues::sizeNamed(size_t size) {
  std::string &name = known["size " + names[size]];
  if (!name.empty())
    return name;
  auto [input, dim] = inputOf[size];
  std::string shape = add("Shape", {input});
  return name = add("Gather", {shape, integers({dim})}, {{"axis", int64_t(0)}});
}

std::string SizeValues::computed(const Formula &formula) {
  std::string value;
  for (size_t size : formula.sizes)
    value = value.empty() ? sizeNamed(size) : add("Mul", {value, sizeNamed(size)});
  if (formula.factor != 1)
    value = add("Mul", {value, integers({formula.factor})});
  if (formula.divisor != 1)
    value = add("Div", {value, integers({formula.divisor})});
  return formula.rest ? add("Add", {value, integers({formula.rest})}) : value;
}

std::string SizeValues::vectorOf(ArrayRef<Formula> formulas) {
  std::vector<std::string> parts;
  SmallVector<int64_t> fixed;
  auto flush = [&] {
    if (!fixed.empty())
      parts.push_back(integers(fixed));
    fixed.clear();
  };
  for (const Formula &formula : formulas) {
    if (formula.sizes.empty()) {
      fixed.push_back(formula.rest);
      continue;
    }
    flush();
    parts.push_back(computed(formula));
  }
  flush();
  return parts.size() == 1 ? parts[0] : add("Concat", parts, {{"axis", int64_t(0)}});
}

// ---- Constants ----

bool exporting::isEqual(const Array &a, const Array &b) {
  return a.element == b.element && a.dims == b.dims &&
         (a.data == b.data || std::memcmp(a.data, b.data, size_t(a.bytes())) == 0);
}

std::string SizeValues::joinedIntegers(const Arrays &arrays, bool isShape) {
  const Array &first = *arrays[0];
  bool areVectors = first.element == Element::I64 && first.dims.size() == 1 &&
                    llvm::all_of(arrays, [&](const Array *array) {
                      return array->dims == first.dims && array->element == first.element;
                    });
  if (!areVectors)
    return "";
  const int64_t *numbers = static_cast<const int64_t *>(first.data);
  bool mayInfer = isShape && !llvm::is_contained(ArrayRef(numbers, first.count()), -1);
  SmallVector<Formula> formulas;
  for (int64_t i = 0; i < first.count(); ++i) {
    auto formula = formulaOf(llvm::map_to_vector(
        arrays, [&](const Array *array) { return static_cast<const int64_t *>(array->data)[i]; }));
    if (!formula && !std::exchange(mayInfer, false))
      return "";
    formulas.push_back(formula.value_or(Formula{0, -1, {}}));
  }
  return vectorOf(formulas);
}

std::string SizeValues::joinedShape(const Arrays &arrays) {
  return joinedIntegers(arrays, /*isShape=*/true);
}

std::string SizeValues::shapeOf(const Arrays &arrays) {
  SmallVector<Formula> formulas;
  for (size_t dim = 0; dim < arrays[0]->dims.size(); ++dim) {
    auto formula = formulaOf(
        llvm::map_to_vector(arrays, [&](const Array *array) { return array->dims[dim]; }));
    if (!formula)
      return "";
    formulas.push_back(*formula);
  }
  return vectorOf(formulas);
}

/// First element, if all elements are equal.
static const char *onlyElement(const Array &array) {
  const char *data = static_cast<const char *>(array.data);
  int64_t size = bytesOf(array.element), bytes = array.bytes();
  bool isFilled = bytes > 0 && std::memcmp(data, data + size, size_t(bytes - size)) == 0;
  return isFilled ? data : nullptr;
}

/// Constants of one value: an Expand of the value.
std::string SizeValues::joinedFilled(const Arrays &arrays) {
  const char *value = onlyElement(*arrays[0]);
  size_t size = size_t(bytesOf(arrays[0]->element));
  for (const Array *array : arrays)
    if (const char *other = onlyElement(*array);
        !value || !other || std::memcmp(value, other, size) != 0)
      return "";
  std::string shape = shapeOf(arrays);
  if (shape.empty())
    return "";
  Array one = *arrays[0];
  one.dims.clear();
  std::string name = unique("sizes/value");
  result.initializers.push_back({name, one});
  return add("Expand", {name, shape});
}

template <typename T> static bool countsUp(const Array &array) {
  for (int64_t i = 0; i < array.count(); ++i)
    if (static_cast<const T *>(array.data)[i] != T(i))
      return false;
  return true;
}

/// Number of the type in TensorProto.DataType, if the elements are 0, 1, 2, ... along the only
/// dimension larger than 1; else 0.
static int64_t typeOfRange(const Array &array) {
  struct Row {
    Element element;
    int64_t type;
    bool (*countsUp)(const Array &);
  };
  static const Row table[] = {{Element::I32, 6, countsUp<int32_t>},
                              {Element::I64, 7, countsUp<int64_t>},
                              {Element::F32, 1, countsUp<float>},
                              {Element::F64, 11, countsUp<double>}};
  auto row = llvm::find_if(table, [&](const Row &each) { return each.element == array.element; });
  bool isLine = llvm::count_if(array.dims, [](int64_t size) { return size != 1; }) == 1;
  return isLine && row != std::end(table) && row->countsUp(array) ? row->type : 0;
}

/// Positions along a dimension: a Range from 0.
std::string SizeValues::joinedRange(const Arrays &arrays) {
  if (!llvm::all_of(arrays, [](const Array *array) { return typeOfRange(*array) != 0; }))
    return "";
  auto count = formulaOf(llvm::map_to_vector(arrays, [](const Array *a) { return a->count(); }));
  std::string shape = shapeOf(arrays);
  if (!count || shape.empty())
    return "";
  auto scalar = [&](std::string vector) {
    return add("Squeeze", {std::move(vector), integers({0})});
  };
  std::string end = scalar(count->sizes.empty() ? integers({count->rest}) : computed(*count));
  std::string range = add("Range", {scalar(integers({0})), end, scalar(integers({1}))});
  return add("Reshape", {add("Cast", {range}, {{"to", typeOfRange(*arrays[0])}}), shape});
}

std::string SizeValues::joined(const Arrays &arrays) {
  if (std::string name = joinedIntegers(arrays); !name.empty())
    return name;
  for (const Array *array : arrays)
    if (array->element != arrays[0]->element || array->dims.size() != arrays[0]->dims.size())
      return "";
  std::string name = joinedFilled(arrays);
  return name.empty() ? joinedRange(arrays) : name;
}
