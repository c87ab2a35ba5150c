// Arithmetic on whole tensors in f32, of any size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Reals.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace ampc::onnx;

template <typename T> static void load(const Tensor &tensor, std::vector<float> &to) {
  for (int64_t i = 0; i < tensor.count; ++i) {
    T value;
    std::memcpy(&value, tensor.data + i * int64_t(sizeof(T)), sizeof(T));
    to[size_t(i)] = float(value);
  }
}

std::optional<Reals> ampc::onnx::realsOf(const Tensor &tensor) {
  if (!tensor.fault.empty() || (tensor.count && !tensor.data))
    return std::nullopt;
  Reals result{Dims(tensor.dims.begin(), tensor.dims.end()),
               std::vector<float>(size_t(tensor.count))};
  switch (tensor.type) {
  case Type::I8:
    load<int8_t>(tensor, result.numbers);
    return result;
  case Type::U8:
    load<uint8_t>(tensor, result.numbers);
    return result;
  case Type::F32:
    load<float>(tensor, result.numbers);
    return result;
  case Type::I32:
    load<int32_t>(tensor, result.numbers);
    return result;
  default:
    break;
  }
  auto literal = readLiteral(tensor);
  if (!literal)
    return std::nullopt;
  for (int64_t i = 0; i < literal->count(); ++i)
    result.numbers[size_t(i)] = float(literal->real(i));
  return result;
}

Reals Reals::along(int64_t axis, int64_t rank) const {
  Reals result = *this;
  result.dims = numbers.size() == 1 ? Dims() : Dims(rank, 1);
  if (numbers.size() != 1)
    result.dims[axis] = count();
  return result;
}

Reals Reals::repeated(int64_t axis, int64_t times, int64_t size) const {
  int64_t inner = 1, outer = 1, old = dims[axis];
  for (int64_t i = 0; i < int64_t(dims.size()); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  Reals result{dims, std::vector<float>(size_t(outer * size * inner))};
  result.dims[axis] = size;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < size; ++k)
      std::copy_n(numbers.begin() + (o * old + std::min(k / times, old - 1)) * inner, inner,
                  result.numbers.begin() + (o * size + k) * inner);
  return result;
}

Reals Reals::transposed() const {
  Reals result{dims, std::vector<float>(numbers.size())};
  int64_t rank = dims.size(), rows = dims[rank - 2], columns = dims[rank - 1];
  std::swap(result.dims[rank - 2], result.dims[rank - 1]);
  for (int64_t at = 0; at < count(); at += rows * columns)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        result.numbers[at + j * rows + i] = numbers[at + i * columns + j];
  return result;
}

std::optional<Reals> ampc::onnx::combine(const Reals &x, const Reals &y,
                                         llvm::function_ref<float(float, float)> function) {
  auto shape = broadcastShape(x.dims, y.dims);
  if (!shape)
    return std::nullopt;
  int64_t count = 1, width = shape->empty() ? 1 : shape->back();
  for (int64_t size : *shape)
    count *= size;
  Reals result{*shape, std::vector<float>(size_t(count))};
  Broadcast fromX(x.dims, *shape), fromY(y.dims, *shape);
  // Positions of a row's first element; inside a row an operand has the stride 0 or 1.
  bool runsX = !x.dims.empty() && x.dims.back() != 1, runsY = !y.dims.empty() && y.dims.back() != 1;
  for (int64_t row = 0; row < count; row += width) {
    const float *a = x.numbers.data() + fromX.at(row), *b = y.numbers.data() + fromY.at(row);
    for (int64_t i = 0; i < width; ++i)
      result.numbers[size_t(row + i)] = function(a[runsX ? i : 0], b[runsY ? i : 0]);
  }
  return result;
}

Tensor ampc::onnx::tensorOf(Model &model, std::string name, Reals numbers) {
  auto owned = std::make_shared<std::vector<float>>(std::move(numbers.numbers));
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.type = Type::F32;
  tensor.dims.assign(numbers.dims.begin(), numbers.dims.end());
  tensor.count = int64_t(owned->size());
  tensor.data = reinterpret_cast<const char *>(owned->data());
  model.owners.push_back(owned);
  return tensor;
}
