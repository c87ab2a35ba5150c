// Converts elements of files to elements of a model's tensors in blocks, through f64 (e.g. `bf16 ->
// f64 -> f32`) or i64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Convert.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

using namespace ampc;

namespace {
constexpr int64_t blockSize = 1024;

/// A 16-bit float type: bits of the fraction, and bias of the exponent.
struct Half {
  int digits, bias;
};
constexpr Half f16{10, 15}, bf16{7, 127};

template <typename T> T at(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * int64_t(sizeof value),
              sizeof value);
  return value;
}

double widen(uint16_t bits, Half type) {
  int exponent = (bits & 0x7fff) >> type.digits, fraction = bits & ((1 << type.digits) - 1);
  double value;
  if (exponent == 2 * type.bias + 1)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - type.bias - type.digits);
  else
    value = std::ldexp(fraction | 1 << type.digits, exponent - type.bias - type.digits);
  return bits & 0x8000 ? -value : value;
}

/// Rounds `f64 -> f16` or `f64 -> bf16`, to nearest, ties to even. A fraction that rounds up to a
/// power of two carries into the exponent, because both are added.
uint16_t narrow(double value, Half type) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int infinity = (2 * type.bias + 1) << type.digits;
  if (std::isnan(value))
    return uint16_t(sign | infinity | 1 << (type.digits - 1));
  double magnitude = std::fabs(value);
  if (magnitude == 0 || std::isinf(value))
    return uint16_t(sign | (magnitude == 0 ? 0 : infinity));
  int exponent = std::max(std::ilogb(magnitude), 1 - type.bias);
  if (exponent > type.bias)
    return uint16_t(sign | infinity);
  auto digits = int(std::nearbyint(std::ldexp(magnitude, type.digits - exponent)));
  int bits = ((exponent + type.bias - 1) << type.digits) + digits;
  return uint16_t(sign | std::min(bits, infinity));
}

template <typename T> void readReals(const void *from, int64_t count, double *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = double(at<T>(from, i));
}
void readHalves(const void *from, int64_t count, Half type, double *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = widen(at<uint16_t>(from, i), type);
}
template <typename T> void readWhole(const void *from, int64_t count, int64_t *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = int64_t(at<T>(from, i));
}

/// Reads integers of type T with `read`: readWhole (to i64) or readReals (to f64).
#define AMPC_READ_WHOLE(read)                                                                      \
  switch (element) {                                                                               \
  case Element::I1:                                                                                \
  case Element::U8:                                                                                \
    return read<uint8_t>(from, count, to);                                                         \
  case Element::I8:                                                                                \
    return read<int8_t>(from, count, to);                                                          \
  case Element::I16:                                                                               \
    return read<int16_t>(from, count, to);                                                         \
  case Element::I32:                                                                               \
    return read<int32_t>(from, count, to);                                                         \
  case Element::U16:                                                                               \
    return read<uint16_t>(from, count, to);                                                        \
  case Element::U32:                                                                               \
    return read<uint32_t>(from, count, to);                                                        \
  case Element::U64:                                                                               \
    return read<uint64_t>(from, count, to);                                                        \
  default:                                                                                         \
    return read<int64_t>(from, count, to);                                                         \
  }
void read(Element element, const void *from, int64_t count, int64_t *to) {
  AMPC_READ_WHOLE(readWhole)
}
void read(Element element, const void *from, int64_t count, double *to) {
  switch (element) {
  case Element::F64:
    return readReals<double>(from, count, to);
  case Element::F32:
    return readReals<float>(from, count, to);
  case Element::F16:
    return readHalves(from, count, f16, to);
  case Element::BF16:
    return readHalves(from, count, bf16, to);
  default:
    break;
  }
  AMPC_READ_WHOLE(readReals)
}
#undef AMPC_READ_WHOLE

