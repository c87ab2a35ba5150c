// Scalar conversions and elementary functions, written for vectorisation of the loops around the
// calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_EXEC_NUMERIC_H
#define PTXSIM_EXEC_NUMERIC_H

#include "lib/PTXSim/Exec/Isa.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {

template <class To, class From> inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "bitCast needs equal sizes");
  return __builtin_bit_cast(To, from);
}
inline uint32_t floatBits(float f) { return bitCast<uint32_t>(f); }
inline float bitsFloat(uint32_t u) { return bitCast<float>(u); }
constexpr uint32_t canonicalNaN = 0x7fffffff;

inline float halfToFloat(uint16_t h) { return float(bitCast<_Float16>(h)); }
inline uint16_t floatToHalf(float f) {
  return f != f ? uint16_t(0x7fff) : bitCast<uint16_t>(_Float16(f));
}
inline float bfloatToFloat(uint16_t b) { return bitsFloat(uint32_t(b) << 16); }
inline uint16_t floatToBfloat(float f) {
  uint32_t u = floatBits(f);
  uint32_t rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return uint16_t(f != f ? 0x7fff : rounded);
}

/// Flushes subnormal single-precision numbers to zero of the same sign.
inline float flushFloat(float x) {
  uint32_t u = floatBits(x);
  return (u & 0x7f800000) == 0 ? bitsFloat(u & 0x80000000) : x;
}

/// Whether .ftz flushes a single-precision result: subnormal when rounded with an unbounded
/// exponent. Example: (1 - 2^-24) 2^-126 is flushed, although the nearest multiple of 2^-149 is
/// 2^-126. `exact` may be rounded to odd.
inline bool isTiny(double exact) { return std::fabs(exact) < 0x1p-126 - 0x1p-151; }
inline bool isTiny(double exact, Rounding rounding) {
  if (rounding == (exact < 0 ? Rounding::Down : Rounding::Up))
    return std::fabs(exact) <= 0x1p-126 - 0x1p-150;
  bool nearest = rounding == Rounding::Nearest || rounding == Rounding::None;
  return nearest ? isTiny(exact) : std::fabs(exact) < 0x1p-126;
}
inline float zeroOf(float sign) { return bitsFloat(floatBits(sign) & 0x80000000); }

/// a + b rounded to odd: a second rounding to a type of at least two bits less is then exact.
inline double addToOdd(double a, double b) {
  double s = a + b;
  double bb = s - a;
  double error = (a - (s - bb)) + (b - bb);
  uint64_t u = bitCast<uint64_t>(s);
  bool finite = (u & 0x7ff0000000000000) != 0x7ff0000000000000;
  if (error != 0 && finite && !(u & 1))
    u += (error > 0) == (s > 0) ? 1 : uint64_t(-1);
  return bitCast<double>(u);
}
/// Rounds to odd, for a later rounding to a 16-bit type.
inline float doubleToFloatOdd(double d) {
  float f = float(d);
  if (double(f) == d || d != d || std::isinf(f)) {
    // Overflow of float implies overflow of every 16-bit type.
    return f;
  }
  uint32_t u = floatBits(f);
  if (std::fabs(double(f)) > std::fabs(d))
    u--;
  return bitsFloat(u | 1);
}
inline uint16_t doubleToHalf(double d) { return floatToHalf(doubleToFloatOdd(d)); }
inline uint16_t doubleToBfloat(double d) { return floatToBfloat(doubleToFloatOdd(d)); }

/// Minimum that treats NaN as missing; -0 is below +0.
inline float minimumNumber(float a, float b) {
  float r = a < b ? a : b;
  r = a == b ? bitsFloat(floatBits(a) | floatBits(b)) : r;
  r = a != a ? b : r;
  r = b != b ? a : r;
  return a != a && b != b ? bitsFloat(canonicalNaN) : r;
}
inline float maximumNumber(float a, float b) {
  float r = a > b ? a : b;
  r = a == b ? bitsFloat(floatBits(a) & floatBits(b)) : r;
  r = a != a ? b : r;
  r = b != b ? a : r;
  return a != a && b != b ? bitsFloat(canonicalNaN) : r;
}

/// 2^x in double precision, relative error below 1e-15: rounding to single dominates.
inline double exp2Double(double x) {
  double c = x < -1000 ? -1000 : x;
  c = c > 1000 ? 1000 : c;
  constexpr double magic = 6755399441055744.0; // 1.5 * 2^52: the addition rounds to an integer
  double shifted = c + magic;
  double n = shifted - magic;
  double r = (c - n) * 0.693147180559945309417;
  double p = 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  uint64_t e = bitCast<uint64_t>(shifted) << 52; // n in the exponent field; wraps for negative n
  double result = bitCast<double>(bitCast<uint64_t>(p) + e);
  return x != x ? x : result;
}

