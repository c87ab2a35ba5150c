// Integer arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> struct Widen;
template <> struct Widen<uint16_t> {
  using type = uint32_t;
};
template <> struct Widen<int16_t> {
  using type = int32_t;
};
template <> struct Widen<uint32_t> {
  using type = uint64_t;
};
template <> struct Widen<int32_t> {
  using type = int64_t;
};
template <> struct Widen<uint64_t> {
  using type = unsigned __int128;
};
template <> struct Widen<int64_t> {
  using type = __int128;
};
template <class T> using Wide = typename Widen<T>::type;

// Wrapping arithmetic in an unsigned type of at least 32 bits: signed overflow would be undefined.
template <class T> T wrapAdd(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
template <class T> T wrapSub(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
template <class T> T wrapMul(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
template <> uint32_t wrapMul(uint32_t a, uint32_t b) { return a * b; }
template <> int32_t wrapMul(int32_t a, int32_t b) { return int32_t(uint32_t(a) * uint32_t(b)); }
template <class T> T mulHi(T a, T b) { return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))); }

struct Add {
  template <class T> static T apply(T a, T b) { return wrapAdd(a, b); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return wrapSub(a, b); }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return wrapMul(a, b); }
};
struct MulHigh {
  template <class T> static T apply(T a, T b) { return mulHi(a, b); }
};
struct Mad {
  template <class T> static T apply(T a, T b, T c) { return wrapAdd(wrapMul(a, b), c); }
};
struct MadHigh {
  template <class T> static T apply(T a, T b, T c) { return wrapAdd(mulHi(a, b), c); }
};
struct MulWide_ {
  template <class T> static Wide<T> apply(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
};
struct MadWide_ {
  template <class T> static Wide<T> apply(T a, T b, Wide<T> c) {
    return wrapAdd<Wide<T>>(Wide<T>(a) * Wide<T>(b), c);
  }
};
struct Minimum {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Maximum {
  template <class T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct Absolute {
  template <class T> static T apply(T a) { return a < 0 ? wrapSub(T(0), a) : a; }
};
struct Negate {
  template <class T> static T apply(T a) { return wrapSub(T(0), a); }
};
/// Division by zero yields all ones on hardware; the ISA leaves the result unspecified.
struct Divide {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed<T>::value && b == T(-1))
      return wrapSub(T(0), a);
    return T(a / b);
  }
};
struct Remainder {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed<T>::value && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct SumAbsDiff {
  template <class T> static T apply(T a, T b, T c) {
    return wrapAdd(c, a < b ? wrapSub(b, a) : wrapSub(a, b));
  }
};
struct Low24 {
  template <class T> static T of(T a) { return T(T(uint32_t(a) << 8) >> 8); }
};
/// Bits 0 to 31 (.lo) or 16 to 47 (.hi) of the 48-bit product.
template <bool Hi> struct Mul24 {
  template <class T> static T apply(T a, T b) {
    Wide<T> product = Wide<T>(Low24::of(a)) * Low24::of(b);
    return T(Hi ? product >> 16 : product);
  }
};
template <bool Hi> struct Mad24 {
  template <class T> static T apply(T a, T b, T c) { return wrapAdd(Mul24<Hi>::apply(a, b), c); }
};
template <class Op> struct OrZero { // .relu
  template <class T> static T apply(T a, T b) { return Maximum::apply(Op::apply(a, b), T(0)); }
};

template <class Op> struct Ternary {
  template <class T> struct H {
    static constexpr Handler handler = ternary<Op, T, T>;
  };
};

/// Divides active lanes only: division is slow.
template <class Op> struct Division {
  template <class T> struct H {
    static void run(Warp &w, const Inst &i) {
      T *d = w.reg<T>(i.dst);
      const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b);
      PTXSIM_ACTIVE(w.exec) d[l] = Op::apply(a[l], b[l]);
    }
    static constexpr Handler handler = run;
  };
};

template <class Op> Handler widening(Type type) {
  switch (type) {
  case Type::U16:
    return binary<Op, uint32_t, uint16_t>;
  case Type::S16:
    return binary<Op, int32_t, int16_t>;
  case Type::U32:
    return binary<Op, uint64_t, uint32_t>;
  case Type::S32:
    return binary<Op, int64_t, int32_t>;
  default:
    return nullptr;
  }
}
template <class Op> Handler wideningMad(Type type) {
  switch (type) {
  case Type::U16:
    return ternary<Op, uint32_t, uint16_t>;
  case Type::S16:
    return ternary<Op, int32_t, int16_t>;
  case Type::U32:
    return ternary<Op, uint64_t, uint32_t>;
  case Type::S32:
    return ternary<Op, int64_t, int32_t>;
  default:
    return nullptr;
  }
}

int32_t saturate(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : int32_t(x);
}
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) { return saturate(int64_t(a) + b); }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) { return saturate(int64_t(a) - b); }
};
struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(Mul24<true>::apply(a, b)) + c);
  }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(mulHi(a, b)) + c);
  }
};

/// Packed operation on the two 16-bit halves of a 32-bit register.
template <class Op, class T> struct Packed {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint16_t lo = uint16_t(Op::template apply<T>(T(a), T(b)));
    uint16_t hi = uint16_t(Op::template apply<T>(T(a >> 16), T(b >> 16)));
    return uint32_t(hi) << 16 | lo;
  }
};
template <class Op> Handler packed(Type type) {
  return type == Type::U16x2 ? binary<Packed<Op, uint16_t>, uint32_t, uint32_t>
                             : binary<Packed<Op, int16_t>, uint32_t, uint32_t>;
}

