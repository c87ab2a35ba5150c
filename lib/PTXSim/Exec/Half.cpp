// f16 and bf16 arithmetic, scalar and packed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, products and quotients are computed in single precision and rounded again: 24 bits against
// 11 or 8 make the two roundings equal to a single rounding (Figueroa, 1995). fma uses a
// double-precision sum rounded to odd.
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/Numeric.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

struct F16 {
  static float load(uint16_t x) { return halfToFloat(x); }
  static uint16_t store(float x) { return floatToHalf(x); }
  static uint16_t store(double x) { return doubleToHalf(x); }
  static constexpr uint16_t exponentMask = 0x7c00;
  static constexpr double tiny = 0x1p-14 - 0x1p-26;
};
struct BF16 {
  static float load(uint16_t x) { return bfloatToFloat(x); }
  static uint16_t store(float x) { return floatToBfloat(x); }
  static uint16_t store(double x) { return doubleToBfloat(x); }
  static constexpr uint16_t exponentMask = 0x7f80;
  static constexpr double tiny = 0x1p-126 - 0x1p-135;
};

struct Add {
  static float apply(float a, float b) { return a + b; }
};
struct Sub {
  static float apply(float a, float b) { return a - b; }
};
struct Mul {
  static float apply(float a, float b) { return a * b; }
};
/// bf16 products may be subnormal in single precision, where two roundings would differ from a
/// single rounding.
struct MulWide {
  static double apply(float a, float b) { return double(a) * double(b); }
};
struct Min {
  static float apply(float a, float b) { return minimumNumber(a, b); }
};
struct Max {
  static float apply(float a, float b) { return maximumNumber(a, b); }
};
struct MinNaN {
  static float apply(float a, float b) {
    return a != a || b != b ? bitsFloat(canonicalNaN) : minimumNumber(a, b);
  }
};
struct MaxNaN {
  static float apply(float a, float b) {
    return a != a || b != b ? bitsFloat(canonicalNaN) : maximumNumber(a, b);
  }
};
template <class Op> struct XorSign {
  static float apply(float a, float b) {
    uint32_t sign = (floatBits(a) ^ floatBits(b)) & 0x80000000;
    return bitsFloat((floatBits(Op::apply(std::fabs(a), std::fabs(b))) & 0x7fffffff) | sign);
  }
};
struct Ex2 {
  static double apply(float a) { return exp2Double(a); }
};
struct Tanh {
  static double apply(float a) { return std::tanh(double(a)); }
};

template <class F> uint16_t flush(uint16_t x) {
  return (x & F::exponentMask) == 0 ? uint16_t(x & 0x8000) : x;
}
/// Applies .sat and .relu.
template <class F> uint16_t after(uint16_t x, uint16_t flags) {
  if (flags & InstFlag::Sat) {
    float v = F::load(x);
    x = F::store(v > 0 ? (v < 1 ? v : 1.0f) : 0.0f);
  }
  if ((flags & InstFlag::Relu) && F::load(x) == F::load(x) && (x & 0x8000))
    x = 0;
  return x;
}
/// Rounds, and flushes results that are subnormal when rounded with an unbounded exponent.
template <class F, class T> uint16_t finish(T exact, uint16_t flags) {
  uint16_t x = F::store(exact);
  if ((flags & InstFlag::Ftz) && std::fabs(double(exact)) < F::tiny)
    x &= 0x8000;
  return after<F>(x, flags);
}
constexpr uint16_t specialFlags = InstFlag::Ftz | InstFlag::Sat | InstFlag::Relu;

