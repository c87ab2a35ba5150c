// Small tensors known at import, and arithmetic on the elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Literal.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace ampc::onnx;
using llvm::ArrayRef;

int64_t ampc::onnx::countOf(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims)
    if (__builtin_mul_overflow(count, size, &count) || count > mostElements)
      return mostElements + 1;
  return count;
}

Literal::Literal(Type type, ArrayRef<int64_t> dims) : type(type), dims(dims) {
  if (isReal())
    reals.resize(countOf(dims));
  else
    ints.resize(countOf(dims));
}
Literal Literal::of(ArrayRef<int64_t> numbers) {
  Literal literal(Type::I64, {int64_t(numbers.size())});
  llvm::copy(numbers, literal.ints.begin());
  return literal;
}
Literal Literal::scalar(Type type, double value) {
  Literal literal(type, {});
  literal.set(0, value);
  return literal;
}
Literal Literal::scalar(int64_t value) {
  Literal literal(Type::I64, {});
  literal.ints[0] = value;
  return literal;
}

/// Truncates; reals beyond i64 saturate, NaN becomes 0.
static int64_t truncated(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 9.2e18)
    return INT64_MAX;
  return value <= -9.2e18 ? INT64_MIN : int64_t(value);
}

int64_t Literal::integer(int64_t i) const { return isReal() ? truncated(reals[i]) : ints[i]; }

double ampc::onnx::roundTo(Type type, double value) {
  if (type == Type::F32)
    return float(value);
  if (type == Type::F64)
    return value;
  llvm::APFloat number(value);
  bool loses;
  number.convert(type == Type::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

double ampc::onnx::shortest(float rounded, int mostDigits) {
  for (int digits = 1; digits <= mostDigits; ++digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, rounded);
    if (double number = std::strtod(text, nullptr); float(number) == rounded)
      return number;
  }
  return rounded;
}

/// Wraps an integer around to the type's range: u8, 256 -> 0.
static int64_t wrapped(Type type, int64_t value) {
  switch (type) {
  case Type::I8:
    return int8_t(value);
  case Type::U8:
    return uint8_t(value);
  case Type::I16:
    return int16_t(value);
  case Type::U16:
    return uint16_t(value);
  case Type::I32:
    return int32_t(value);
  case Type::U32:
    return uint32_t(value);
  case Type::Bool:
    return value != 0;
  default:
    return value;
  }
}

void Literal::set(int64_t i, double value) {
  if (isReal())
    reals[i] = roundTo(type, value);
  else
    ints[i] = type == Type::Bool ? value != 0 : wrapped(type, truncated(value));
}
void Literal::set(int64_t i, int64_t value) {
  if (isReal())
    reals[i] = roundTo(type, double(value));
  else
    ints[i] = wrapped(type, value);
}
void Literal::copy(int64_t i, const Literal &other, int64_t from) {
  if (isReal())
    reals[i] = other.reals[from];
  else
    ints[i] = other.ints[from];
}
bool Literal::allEqual() const {
  return isReal() ? llvm::all_equal(reals) && !reals.empty()
                  : llvm::all_equal(ints) && !ints.empty();
}

template <typename T> static T load(const char *data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

static double loadHalf(Type type, const char *data, int64_t i) {
  llvm::APInt bits(16, load<uint16_t>(data, i));
  return llvm::APFloat(type == Type::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(),
                       bits)
      .convertToDouble();
}

static int64_t loadInteger(Type type, const char *data, int64_t i) {
  switch (type) {
  case Type::I8:
    return load<int8_t>(data, i);
  case Type::U8:
    return load<uint8_t>(data, i);
  case Type::Bool:
    return load<uint8_t>(data, i) != 0;
  case Type::I16:
    return load<int16_t>(data, i);
  case Type::U16:
    return load<uint16_t>(data, i);
  case Type::I32:
    return load<int32_t>(data, i);
  case Type::U32:
    return load<uint32_t>(data, i);
  default:
    return load<int64_t>(data, i);
  }
}

std::optional<Literal> ampc::onnx::readLiteral(const Tensor &tensor) {
  if (!tensor.fault.empty() || tensor.count > mostElements || (tensor.count && !tensor.data))
    return std::nullopt;
  Literal literal(tensor.type, tensor.dims);
  for (int64_t i = 0; i < tensor.count; ++i) {
    if (tensor.type == Type::F32)
      literal.reals[i] = load<float>(tensor.data, i);
    else if (tensor.type == Type::F64)
      literal.reals[i] = load<double>(tensor.data, i);
    else if (literal.isReal())
      literal.reals[i] = loadHalf(tensor.type, tensor.data, i);
    else
      literal.ints[i] = loadInteger(tensor.type, tensor.data, i);
  }
  return literal;
}

Dims ampc::onnx::stridesOf(ArrayRef<int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (int i = int(dims.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}

std::optional<Dims> ampc::onnx::broadcastShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims shape(a);
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = shape[a.size() - b.size() + i];
    if (size != b[i] && size != 1 && b[i] != 1)
      return std::nullopt;
    if (size == 1)
      size = b[i];
  }
  return shape;
}

Broadcast::Broadcast(ArrayRef<int64_t> operand, ArrayRef<int64_t> shape)
    : result(shape), strides(shape.size(), 0) {
  Dims own = stridesOf(operand);
  for (size_t i = 0; i < operand.size(); ++i)
    if (operand[i] != 1)
      strides[shape.size() - operand.size() + i] = own[i];
}
int64_t Broadcast::at(int64_t position) const {
  int64_t at = 0;
  for (int i = int(result.size()) - 1; i >= 0; --i) {
    at += position % result[i] * strides[i];
    position /= result[i];
  }
  return at;
}

Literal ampc::onnx::rearranged(const Literal &x, ArrayRef<int64_t> dims,
                               llvm::function_ref<int64_t(ArrayRef<int64_t>)> from) {
  Literal result(x.type, dims);
  Dims position(dims.size(), 0);
  for (int64_t i = 0; i < result.count(); ++i) {
    result.copy(i, x, from(position));
    for (int d = int(dims.size()) - 1; d >= 0 && ++position[d] == dims[d]; --d)
      position[d] = 0;
  }
  return result;
}
