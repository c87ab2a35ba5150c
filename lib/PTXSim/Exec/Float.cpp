// Single and double precision arithmetic, packed f32x2, approximate functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .approx functions return the correctly rounded result; the ISA allows errors of a few units in
// the last place, which hardware has.
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/Numeric.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

template <class T> T clampUnit(T x) { return x > 0 ? (x < 1 ? x : T(1)) : T(0); }

struct Add {
  template <class T> static T apply(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T apply(T a, T b) { return a / b; }
};
struct Rcp {
  template <class T> static T apply(T a) { return T(1) / a; }
};
struct Fma {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct Minimum {
  static float apply(float a, float b) { return minimumNumber(a, b); }
};
struct Maximum {
  static float apply(float a, float b) { return maximumNumber(a, b); }
};

/// Results before rounding to single precision, accurate enough for isTiny: products are exact, and
/// no quotient lies between the bound and the nearest double. All other results that round up to
/// 2^-126 do so with an unbounded exponent, too.
template <class Op> struct Unrounded {
  template <class... F> static double apply(F... x) { return Op::apply(x...); }
};
template <> struct Unrounded<Mul> {
  static double apply(float a, float b) { return double(a) * double(b); }
};
template <> struct Unrounded<Div> {
  static double apply(float a, float b) { return double(a) / double(b); }
};
template <> struct Unrounded<Rcp> {
  static double apply(float a) { return 1 / double(a); }
};
template <> struct Unrounded<Fma> {
  static double apply(float a, float b, float c) {
    return addToOdd(double(a) * double(b), double(c));
  }
};

/// Modifiers .ftz and .sat around an operation.
struct Plain {
  template <class Op, class... F> static float apply(F... x) { return Op::apply(x...); }
};
struct Ftz {
  template <class Op, class... F> static float out(F... x) {
    float result = Op::apply(x...);
    return isTiny(Unrounded<Op>::apply(x...)) ? zeroOf(result) : result;
  }
  template <class Op, class... F> static float apply(F... x) { return out<Op>(flushFloat(x)...); }
};
struct Sat {
  template <class Op, class... F> static float apply(F... x) { return clampUnit(Op::apply(x...)); }
};
struct FtzSat {
  template <class Op, class... F> static float apply(F... x) {
    return clampUnit(Ftz::apply<Op>(x...));
  }
};
template <class Op, class M> struct Around {
  template <class... F> static float apply(F... x) { return M::template apply<Op>(x...); }
};

template <class Op> struct OrNaN {
  static float apply(float a, float b) {
    return a != a || b != b ? bitsFloat(canonicalNaN) : Op::apply(a, b);
  }
};
template <class Op> struct XorSign {
  static float apply(float a, float b) {
    float r = Op::apply(std::fabs(a), std::fabs(b));
    return bitsFloat((floatBits(r) & 0x7fffffff) | ((floatBits(a) ^ floatBits(b)) & 0x80000000));
  }
};
template <class Op> struct Three {
  static float apply(float a, float b, float c) { return Op::apply(Op::apply(a, b), c); }
};
struct Sqrt {
  template <class T> static T apply(T a) { return std::sqrt(a); }
};
struct Rsqrt {
  static float apply(float a) { return float(1.0 / std::sqrt(double(a))); }
  static double apply(double a) { return 1.0 / std::sqrt(a); }
};
/// Upper 32 bits of the operand -> upper 32 bits of the result; subnormals become zeros.
template <class Op> struct Gross {
  static double upper(double x) {
    uint64_t u = bitCast<uint64_t>(x) & 0xffffffff00000000;
    return bitCast<double>((u & 0x7ff0000000000000) ? u : u & 0x8000000000000000);
  }
  static double apply(double a) {
    double r = Op::apply(upper(a));
    return r != r ? r : upper(r);
  }
};
struct Ex2 {
  static float apply(float a) { return float(exp2Double(a)); }
};
struct Lg2 {
  static float apply(float a) { return float(log2Double(a)); }
};
struct Sin {
  static float apply(float a) { return float(std::sin(double(a))); }
};
struct Cos {
  static float apply(float a) { return float(std::cos(double(a))); }
};
struct Tanh {
  static float apply(float a) { return float(std::tanh(double(a))); }
};
/// Sign operations change bits: NaN keeps the payload.
struct Neg {
  static float apply(float a) { return bitsFloat(floatBits(a) ^ 0x80000000); }
  static double apply(double a) { return -a; }
};
struct Abs {
  static float apply(float a) { return bitsFloat(floatBits(a) & 0x7fffffff); }
  static double apply(double a) { return std::fabs(a); }
};
struct CopySign { // sign of a, magnitude of b
  template <class T> static T apply(T a, T b) { return std::copysign(b, a); }
};
struct Min64 {
  static double apply(double a, double b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  }
};
struct Max64 {
  static double apply(double a, double b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
  }
};

enum Arity { One, Two, ThreeInputs };
template <class Op, Arity N> constexpr Handler single() {
  if constexpr (N == One)
    return unary<Op, float, float>;
  else if constexpr (N == Two)
    return binary<Op, float, float>;
  else
    return ternary<Op, float, float>;
}
template <class Op, Arity N> Handler float32(const Inst &i) {
  bool ftz = i.flags & InstFlag::Ftz, sat = i.flags & InstFlag::Sat;
  return ftz ? (sat ? single<Around<Op, FtzSat>, N>() : single<Around<Op, Ftz>, N>())
             : (sat ? single<Around<Op, Sat>, N>() : single<Around<Op, Plain>, N>());
}

/// Result on flushed operands, rounded to nearest double; `at`: a lane, or a half of a pair.
template <class Op, Arity N> double unroundedLane(Warp &w, const Inst &i, unsigned at) {
  auto in = [&](uint32_t slot) { return flushFloat(w.reg<float>(slot)[at]); };
  if constexpr (N == One)
    return Unrounded<Op>::apply(in(i.a));
  else if constexpr (N == Two)
    return Unrounded<Op>::apply(in(i.a), in(i.b));
  else
    return Unrounded<Op>::apply(in(i.a), in(i.b), in(i.c));
}

/// Directed rounding: every operation of this file in another rounding mode of the host.
template <class T, class Op, Arity N> void directed(Warp &w, const Inst &i) {
  bool ftz = sizeof(T) == 4 && (i.flags & InstFlag::Ftz), sat = i.flags & InstFlag::Sat;
  auto in = [ftz](T x) { return ftz ? T(flushFloat(float(x))) : x; };
  T results[32];
  withRounding(i.rounding, [&] {
    const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b), *c = w.reg<T>(i.c);
    for (int l = 0; l < 32; l++) {
      if constexpr (N == One)
        results[l] = Op::apply(in(a[l]));
      else if constexpr (N == Two)
        results[l] = Op::apply(in(a[l]), in(b[l]));
      else
        results[l] = Op::apply(in(a[l]), in(b[l]), in(c[l]));
    }
  });
  T *d = w.reg<T>(i.dst);
  PTXSIM_ACTIVE(w.exec) {
    T x = results[l];
    if (ftz && isTiny(unroundedLane<Op, N>(w, i, l), i.rounding))
      x = T(zeroOf(float(x)));
    d[l] = sat ? clampUnit(x) : x;
  }
}
bool isDirected(const Inst &i) {
  return i.rounding == Rounding::Zero || i.rounding == Rounding::Down || i.rounding == Rounding::Up;
}
template <class Op, Arity N> Handler arithmetic32(const Inst &i) {
  return isDirected(i) ? directed<float, Op, N> : float32<Op, N>(i);
}
template <class Op, Arity N> Handler arithmetic64(const Inst &i) {
  if (isDirected(i))
    return directed<double, Op, N>;
  if constexpr (N == One)
    return unary<Op, double, double>;
  else if constexpr (N == Two)
    return binary<Op, double, double>;
  else
    return ternary<Op, double, double>;
}

/// Packed f32x2: two floats in a 64-bit register.
template <class Op, Arity N> void pairs(Warp &w, const Inst &i) {
  float results[64];
  bool ftz = i.flags & InstFlag::Ftz;
  auto run = [&] {
    const float *a = w.reg<float>(i.a), *b = w.reg<float>(i.b), *c = w.reg<float>(i.c);
    auto in = [ftz](float x) { return ftz ? flushFloat(x) : x; };
    for (int l = 0; l < 64; l++)
      if constexpr (N == Two)
        results[l] = Op::apply(in(a[l]), in(b[l]));
      else
        results[l] = Op::apply(in(a[l]), in(b[l]), in(c[l]));
  };
  isDirected(i) ? withRounding(i.rounding, run) : run();
  float *d = w.reg<float>(i.dst);
  for (unsigned l = 0; l < 64; l++)
    if (w.exec >> (l / 2) & 1) {
      bool tiny = ftz && isTiny(unroundedLane<Op, N>(w, i, l), i.rounding);
      d[l] = tiny ? zeroOf(results[l]) : results[l];
    }
}

template <class Op> Handler minMax(const Inst &i) {
  bool nan = i.flags & InstFlag::PropagateNaN, sign = i.flags & InstFlag::Xorsign;
  if (sign)
    return nan ? float32<OrNaN<XorSign<Op>>, Two>(i) : float32<XorSign<Op>, Two>(i);
  return nan ? float32<OrNaN<Op>, Two>(i) : float32<Op, Two>(i);
}
template <class Op> Handler minMax3(const Inst &i) {
  return i.flags & InstFlag::PropagateNaN ? float32<Three<OrNaN<Op>>, ThreeInputs>(i)
                                          : float32<Three<Op>, ThreeInputs>(i);
}

template <class T> void testProperty(Warp &w, const Inst &i) {
  const T *a = w.reg<T>(i.a);
  uint32_t bits = 0;
  PTXSIM_ACTIVE(w.exec) {
    int c = std::fpclassify(a[l]);
    const bool answers[] = {
        c != FP_INFINITE && c != FP_NAN, c == FP_INFINITE, c != FP_NAN, c == FP_NAN,
        c == FP_NORMAL || c == FP_ZERO,  c == FP_SUBNORMAL};
    bits |= uint32_t(answers[i.aux]) << l;
  }
  w.setPred(i.dst, bits);
}

Handler select32(const Inst &i) {
  switch (i.op) {
  case Opcode::Add:
    return arithmetic32<Add, Two>(i);
  case Opcode::Sub:
    return arithmetic32<Sub, Two>(i);
  case Opcode::MulLo:
    return arithmetic32<Mul, Two>(i);
  case Opcode::Div:
    return arithmetic32<Div, Two>(i);
  case Opcode::DivApprox:
    return float32<Div, Two>(i);
  case Opcode::Fma:
    return arithmetic32<Fma, ThreeInputs>(i);
  case Opcode::Min:
    return minMax<Minimum>(i);
  case Opcode::Max:
    return minMax<Maximum>(i);
  case Opcode::MinMax3:
    return i.aux ? minMax3<Maximum>(i) : minMax3<Minimum>(i);
  case Opcode::Neg:
    return float32<Neg, One>(i);
  case Opcode::Abs:
    return float32<Abs, One>(i);
  case Opcode::Rcp:
    return arithmetic32<Rcp, One>(i);
  case Opcode::Sqrt:
    return arithmetic32<Sqrt, One>(i);
  case Opcode::Rsqrt:
    return float32<Rsqrt, One>(i);
  case Opcode::Ex2:
    return float32<Ex2, One>(i);
  case Opcode::Lg2:
    return float32<Lg2, One>(i);
  case Opcode::Sin:
    return float32<Sin, One>(i);
  case Opcode::Cos:
    return float32<Cos, One>(i);
  case Opcode::Tanh:
    return float32<Tanh, One>(i);
  case Opcode::CopySign:
    return binary<CopySign, float, float>;
  case Opcode::TestP:
    return testProperty<float>;
  default:
    return nullptr;
  }
}
Handler select64(const Inst &i) {
  switch (i.op) {
  case Opcode::Add:
    return arithmetic64<Add, Two>(i);
  case Opcode::Sub:
    return arithmetic64<Sub, Two>(i);
  case Opcode::MulLo:
    return arithmetic64<Mul, Two>(i);
  case Opcode::Div:
    return arithmetic64<Div, Two>(i);
  case Opcode::Fma:
    return arithmetic64<Fma, ThreeInputs>(i);
  case Opcode::Min:
    return binary<Min64, double, double>;
  case Opcode::Max:
    return binary<Max64, double, double>;
  case Opcode::Neg:
    return unary<Neg, double, double>;
  case Opcode::Abs:
    return unary<Abs, double, double>;
  case Opcode::Rcp:
    return arithmetic64<Rcp, One>(i);
  case Opcode::Sqrt:
    return arithmetic64<Sqrt, One>(i);
  case Opcode::Rsqrt:
    return unary<Rsqrt, double, double>;
  case Opcode::RcpGross:
    return unary<Gross<Rcp>, double, double>;
  case Opcode::RsqrtGross:
    return unary<Gross<Rsqrt>, double, double>;
  case Opcode::CopySign:
    return binary<CopySign, double, double>;
  case Opcode::TestP:
    return testProperty<double>;
  default:
    return nullptr;
  }
}
Handler selectPair(const Inst &i) {
  switch (i.op) {
  case Opcode::Add:
    return pairs<Add, Two>;
  case Opcode::Sub:
    return pairs<Sub, Two>;
  case Opcode::MulLo:
    return pairs<Mul, Two>;
  case Opcode::Fma:
    return pairs<Fma, ThreeInputs>;
  default:
    return nullptr;
  }
}

} // namespace

Handler selectFloat(const Inst &i) {
  switch (i.type) {
  case Type::F32:
    return select32(i);
  case Type::F64:
    return select64(i);
  case Type::F32x2:
    return selectPair(i);
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
