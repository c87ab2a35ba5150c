// cvt in all forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/Numeric.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

// --- Integers -----------------------------------------------------------------------------------

/// Low bits of a register of type R, as T. Example: cvt.s32.s8 reads the low byte.
template <class T, class R, class D> void extend(Warp &w, const Inst &i) {
  lanes1<D, R>(w, i, [](R a) -> D { return D(T(a)); });
}
template <class T, class D> Handler extendFrom(unsigned sourceBytes) {
  switch (sourceBytes) {
  case 2:
    return extend<T, uint16_t, D>;
  case 4:
    return extend<T, uint32_t, D>;
  default:
    return extend<T, uint64_t, D>;
  }
}
template <class D> Handler extendTo(Type from, unsigned sourceBytes) {
  switch (from) {
  case Type::U8:
  case Type::B8:
    return extendFrom<uint8_t, D>(sourceBytes);
  case Type::S8:
    return extendFrom<int8_t, D>(sourceBytes);
  case Type::U16:
  case Type::B16:
    return extendFrom<uint16_t, D>(sourceBytes);
  case Type::S16:
    return extendFrom<int16_t, D>(sourceBytes);
  case Type::U32:
  case Type::B32:
    return extendFrom<uint32_t, D>(sourceBytes);
  case Type::S32:
    return extendFrom<int32_t, D>(sourceBytes);
  default:
    return extendFrom<uint64_t, D>(sourceBytes);
  }
}

int64_t readInteger(const Warp &w, const Inst &i, unsigned l) {
  const uint8_t *p = w.regs + i.a + l * (i.count & 255u);
  uint64_t raw = 0;
  std::memcpy(&raw, p, i.count & 255u);
  unsigned bits = 8 * typeSize(i.type2);
  if (bits < 64)
    raw &= (uint64_t(1) << bits) - 1;
  if (isSigned(i.type2) && bits < 64 && (raw >> (bits - 1) & 1))
    raw |= ~uint64_t(0) << bits;
  return int64_t(raw);
}
void writeInteger(Warp &w, const Inst &i, unsigned l, uint64_t value) {
  unsigned have = i.count >> 8, bits = 8 * typeSize(i.type);
  // Destinations wider than the type are sign- or zero-extended.
  if (bits < 64) {
    uint64_t mask = (uint64_t(1) << bits) - 1;
    value &= mask;
    if (isSigned(i.type) && (value >> (bits - 1) & 1))
      value |= ~mask;
  }
  std::memcpy(w.regs + i.dst + l * have, &value, have);
}
__int128 clampTo(Type type, __int128 x) {
  unsigned bits = 8 * typeSize(type);
  __int128 hi = isSigned(type) ? (__int128(1) << (bits - 1)) - 1 : (__int128(1) << bits) - 1;
  __int128 lo = isSigned(type) ? -(__int128(1) << (bits - 1)) : 0;
  return x < lo ? lo : x > hi ? hi : x;
}
void integerSlow(Warp &w, const Inst &i) {
  PTXSIM_ACTIVE(w.exec) {
    int64_t a = readInteger(w, i, l);
    __int128 wide = isSigned(i.type2) ? __int128(a) : __int128(uint64_t(a));
    writeInteger(w, i, l, uint64_t(i.flags & InstFlag::Sat ? clampTo(i.type, wide) : wide));
  }
}
Handler integerToInteger(const Inst &i) {
  unsigned from = typeSize(i.type2), to = typeSize(i.type), have = i.count >> 8;
  if ((i.flags & InstFlag::Sat) || to < from || (to < have && to > from))
    return integerSlow;
  if (to < have && to == from && isSigned(i.type) != isSigned(i.type2))
    return integerSlow;
  if (to > from && have > to && isSigned(i.type2) != isSigned(i.type))
    return integerSlow;
  switch (have) {
  case 2:
    return extendTo<uint16_t>(i.type2, i.count & 255);
  case 4:
    return extendTo<uint32_t>(i.type2, i.count & 255);
  default:
    return extendTo<uint64_t>(i.type2, i.count & 255);
  }
}

// --- Floating point -----------------------------------------------------------------------------