/// log2(x) for x of single precision; absolute error below 1e-15, near 1 relative error.
inline double log2Double(double x) {
  uint64_t u = bitCast<uint64_t>(x);
  // Mantissa in [sqrt(1/2), sqrt(2))
  uint64_t biased = u - 0x3fe6a09e667f3bcd;
  int64_t e = int64_t(biased) >> 52;
  double m = bitCast<double>(u - (uint64_t(e) << 52));
  double t = (m - 1) / (m + 1), s = t * t;
  double p = 1.0 / 23;
  p = p * s + 1.0 / 21;
  p = p * s + 1.0 / 19;
  p = p * s + 1.0 / 17;
  p = p * s + 1.0 / 15;
  p = p * s + 1.0 / 13;
  p = p * s + 1.0 / 11;
  p = p * s + 1.0 / 9;
  p = p * s + 1.0 / 7;
  p = p * s + 1.0 / 5;
  p = p * s + 1.0 / 3;
  p = p * s + 1.0;
  double result = double(int32_t(e)) + 2.885390081777926814720 * t * p;
  result = x == 0 ? -__builtin_inf() : result;
  result = x == __builtin_inf() ? x : result;
  return x < 0 || x != x ? bitsFloat(canonicalNaN) : result;
}

/// Binary floating-point format of `exponent` and `mantissa` bits. `finiteOnly`: no infinity and a
/// single NaN (e4m3).
struct Format {
  int exponent, mantissa;
  bool finiteOnly;
};
constexpr Format formatF16{5, 10, false}, formatBF16{8, 7, false}, formatTF32{8, 10, false},
    formatE4M3{4, 3, true}, formatE5M2{5, 2, false}, formatF32{8, 23, false};

/// Rounds a double to the bits of a small format: exact in every rounding mode, slow.
inline uint32_t roundToFormat(double value, Format f, Rounding mode, bool saturate) {
  uint32_t sign = uint32_t(bitCast<uint64_t>(value) >> 63) << (f.exponent + f.mantissa);
  uint32_t allOnes = (1u << (f.exponent + f.mantissa)) - 1;
  uint32_t infinity = ((1u << f.exponent) - 1) << f.mantissa;
  uint32_t largest = f.finiteOnly ? allOnes - 1 : infinity - 1;
  if (value != value)
    return allOnes;
  double magnitude = std::fabs(value);
  if (magnitude == __builtin_inf())
    return sign | (saturate ? largest : f.finiteOnly ? allOnes : infinity);
  if (magnitude == 0)
    return sign;
  int bias = (1 << (f.exponent - 1)) - 1;
  int e;
  std::frexp(magnitude, &e); // magnitude = m * 2^e with m in [1/2, 1)
  int exponent = e - 1 < 1 - bias ? 1 - bias : e - 1;
  double scaled = std::ldexp(magnitude, f.mantissa - exponent); // in units of the last place
  double whole = std::floor(scaled), rest = scaled - whole;
  bool up = false;
  switch (mode) {
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = sign && rest > 0;
    break;
  case Rounding::Up:
    up = !sign && rest > 0;
    break;
  case Rounding::NearestAway:
    up = rest >= 0.5;
    break;
  default:
    up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0);
    break;
  }
  uint64_t bits = uint64_t(whole) + (up ? 1 : 0);
  if (bits != 0) { // carries propagate into the exponent
    uint64_t hidden = uint64_t(1) << f.mantissa;
    bits = bits >= hidden ? bits - hidden + (uint64_t(exponent + bias) << f.mantissa) : bits;
  }
  if (bits > largest) {
    bool towardZero = mode == Rounding::Zero || (mode == Rounding::Down && !sign) ||
                      (mode == Rounding::Up && sign);
    bits = saturate || towardZero ? largest : f.finiteOnly ? allOnes : infinity;
  }
  return sign | uint32_t(bits);
}

inline double formatToDouble(uint32_t bits, Format f) {
  uint32_t mantissa = bits & ((1u << f.mantissa) - 1);
  int exponent = int(bits >> f.mantissa) & ((1 << f.exponent) - 1);
  bool negative = bits >> (f.exponent + f.mantissa) & 1;
  int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 1;
  double value;
  if (exponent == top && f.finiteOnly && mantissa == (1u << f.mantissa) - 1)
    value = __builtin_nan("");
  else if (exponent == top && !f.finiteOnly)
    value = mantissa ? __builtin_nan("") : __builtin_inf();
  else if (exponent == 0)
    value = std::ldexp(double(mantissa), 1 - bias - f.mantissa);
  else
    value = std::ldexp(double(mantissa + (1u << f.mantissa)), exponent - bias - f.mantissa);
  return negative ? -value : value;
}

/// Runs `body` in another rounding mode of the host. The memory barriers keep loads behind the
/// first switch and stores before the second, and so the arithmetic between both.
template <class F> inline void withRounding(Rounding mode, F body) {
  unsigned saved = _mm_getcsr();
  unsigned bits = mode == Rounding::Zero   ? 0x6000
                  : mode == Rounding::Down ? 0x2000
                  : mode == Rounding::Up   ? 0x4000
                                           : 0;
  _mm_setcsr((saved & ~0x6000u) | bits);
  asm volatile("" ::: "memory");
  body();
  asm volatile("" ::: "memory");
  _mm_setcsr(saved);
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
#endif