/// `Count`: 32 for scalars (a half per lane), 64 for pairs.
template <class F, class Op, int Count> void binaryHalf(Warp &w, const Inst &i) {
  uint16_t *d = w.reg<uint16_t>(i.dst);
  const uint16_t *a = w.reg<uint16_t>(i.a), *b = w.reg<uint16_t>(i.b);
  uint32_t m = w.exec;
  if (m == ~0u && !(i.flags & specialFlags)) {
    _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < Count; l++) d[l] =
        F::store(Op::apply(F::load(a[l]), F::load(b[l])));
    return;
  }
  bool ftz = i.flags & InstFlag::Ftz;
  for (int l = 0; l < Count; l++) {
    if (!(m >> (l * 32 / Count) & 1))
      continue;
    uint16_t x = ftz ? flush<F>(a[l]) : a[l], y = ftz ? flush<F>(b[l]) : b[l];
    d[l] = finish<F>(Op::apply(F::load(x), F::load(y)), i.flags);
  }
}
template <class F, int Count> void fmaHalf(Warp &w, const Inst &i) {
  uint16_t *d = w.reg<uint16_t>(i.dst);
  const uint16_t *a = w.reg<uint16_t>(i.a), *b = w.reg<uint16_t>(i.b), *c = w.reg<uint16_t>(i.c);
  bool ftz = i.flags & InstFlag::Ftz;
  for (int l = 0; l < Count; l++) {
    if (!(w.exec >> (l * 32 / Count) & 1))
      continue;
    uint16_t x = ftz ? flush<F>(a[l]) : a[l], y = ftz ? flush<F>(b[l]) : b[l];
    uint16_t z = ftz ? flush<F>(c[l]) : c[l];
    double product = double(F::load(x)) * double(F::load(y)); // exact
    d[l] = finish<F>(addToOdd(product, double(F::load(z))), i.flags);
  }
}
template <class F, class Op, int Count> void unaryHalf(Warp &w, const Inst &i) {
  uint16_t *d = w.reg<uint16_t>(i.dst);
  const uint16_t *a = w.reg<uint16_t>(i.a);
  for (int l = 0; l < Count; l++)
    if (w.exec >> (l * 32 / Count) & 1)
      d[l] = finish<F>(double(Op::apply(F::load(a[l]))), i.flags);
}
template <class F, uint16_t And, uint16_t Xor, int Count> void signHalf(Warp &w, const Inst &i) {
  uint16_t *d = w.reg<uint16_t>(i.dst);
  const uint16_t *a = w.reg<uint16_t>(i.a);
  for (int l = 0; l < Count; l++)
    if (w.exec >> (l * 32 / Count) & 1) {
      uint16_t x = uint16_t((a[l] & And) ^ Xor);
      d[l] = after<F>(i.flags & InstFlag::Ftz ? flush<F>(x) : x, i.flags);
    }
}

template <class F, class Op, class OpNaN, int Count> Handler minMax(const Inst &i) {
  bool nan = i.flags & InstFlag::PropagateNaN;
  if (i.flags & InstFlag::Xorsign)
    return nan ? binaryHalf<F, XorSign<OpNaN>, Count> : binaryHalf<F, XorSign<Op>, Count>;
  return nan ? binaryHalf<F, OpNaN, Count> : binaryHalf<F, Op, Count>;
}

template <class F, int Count> Handler select(const Inst &i) {
  switch (i.op) {
  case Opcode::Add:
    return binaryHalf<F, Add, Count>;
  case Opcode::Sub:
    return binaryHalf<F, Sub, Count>;
  case Opcode::MulLo:
    return binaryHalf<F, std::conditional_t<std::is_same<F, BF16>::value, MulWide, Mul>, Count>;
  case Opcode::Min:
    return minMax<F, Min, MinNaN, Count>(i);
  case Opcode::Max:
    return minMax<F, Max, MaxNaN, Count>(i);
  case Opcode::Fma:
    return fmaHalf<F, Count>;
  case Opcode::Ex2:
    return unaryHalf<F, Ex2, Count>;
  case Opcode::Tanh:
    return unaryHalf<F, Tanh, Count>;
  case Opcode::Neg:
    return signHalf<F, 0xffff, 0x8000, Count>;
  case Opcode::Abs:
    return signHalf<F, 0x7fff, 0, Count>;
  default:
    return nullptr;
  }
}

} // namespace

Handler selectHalf(const Inst &i) {
  if (i.rounding != Rounding::None && i.rounding != Rounding::Nearest)
    return nullptr;
  switch (i.type) {
  case Type::F16:
    return select<F16, 32>(i);
  case Type::F16x2:
    return select<F16, 64>(i);
  case Type::BF16:
    return select<BF16, 32>(i);
  case Type::BF16x2:
    return select<BF16, 64>(i);
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