double loadFloat(const Warp &w, Type type, uint32_t slot, unsigned l) {
  switch (type) {
  case Type::F16:
    return halfToFloat(reinterpret_cast<const uint16_t *>(w.regs + slot)[l]);
  case Type::BF16:
    return bfloatToFloat(reinterpret_cast<const uint16_t *>(w.regs + slot)[l]);
  case Type::F32:
    return reinterpret_cast<const float *>(w.regs + slot)[l];
  default:
    return reinterpret_cast<const double *>(w.regs + slot)[l];
  }
}
double roundIntegral(double x, Rounding mode) {
  switch (mode) {
  case Rounding::Zero:
    return std::trunc(x);
  case Rounding::Down:
    return std::floor(x);
  case Rounding::Up:
    return std::ceil(x);
  default:
    return std::nearbyint(x);
  }
}
Format formatOf(Type type) {
  return type == Type::F16    ? formatF16
         : type == Type::BF16 ? formatBF16
         : type == Type::TF32 ? formatTF32
                              : formatF32;
}
/// Rounds a value to the bits of a type of up to 32 bits.
uint32_t narrow(double x, Type type, const Inst &i) {
  if (i.flags & InstFlag::Sat)
    x = x > 0 ? (x < 1 ? x : 1) : 0; // NaN becomes 0
  if ((i.flags & InstFlag::Relu) && x <= 0)
    x = 0;
  if (type == Type::TF32) {
    if (x != x)
      return canonicalNaN;
    return roundToFormat(x, formatTF32, i.rounding, i.flags & InstFlag::SatFinite) << 13;
  }
  if (type == Type::F32 && x != x)
    return canonicalNaN;
  return roundToFormat(x, formatOf(type), i.rounding, i.flags & InstFlag::SatFinite);
}
void floatSlow(Warp &w, const Inst &i) {
  bool ftz = i.flags & InstFlag::Ftz;
  PTXSIM_ACTIVE(w.exec) {
    double x = loadFloat(w, i.type2, i.a, l);
    if (ftz && i.type2 == Type::F32)
      x = flushFloat(float(x));
    if (i.aux)
      x = roundIntegral(x, i.rounding);
    if (i.type == Type::F64) {
      if (i.flags & InstFlag::Sat)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
      w.reg<double>(i.dst)[l] = x;
      continue;
    }
    uint32_t bits = narrow(x, i.type, i);
    if (typeSize(i.type) == 2)
      w.reg<uint16_t>(i.dst)[l] = uint16_t(bits);
    else
      w.reg<uint32_t>(i.dst)[l] =
          ftz && isTiny(x, i.rounding) ? floatBits(zeroOf(bitsFloat(bits))) : bits;
  }
}
struct HalfUp {
  static float apply(uint16_t a) { return halfToFloat(a); }
};
struct BfloatUp {
  static float apply(uint16_t a) { return bfloatToFloat(a); }
};
struct HalfDown {
  static uint16_t apply(float a) { return floatToHalf(a); }
};
struct BfloatDown {
  static uint16_t apply(float a) { return floatToBfloat(a); }
};
struct DoubleUp {
  static double apply(float a) { return a; }
};
struct DoubleDown {
  static float apply(double a) { return float(a); }
};
struct Same {
  static float apply(float a) { return a; }
};
struct Floor {
  static float apply(float a) { return std::floor(a); }
};
struct Ceil {
  static float apply(float a) { return std::ceil(a); }
};
struct Trunc {
  static float apply(float a) { return std::trunc(a); }
};
struct Round {
  static float apply(float a) { return std::nearbyint(a); }
};

