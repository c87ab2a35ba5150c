// Constants of an exported graph: weights and literals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Constants.h"
#include "ampc/Data/Convert.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

std::optional<Element> exporting::elementOf(Type element) {
  if (element.isF32())
    return Element::F32;
  if (element.isF64())
    return Element::F64;
  if (element.isF16())
    return Element::F16;
  if (element.isBF16())
    return Element::BF16;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || !integer.isSignless())
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return Element::I1;
  case 8:
    return Element::I8;
  case 16:
    return Element::I16;
  case 32:
    return Element::I32;
  case 64:
    return Element::I64;
  }
  return std::nullopt;
}

/// Array of zeros, with a pointer to the bytes.
static std::pair<Array, char *> makeArray(Element element, ArrayRef<int64_t> dims) {
  Array array;
  array.element = element;
  array.dims.assign(dims.begin(), dims.end());
  auto bytes = std::make_shared<std::vector<char>>(size_t(array.bytes()));
  array.data = bytes->data();
  array.mapping = bytes;
  return {array, bytes->data()};
}

Array exporting::arrayOf(ArrayRef<int64_t> numbers) {
  auto [array, bytes] = makeArray(Element::I64, {int64_t(numbers.size())});
  std::memcpy(bytes, numbers.data(), numbers.size() * sizeof(int64_t));
  return array;
}

static void put(const llvm::APInt &bits, int64_t bytes, char *to) {
  uint64_t number = bits.getZExtValue();
  std::memcpy(to, &number, size_t(bytes)); // little-endian, in files and on all supported hosts
}
static llvm::APInt bitsOf(double number, Type element) {
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return llvm::APInt(64, uint64_t(int64_t(number)));
  llvm::APFloat value(number);
  bool losesInfo;
  value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt();
}

Array exporting::arrayOf(double number, Type element) {
  Element type = *elementOf(element);
  auto [array, bytes] = makeArray(type, {});
  put(bitsOf(number, element), bytesOf(type), bytes);
  return array;
}

std::optional<Array> exporting::arrayOf(ElementsAttr attribute) {
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  std::optional<Element> element = elementOf(attribute.getElementType());
  if (!dense || !element)
    return std::nullopt;
  auto [array, bytes] = makeArray(*element, attribute.getShapedType().getShape());
  int64_t size = bytesOf(*element);
  if (isa<FloatType>(attribute.getElementType()))
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>())
      put(value.bitcastToAPInt(), size, std::exchange(bytes, bytes + size));
  else
    for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
      put(value, size, std::exchange(bytes, bytes + size));
  return array;
}

std::optional<Array> exporting::converted(const Array &from, Type element, std::string &error) {
  std::optional<Element> to = elementOf(element);
  if (!to || from.element == *to)
    return from;
  Converter converter(from.element, ampc_dtype(*to));
  int64_t misfit = converter.findMisfit(from.data, from.count(), {});
  if (misfit >= 0) {
    error = "expected " + describe(ampc_dtype(*to), Limits()) + ", but got " +
            converter.text(from.data, misfit) + " at element " + std::to_string(misfit);
    return std::nullopt;
  }
  auto [array, bytes] = makeArray(*to, from.dims);
  converter.convert(from.data, bytes, from.count());
  return array;
}

Array exporting::transposed(const Array &from, ArrayRef<int64_t> order) {
  size_t rank = order.size();
  Dims dims, strides(rank, 1), steps;
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * from.dims[i];
  for (int64_t dim : order) {
    dims.push_back(from.dims[dim]);
    steps.push_back(strides[dim]);
  }
  auto [array, bytes] = makeArray(from.element, dims);
  int64_t size = bytesOf(from.element), at = 0, count = from.count();
  Dims index(rank, 0);
  for (int64_t done = 0; done < count; ++done) {
    std::memcpy(bytes + done * size, static_cast<const char *>(from.data) + at * size,
                size_t(size));
    for (size_t i = rank; i-- > 0;) {
      at += steps[i];
      if (++index[i] < dims[i])
        break;
      at -= steps[i] * dims[i];
      index[i] = 0;
    }
  }
  return array;
}

/// Extents around a dimension, for an array seen as [around][size][bytes of a slice].
static std::pair<int64_t, int64_t> partsAlong(const Array &array, int64_t dim) {
  int64_t around = 1;
  for (int64_t size : ArrayRef(array.dims).take_front(dim))
    around *= size;
  return {around, array.bytes() / (around * array.dims[dim])};
}

Array exporting::firstAlong(const Array &from, int64_t dim) {
  auto [around, bytes] = partsAlong(from, dim);
  Dims dims(from.dims.begin(), from.dims.end());
  dims[dim] = 1;
  auto [array, to] = makeArray(from.element, dims);
  for (int64_t i = 0; i < around; ++i)
    std::memcpy(to + i * bytes, static_cast<const char *>(from.data) + i * from.dims[dim] * bytes,
                size_t(bytes));
  return array;
}

int64_t exporting::repeatedDimension(const Array &array, int64_t size) {
  for (int64_t dim = 0; dim < int64_t(array.dims.size()); ++dim) {
    if (array.dims[dim] != size || array.bytes() == 0)
      continue;
    auto [around, bytes] = partsAlong(array, dim);
    const char *data = static_cast<const char *>(array.data);
    // A slice equals the next slice where the bytes equal the bytes moved by a slice.
    bool isSame = true;
    for (int64_t i = 0; i < around && isSame; ++i, data += size * bytes)
      isSame = std::memcmp(data, data + bytes, size_t((size - 1) * bytes)) == 0;
    if (isSame)
      return dim;
  }
  return -1;
}

Array exporting::reshaped(Array array, ArrayRef<int64_t> dims) {
  array.dims.assign(dims.begin(), dims.end());
  return array;
}

bool exporting::isIdentity(ArrayRef<int64_t> order) {
  return llvm::all_of(llvm::enumerate(order),
                      [](auto pair) { return int64_t(pair.index()) == pair.value(); });
}
Dims exporting::identity(int64_t rank) {
  return llvm::to_vector_of<int64_t, 6>(llvm::seq<int64_t>(0, rank));
}

Dims exporting::positions(ArrayRef<int64_t> order, ArrayRef<int64_t> of) {
  return Dims(
      llvm::map_range(order, [&](int64_t dim) { return llvm::find(of, dim) - of.begin(); }));
}