template <typename T, typename From> void put(const From *from, int64_t count, void *to) {
  for (int64_t i = 0; i < count; ++i) {
    auto value = static_cast<T>(from[i]);
    std::memcpy(static_cast<char *>(to) + i * int64_t(sizeof value), &value, sizeof value);
  }
}
void putHalves(const double *from, int64_t count, Half type, void *to) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t value = narrow(from[i], type);
    std::memcpy(static_cast<char *>(to) + i * 2, &value, sizeof value);
  }
}
template <typename From>
void putWhole(const From *from, int64_t count, ampc_dtype dtype, void *to) {
  switch (dtype) {
  case AMPC_I64:
    return put<int64_t>(from, count, to);
  case AMPC_I32:
    return put<int32_t>(from, count, to);
  case AMPC_I16:
    return put<int16_t>(from, count, to);
  case AMPC_I8:
    return put<int8_t>(from, count, to);
  default:
    return put<uint8_t>(from, count, to);
  }
}
void putReals(const double *from, int64_t count, ampc_dtype dtype, void *to) {
  switch (dtype) {
  case AMPC_F64:
    return put<double>(from, count, to);
  case AMPC_F32:
    return put<float>(from, count, to);
  case AMPC_F16:
    return putHalves(from, count, f16, to);
  case AMPC_BF16:
    return putHalves(from, count, bf16, to);
  default:
    return putWhole(from, count, dtype, to);
  }
}

struct Range {
  double least, most;
};
Range rangeOf(Element element) {
  switch (element) {
  case Element::F64:
    return {-DBL_MAX, DBL_MAX};
  case Element::F32:
    return {-FLT_MAX, FLT_MAX};
  case Element::F16:
    return {-65504, 65504};
  case Element::BF16:
    return {-0x1.FEp127, 0x1.FEp127};
  case Element::I1:
    return {0, 1};
  default:
    break;
  }
  bool isSigned = element >= Element::I8 && element <= Element::I64;
  double size = std::ldexp(1.0, int(8 * bytesOf(element)) - isSigned);
  // The largest f64 below `size`, because 2^63 itself does not fit i64.
  return {isSigned ? -size : 0, size <= 0x1p53 ? size - 1 : std::nextafter(size, 0)};
}
} // namespace

Converter::Converter(Element from, ampc_dtype to, Affine affine)
    : from(from), to(elementOf(to)), affine(std::move(affine)) {}

bool Converter::isWhole() const { return !isReal(from) && !isReal(to) && affine.isIdentity(); }

void Converter::apply(double *values, int64_t begin, int64_t count) const {
  auto one = [](const std::vector<double> &all, int64_t index) {
    return all[size_t(index) % all.size()];
  };
  if (affine.scale.size() == 1)
    for (int64_t i = 0; i < count; ++i)
      values[i] *= affine.scale[0];
  else if (!affine.scale.empty())
    for (int64_t i = 0; i < count; ++i)
      values[i] *= one(affine.scale, begin + i);
  if (affine.offset.size() == 1)
    for (int64_t i = 0; i < count; ++i)
      values[i] += affine.offset[0];
  else if (!affine.offset.empty())
    for (int64_t i = 0; i < count; ++i)
      values[i] += one(affine.offset, begin + i);
}

void Converter::convert(const void *data, void *result, int64_t count) const {
  auto *source = static_cast<const char *>(data);
  auto *target = static_cast<char *>(result);
  int64_t sourceBytes = bytesOf(from), targetBytes = bytesOf(to);
  if (from == to && affine.isIdentity()) {
    std::memcpy(target, source, size_t(count * targetBytes));
    return;
  }
  auto dtype = static_cast<ampc_dtype>(to);
  for (int64_t i = 0; i < count; i += blockSize) {
    int64_t size = std::min(blockSize, count - i);
    if (isWhole()) {
      int64_t block[blockSize];
      read(from, source + i * sourceBytes, size, block);
      putWhole(block, size, dtype, target + i * targetBytes);
      continue;
    }
    double block[blockSize];
    read(from, source + i * sourceBytes, size, block);
    apply(block, i, size);
    putReals(block, size, dtype, target + i * targetBytes);
  }
}

bool Converter::mayMisfit(const Limits &limits) const {
  if (isReal(to))
    return limits.finite && (isReal(from) || !affine.isIdentity() || to == Element::F16);
  return from != to || limits.labels || to == Element::I1; // a byte of a file may be any number
}