Handler floatToFloat(const Inst &i) {
  bool plain = !(i.flags & (InstFlag::Sat | InstFlag::Relu | InstFlag::SatFinite | InstFlag::Ftz));
  bool nearest = i.rounding == Rounding::None || i.rounding == Rounding::Nearest;
  if (plain && i.aux && i.type == Type::F32 && i.type2 == Type::F32)
    return i.rounding == Rounding::Zero   ? unary<Trunc, float, float>
           : i.rounding == Rounding::Down ? unary<Floor, float, float>
           : i.rounding == Rounding::Up   ? unary<Ceil, float, float>
                                          : unary<Round, float, float>;
  if (!plain || !nearest || i.aux)
    return floatSlow;
  if (i.type2 == Type::F16 && i.type == Type::F32)
    return unary<HalfUp, float, uint16_t>;
  if (i.type2 == Type::BF16 && i.type == Type::F32)
    return unary<BfloatUp, float, uint16_t>;
  if (i.type2 == Type::F32 && i.type == Type::F16)
    return unary<HalfDown, uint16_t, float>;
  if (i.type2 == Type::F32 && i.type == Type::BF16)
    return unary<BfloatDown, uint16_t, float>;
  if (i.type2 == Type::F32 && i.type == Type::F64)
    return unary<DoubleUp, double, float>;
  if (i.type2 == Type::F64 && i.type == Type::F32)
    return unary<DoubleDown, float, double>;
  if (i.type2 == Type::F32 && i.type == Type::F32)
    return unary<Same, float, float>;
  return floatSlow;
}

/// Converts an integer to a double rounded to odd: the later rounding to `Type` is the only inexact
/// step.
double exactInteger(int64_t value, bool isSigned) {
  double hi = isSigned ? double(value >> 12) : double(uint64_t(value) >> 12);
  return addToOdd(hi * 4096.0, double(value & 4095));
}
void integerToFloat(Warp &w, const Inst &i) {
  PTXSIM_ACTIVE(w.exec) {
    int64_t a = readInteger(w, i, l);
    bool sign = isSigned(i.type2);
    if (i.type == Type::F64) {
      double *d = w.reg<double>(i.dst) + l;
      withRounding(i.rounding == Rounding::None ? Rounding::Nearest : i.rounding, [&] {
        volatile int64_t v = a;
        // The AVX2 sequence for unsigned integers yields -0 for 0 when rounding down.
        *d = v == 0 ? 0.0 : sign ? double(v) : double(uint64_t(v));
      });
      continue;
    }
    uint32_t bits = narrow(exactInteger(a, sign), i.type, i);
    if (typeSize(i.type) == 2)
      w.reg<uint16_t>(i.dst)[l] = uint16_t(bits);
    else
      w.reg<uint32_t>(i.dst)[l] = bits;
  }
}
struct FromS32 {
  static float apply(int32_t a) { return float(a); }
};
struct FromU32 {
  static float apply(uint32_t a) { return float(a); }
};

/// Out-of-range values clamp, NaN becomes 0 (ISA: "cvt", notes on integer rounding).
void floatToInteger(Warp &w, const Inst &i) {
  bool ftz = i.flags & InstFlag::Ftz;
  double hi = std::ldexp(1.0, int(8 * typeSize(i.type)) - (isSigned(i.type) ? 1 : 0));
  double lo = isSigned(i.type) ? -hi : 0;
  PTXSIM_ACTIVE(w.exec) {
    double x = loadFloat(w, i.type2, i.a, l);
    if (ftz && i.type2 == Type::F32)
      x = flushFloat(float(x));
    x = roundIntegral(x, i.rounding);
    uint64_t value;
    if (x != x)
      value = 0;
    else if (x >= hi)
      value = uint64_t(clampTo(i.type, __int128(1) << 100));
    else if (x < lo)
      value = uint64_t(clampTo(i.type, -(__int128(1) << 100)));
    else
      value = isSigned(i.type) ? uint64_t(int64_t(x)) : uint64_t(x);
    writeInteger(w, i, l, value);
  }
}

// --- Packed forms -------------------------------------------------------------------------------

template <bool Brain> struct Pack2 { // a is the upper half
  static uint32_t apply(float a, float b) {
    uint32_t hi = Brain ? floatToBfloat(a) : floatToHalf(a);
    return hi << 16 | (Brain ? floatToBfloat(b) : floatToHalf(b));
  }
};
void pack2Slow(Warp &w, const Inst &i) {
  Type part = i.type == Type::F16x2 ? Type::F16 : Type::BF16;
  PTXSIM_ACTIVE(w.exec) {
    uint32_t hi = narrow(w.reg<float>(i.a)[l], part, i), lo = narrow(w.reg<float>(i.b)[l], part, i);
    w.reg<uint32_t>(i.dst)[l] = hi << 16 | lo;
  }
}
Handler pack2(const Inst &i) {
  bool plain =
      i.rounding == Rounding::Nearest && !(i.flags & (InstFlag::Relu | InstFlag::SatFinite));
  if (!plain)
    return pack2Slow;
  return i.type == Type::F16x2 ? binary<Pack2<false>, uint32_t, float>
                               : binary<Pack2<true>, uint32_t, float>;
}