template <class Op> Handler minMax(const Inst &i, bool pair) {
  if (i.flags & InstFlag::Relu)
    return pair ? packed<OrZero<Op>>(i.type) : binary<OrZero<Op>, int32_t, int32_t>;
  return pair ? packed<Op>(i.type) : byInteger<Binary<Op>::template H>(i.type);
}

/// Carry in (aux bit 1) and carry out (aux bit 0), a bit per lane in the carry slot.
template <class T, int Form> void carryChain(Warp &w, const Inst &i) {
  T *d = w.reg<T>(i.dst);
  const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b), *c = w.reg<T>(i.c);
  uint32_t &flag = w.pred(uint32_t(i.imm));
  uint32_t out = 0, in = i.aux & 2 ? flag : 0;
  using W = unsigned __int128;
  PTXSIM_ACTIVE(w.exec) {
    W x = 0, one = in >> l & 1;
    if (Form == 0)
      x = W(a[l]) + b[l] + one;
    else if (Form == 1)
      x = W(a[l]) - b[l] - one; // the borrow shows in the bits above T
    else if (Form == 2)
      x = W(T(W(a[l]) * b[l])) + c[l] + one;
    else
      x = W(T((W(a[l]) * b[l]) >> (8 * sizeof(T)))) + c[l] + one;
    d[l] = T(x);
    out |= uint32_t((x >> (8 * sizeof(T))) & 1) << l;
  }
  if (i.aux & 1)
    flag = (flag & ~w.exec) | out;
}
template <int Form> Handler carry(Type type) {
  return typeSize(type) == 8 ? carryChain<uint64_t, Form> : carryChain<uint32_t, Form>;
}

/// Byte dot products: dp4a uses all four bytes of b, dp2a two bytes of b with the 16-bit halves of
/// a.
template <bool ASigned, bool BSigned, int Form> void dotProduct(Warp &w, const Inst &i) {
  lanes3<uint32_t, uint32_t, uint32_t, uint32_t>(w, i, [](uint32_t a, uint32_t b, uint32_t c) {
    for (int k = 0; k < (Form == 0 ? 4 : 2); k++) {
      uint32_t bb = b >> (8 * (k + (Form == 2 ? 2 : 0)));
      int32_t y = BSigned ? int32_t(int8_t(bb)) : int32_t(uint8_t(bb));
      uint32_t aa = a >> ((Form == 0 ? 8 : 16) * k);
      int32_t x = Form == 0 ? (ASigned ? int32_t(int8_t(aa)) : int32_t(uint8_t(aa)))
                            : (ASigned ? int32_t(int16_t(aa)) : int32_t(uint16_t(aa)));
      c += uint32_t(x * y);
    }
    return c;
  });
}
template <int Form> Handler dot(const Inst &i) {
  bool a = i.type == Type::S32, b = i.type2 == Type::S32;
  return a ? (b ? dotProduct<true, true, Form> : dotProduct<true, false, Form>)
           : (b ? dotProduct<false, true, Form> : dotProduct<false, false, Form>);
}

} // namespace

Handler selectInteger(const Inst &i) {
  bool pair = i.type == Type::U16x2 || i.type == Type::S16x2;
  bool sat = (i.flags & InstFlag::Sat) && i.type == Type::S32;
  switch (i.op) {
  case Opcode::Add:
    return pair  ? packed<Add>(i.type)
           : sat ? Handler(binary<AddSat, int32_t, int32_t>)
                 : byInteger<Binary<Add>::H>(i.type);
  case Opcode::Sub:
    return pair  ? packed<Sub>(i.type)
           : sat ? Handler(binary<SubSat, int32_t, int32_t>)
                 : byInteger<Binary<Sub>::H>(i.type);
  case Opcode::MulLo:
    return byInteger<Binary<Mul>::H>(i.type);
  case Opcode::MulHi:
    return byInteger<Binary<MulHigh>::H>(i.type);
  case Opcode::MulWide:
    return widening<MulWide_>(i.type);
  case Opcode::MadLo:
    return byInteger<Ternary<Mad>::H>(i.type);
  case Opcode::MadHi:
    return sat ? Handler(ternary<MadHiSat, int32_t, int32_t>)
               : byInteger<Ternary<MadHigh>::H>(i.type);
  case Opcode::MadWide:
    return wideningMad<MadWide_>(i.type);
  case Opcode::Mul24:
    return i.aux ? byInteger<Binary<Mul24<true>>::H>(i.type)
                 : byInteger<Binary<Mul24<false>>::H>(i.type);
  case Opcode::Mad24:
    return sat     ? Handler(ternary<Mad24HiSat, int32_t, int32_t>)
           : i.aux ? byInteger<Ternary<Mad24<true>>::H>(i.type)
                   : byInteger<Ternary<Mad24<false>>::H>(i.type);
  case Opcode::Sad:
    return byInteger<Ternary<SumAbsDiff>::H>(i.type);
  case Opcode::Div:
    return byInteger<Division<Divide>::H>(i.type);
  case Opcode::Rem:
    return byInteger<Division<Remainder>::H>(i.type);
  case Opcode::Abs:
    return byInteger<Unary<Absolute>::H>(i.type);
  case Opcode::Neg:
    return byInteger<Unary<Negate>::H>(i.type);
  case Opcode::Min:
    return minMax<Minimum>(i, pair);
  case Opcode::Max:
    return minMax<Maximum>(i, pair);
  case Opcode::AddCarry:
    return carry<0>(i.type);
  case Opcode::SubCarry:
    return carry<1>(i.type);
  case Opcode::MadCarryLo:
    return carry<2>(i.type);
  case Opcode::MadCarryHi:
    return carry<3>(i.type);
  case Opcode::Dp4a:
    return dot<0>(i);
  case Opcode::Dp2aLo:
    return dot<1>(i);
  case Opcode::Dp2aHi:
    return dot<2>(i);
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