int64_t Converter::misfitAmongWhole(const void *data, int64_t count, const Limits &limits) const {
  int64_t block[blockSize];
  int64_t least = to == Element::I64 ? INT64_MIN : int64_t(rangeOf(to).least),
          most = to == Element::I64 ? INT64_MAX : int64_t(rangeOf(to).most);
  if (limits.labels)
    least = std::max(least, limits.least), most = std::min(most, limits.labels - 1);
  auto *source = static_cast<const char *>(data);
  for (int64_t i = 0; i < count; i += blockSize) {
    int64_t size = std::min(blockSize, count - i);
    read(from, source + i * bytesOf(from), size, block);
    bool good = true;
    for (int64_t k = 0; k < size; ++k)
      good &= block[k] >= least && block[k] <= most;
    bool large = from == Element::U64; // u64 beyond 2^63 is negative as i64
    for (int64_t k = 0; (!good || large) && k < size; ++k)
      if ((large && block[k] < 0) ||
          ((block[k] < least || block[k] > most) && (!limits.labels || block[k] != limits.ignore)))
        return i + k;
  }
  return -1;
}

/// Whether all floats are finite. A loop without early exit, which vectorizes, because elements of
/// equal types are only copied.
template <typename T> static bool areFinite(const void *data, int64_t count) {
  T most = std::numeric_limits<T>::max();
  bool good = true; // comparisons with NaN are false
  for (int64_t i = 0; i < count; ++i)
    good &= std::fabs(at<T>(data, i)) <= most;
  return good;
}

int64_t Converter::misfitAmongReals(const void *data, int64_t count, const Limits &limits) const {
  double block[blockSize];
  Range range = rangeOf(to);
  if (limits.labels)
    range = {double(limits.least), double(limits.labels - 1)};
  bool whole = !isReal(to);
  auto *source = static_cast<const char *>(data);
  for (int64_t i = 0; i < count; i += blockSize) {
    int64_t size = std::min(blockSize, count - i);
    const char *place = source + i * bytesOf(from);
    bool same = from == to && affine.isIdentity();
    if ((same && from == Element::F32 && areFinite<float>(place, size)) ||
        (same && from == Element::F64 && areFinite<double>(place, size)))
      continue;
    read(from, place, size, block);
    apply(block, i, size);
    bool good = true; // comparisons with NaN are false
    for (int64_t k = 0; k < size; ++k)
      good &= block[k] >= range.least && block[k] <= range.most;
    for (int64_t k = 0; (!good || whole) && k < size; ++k)
      if (!(block[k] >= range.least && block[k] <= range.most &&
            (!whole || block[k] == std::floor(block[k]))) &&
          (!limits.labels || block[k] != double(limits.ignore)))
        return i + k;
  }
  return -1;
}

int64_t Converter::findMisfit(const void *data, int64_t count, const Limits &limits) const {
  if (!mayMisfit(limits))
    return -1;
  return isWhole() ? misfitAmongWhole(data, count, limits) : misfitAmongReals(data, count, limits);
}

std::string Converter::text(const void *data, int64_t index) const {
  const char *place = static_cast<const char *>(data) + index * bytesOf(from);
  if (from == Element::U64 && affine.isIdentity())
    return std::to_string(at<uint64_t>(place, 0));
  if (!isReal(from) && affine.isIdentity()) {
    int64_t value;
    read(from, place, 1, &value);
    return std::to_string(value);
  }
  double value;
  read(from, place, 1, &value);
  apply(&value, index, 1);
  if (std::isnan(value))
    return "nan"; // the sign of a NaN has no meaning
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

std::string ampc::describe(ampc_dtype to, const Limits &limits) {
  Element element = elementOf(to);
  if (limits.labels) {
    bool outside = limits.ignore < limits.least || limits.ignore >= limits.labels;
    return "whole numbers in [" + std::to_string(limits.least) + ", " +
           std::to_string(limits.labels) + ")" +
           (outside ? " or " + std::to_string(limits.ignore) : "");
  }
  if (element == Element::F64 || element == Element::F32 || element == Element::BF16)
    return "finite numbers that fit into " + std::string(nameOf(element));
  if (element == Element::F16)
    return "numbers in [-65504, 65504], which f16 holds,";
  if (element == Element::I1)
    return "0 or 1";
  return "whole numbers that fit into " + std::string(nameOf(element));
}