/// Pairs of e4m3 or e5m2; conversions to 8 bits saturate to the largest finite number.
void convertFp8(Warp &w, const Inst &i) {
  auto eight = [](Type t) { return t == Type::E4M3x2 ? formatE4M3 : formatE5M2; };
  bool relu = i.flags & InstFlag::Relu;
  PTXSIM_ACTIVE(w.exec) {
    if (i.type == Type::F16x2) {
      uint16_t a = w.reg<uint16_t>(i.a)[l];
      uint32_t r = 0;
      for (int k = 0; k < 2; k++) {
        double x = formatToDouble(a >> (8 * k) & 255u, eight(i.type2));
        if (relu && x <= 0)
          x = 0;
        r |= roundToFormat(x, formatF16, Rounding::Nearest, false) << (16 * k);
      }
      w.reg<uint32_t>(i.dst)[l] = r;
      continue;
    }
    double hi, lo;
    if (i.type2 == Type::F16x2) {
      hi = halfToFloat(w.reg<uint16_t>(i.a)[2 * l + 1]);
      lo = halfToFloat(w.reg<uint16_t>(i.a)[2 * l]);
    } else {
      hi = w.reg<float>(i.a)[l];
      lo = w.reg<float>(i.b)[l];
    }
    if (relu)
      hi = hi <= 0 ? 0 : hi, lo = lo <= 0 ? 0 : lo;
    uint32_t h = roundToFormat(hi, eight(i.type), Rounding::Nearest, true);
    uint32_t v = roundToFormat(lo, eight(i.type), Rounding::Nearest, true);
    w.reg<uint16_t>(i.dst)[l] = uint16_t(h << 8 | v);
  }
}

void packIntegers(Warp &w, const Inst &i) {
  unsigned bits = 8 * typeSize(i.type);
  uint32_t mask = (1u << bits) - 1;
  PTXSIM_ACTIVE(w.exec) {
    uint32_t hi = uint32_t(clampTo(i.type, w.reg<int32_t>(i.a)[l])) & mask;
    uint32_t lo = uint32_t(clampTo(i.type, w.reg<int32_t>(i.b)[l])) & mask;
    uint32_t upper = bits == 8 ? w.reg<uint32_t>(i.c)[l] << 16 : 0;
    w.reg<uint32_t>(i.dst)[l] = upper | hi << bits | lo;
  }
}

} // namespace

Handler selectConvert(const Inst &i) {
  switch (i.op) {
  case Opcode::ConvertPack2:
    return pack2(i);
  case Opcode::ConvertFp8:
    if (i.type == Type::F16x2)
      return i.type2 == Type::E4M3x2 || i.type2 == Type::E5M2x2 ? convertFp8 : nullptr;
    return i.type2 == Type::F16x2 || i.type2 == Type::F32 ? convertFp8 : nullptr;
  case Opcode::ConvertPackInt:
    return packIntegers;
  case Opcode::Convert:
    break;
  default:
    return nullptr;
  }
  auto integer = [](Type t) { return isInteger(t) || isBits(t); };
  if (integer(i.type) && integer(i.type2) && i.type != Type::B128 && i.type2 != Type::B128)
    return integerToInteger(i);
  if ((isFloat(i.type) || i.type == Type::TF32) && isFloat(i.type2))
    return floatToFloat(i);
  if (isFloat(i.type) && isInteger(i.type2)) {
    bool nearest = i.rounding == Rounding::Nearest && !(i.flags & InstFlag::Sat);
    if (nearest && i.type == Type::F32 && (i.count & 255) == 4 && i.type2 == Type::S32)
      return unary<FromS32, float, int32_t>;
    if (nearest && i.type == Type::F32 && (i.count & 255) == 4 && i.type2 == Type::U32)
      return unary<FromU32, float, uint32_t>;
    return integerToFloat;
  }
  if (isInteger(i.type) && isFloat(i.type2))
    return floatToInteger;
  return nullptr;
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
