// Logic, shifts, bit counts and bit fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

struct And {
  template <class T> static T apply(T a, T b) { return T(a & b); }
};
struct Or {
  template <class T> static T apply(T a, T b) { return T(a | b); }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return T(a ^ b); }
};
struct Not {
  template <class T> static T apply(T a) { return T(~a); }
};
struct Cnot {
  template <class T> static T apply(T a) { return T(a == 0); }
};
template <class T> constexpr uint32_t width = 8 * sizeof(T);
struct ShiftLeft {
  template <class T> static T apply(T a, uint32_t n) {
    return n >= width<T> ? T(0) : T(uint64_t(a) << n);
  }
};
struct ShiftRight {
  template <class T> static T apply(T a, uint32_t n) {
    if (n >= width<T>)
      return std::is_signed<T>::value && a < 0 ? T(-1) : T(0);
    return T(a >> n);
  }
};

template <class Op> struct Shift {
  template <class T> struct H {
    static constexpr Handler handler = binary<Op, T, T, uint32_t>;
  };
};

template <bool Left, bool Wrap> struct Funnel {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = Wrap ? c & 31 : c < 32 ? c : 32;
    uint64_t x = uint64_t(b) << 32 | a;
    return Left ? uint32_t((x << n) >> 32) : uint32_t(x >> n);
  }
};

template <class T> uint32_t findMsb(T a, bool shiftAmount) {
  using U = std::make_unsigned_t<T>;
  U u = std::is_signed<T>::value && a < 0 ? U(~U(a)) : U(a);
  if (u == 0)
    return ~0u;
  uint32_t msb = 63 - uint32_t(__builtin_clzll(uint64_t(u)));
  return shiftAmount ? width<T> - 1 - msb : msb;
}
template <bool ShiftAmount> struct Bfind {
  template <class T> struct Op {
    static uint32_t apply(T a) { return findMsb(a, ShiftAmount); }
  };
};
template <bool S> Handler bfind(Type type) {
  switch (type) {
  case Type::U32:
    return unary<typename Bfind<S>::template Op<uint32_t>, uint32_t, uint32_t>;
  case Type::S32:
    return unary<typename Bfind<S>::template Op<int32_t>, uint32_t, int32_t>;
  case Type::U64:
    return unary<typename Bfind<S>::template Op<uint64_t>, uint32_t, uint64_t>;
  case Type::S64:
    return unary<typename Bfind<S>::template Op<int64_t>, uint32_t, int64_t>;
  default:
    return nullptr;
  }
}

struct Popc {
  static uint32_t apply(uint32_t a) { return uint32_t(__builtin_popcount(a)); }
  static uint32_t apply(uint64_t a) { return uint32_t(__builtin_popcountll(a)); }
};
struct Clz {
  static uint32_t apply(uint32_t a) { return a ? uint32_t(__builtin_clz(a)) : 32; }
  static uint32_t apply(uint64_t a) { return a ? uint32_t(__builtin_clzll(a)) : 64; }
};
struct Brev {
  static uint32_t apply(uint32_t a) { return __builtin_bitreverse32(a); }
  static uint64_t apply(uint64_t a) { return __builtin_bitreverse64(a); }
};

template <class T> T extract(T a, uint32_t pos, uint32_t len) {
  using U = std::make_unsigned_t<T>;
  pos &= 255;
  len &= 255;
  constexpr uint32_t msb = width<T> - 1;
  if (len == 0)
    return 0;
  bool sign = std::is_signed<T>::value && (U(a) >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1);
  U field = pos > msb ? 0 : U(a) >> pos;
  uint32_t have = pos > msb ? 0 : msb + 1 - pos;
  uint32_t keep = len < have ? len : have;
  U mask = keep >= width<T> ? U(~U(0)) : U((U(1) << keep) - 1);
  field &= mask;
  return T(sign ? U(field | U(~mask)) : field);
}
struct Bfe {
  template <class T> static T apply(T a, uint32_t pos, uint32_t len) {
    return extract(a, pos, len);
  }
};
template <class T> T insertField(T a, T b, uint32_t pos, uint32_t len) {
  pos &= 255;
  len &= 255;
  if (pos >= width<T> || len == 0)
    return b;
  T mask = len >= width<T> ? T(~T(0)) : T((T(1) << len) - 1);
  mask = T(mask << pos);
  return T((b & ~mask) | (T(a << pos) & mask));
}
template <class T> void bfi(Warp &w, const Inst &i) {
  T *d = w.reg<T>(i.dst);
  const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b);
  const uint32_t *pos = w.reg<uint32_t>(i.c), *len = w.reg<uint32_t>(i.list);
  PTXSIM_ACTIVE(w.exec) d[l] = insertField(a[l], b[l], pos[l], len[l]);
}
template <bool Wrap> struct Bmsk {
  static uint32_t apply(uint32_t a, uint32_t b) {
    uint32_t pos = Wrap ? a & 31 : a, len = Wrap ? b & 31 : b;
    if (pos >= 32 || len == 0)
      return 0;
    uint32_t ones = len >= 32 ? ~0u : (1u << len) - 1;
    return ones << pos;
  }
};
template <class T, bool Wrap> struct Szext {
  static T apply(T a, uint32_t b) {
    uint32_t n = Wrap ? b & 31 : b;
    if (n >= 32)
      return a;
    if (n == 0)
      return 0;
    return T(T(uint32_t(a) << (32 - n)) >> (32 - n));
  }
};
template <bool Wrap> Handler szext(Type type) {
  return type == Type::S32 ? binary<Szext<int32_t, Wrap>, int32_t, int32_t, uint32_t>
                           : binary<Szext<uint32_t, Wrap>, uint32_t, uint32_t>;
}
struct Fns { // n-th set bit from a base position
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    int32_t pos = int32_t(base), count = offset, step = 1;
    if (offset == 0)
      return base < 32 && (mask >> base & 1) ? base : ~0u;
    if (offset < 0)
      count = -offset, step = -1;
    for (; pos >= 0 && pos < 32; pos += step)
      if ((mask >> pos & 1) && --count == 0)
        return uint32_t(pos);
    return ~0u;
  }
};

void lop3(Warp &w, const Inst &i) {
  uint32_t t = i.aux;
  lanes3<uint32_t, uint32_t, uint32_t, uint32_t>(w, i, [t](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t r = 0;
    r |= t & 0x01 ? ~a & ~b & ~c : 0;
    r |= t & 0x02 ? ~a & ~b & c : 0;
    r |= t & 0x04 ? ~a & b & ~c : 0;
    r |= t & 0x08 ? ~a & b & c : 0;
    r |= t & 0x10 ? a & ~b & ~c : 0;
    r |= t & 0x20 ? a & ~b & c : 0;
    r |= t & 0x40 ? a & b & ~c : 0;
    r |= t & 0x80 ? a & b & c : 0;
    return r;
  });
}

/// Selector of prmt: c in the default mode, else a row of the ISA's table.
uint32_t permuteSelector(uint32_t mode, uint32_t c) {
  uint32_t k = c & 3;
  switch (mode) {
  case 1:
    return k == 0 ? 0x3210 : k == 1 ? 0x4321 : k == 2 ? 0x5432 : 0x6543; // f4e
  case 2:
    return k == 0 ? 0x5670 : k == 1 ? 0x6701 : k == 2 ? 0x7012 : 0x0123; // b4e
  case 3:
    return k * 0x1111; // rc8
  case 4:
    return k == 0 ? 0x3210 : k == 1 ? 0x3211 : k == 2 ? 0x3222 : 0x3333; // ecl
  case 5:
    return k == 0 ? 0x0000 : k == 1 ? 0x1110 : k == 2 ? 0x2210 : 0x3210; // ecr
  case 6:
    return (k & 1) ? 0x3232 : 0x1010; // rc16
  default:
    return c;
  }
}
void permute(Warp &w, const Inst &i) {
  uint32_t mode = i.aux;
  uint32_t *d = w.reg<uint32_t>(i.dst);
  const uint32_t *a = w.reg<uint32_t>(i.a), *b = w.reg<uint32_t>(i.b), *c = w.reg<uint32_t>(i.c);
  PTXSIM_ACTIVE(w.exec) {
    uint64_t x = uint64_t(b[l]) << 32 | a[l];
    uint32_t select = permuteSelector(mode, c[l]), r = 0;
    for (int q = 0; q < 4; q++) {
      uint32_t s = select >> (4 * q) & 15;
      uint32_t byte = uint32_t(x >> (8 * (s & 7))) & 255;
      if (mode == 0 && (s & 8))
        byte = byte & 0x80 ? 255 : 0;
      r |= byte << (8 * q);
    }
    d[l] = r;
  }
}

template <class Op, class R> Handler by32or64(Type type) {
  return typeSize(type) == 8 ? unary<Op, uint32_t, uint64_t> : unary<Op, uint32_t, uint32_t>;
}

} // namespace

Handler selectBits(const Inst &i) {
  bool wide = typeSize(i.type) == 8;
  switch (i.op) {
  case Opcode::And:
    return byInteger<Binary<And>::H>(i.type);
  case Opcode::Or:
    return byInteger<Binary<Or>::H>(i.type);
  case Opcode::Xor:
    return byInteger<Binary<Xor>::H>(i.type);
  case Opcode::Not:
    return byInteger<Unary<Not>::H>(i.type);
  case Opcode::Cnot:
    return byInteger<Unary<Cnot>::H>(i.type);
  case Opcode::Lop3:
    return lop3;
  case Opcode::Shl:
    return byInteger<Shift<ShiftLeft>::H>(i.type);
  case Opcode::Shr:
    return byInteger<Shift<ShiftRight>::H>(i.type);
  case Opcode::ShfL:
    return i.aux ? ternary<Funnel<true, true>, uint32_t, uint32_t>
                 : ternary<Funnel<true, false>, uint32_t, uint32_t>;
  case Opcode::ShfR:
    return i.aux ? ternary<Funnel<false, true>, uint32_t, uint32_t>
                 : ternary<Funnel<false, false>, uint32_t, uint32_t>;
  case Opcode::Popc:
    return by32or64<Popc, uint32_t>(i.type);
  case Opcode::Clz:
    return by32or64<Clz, uint32_t>(i.type);
  case Opcode::Brev:
    return wide ? unary<Brev, uint64_t, uint64_t> : unary<Brev, uint32_t, uint32_t>;
  case Opcode::Bfind:
    return bfind<false>(i.type);
  case Opcode::BfindShift:
    return bfind<true>(i.type);
  case Opcode::Bfe:
    switch (i.type) {
    case Type::U32:
      return ternary<Bfe, uint32_t, uint32_t, uint32_t, uint32_t>;
    case Type::S32:
      return ternary<Bfe, int32_t, int32_t, uint32_t, uint32_t>;
    case Type::U64:
      return ternary<Bfe, uint64_t, uint64_t, uint32_t, uint32_t>;
    case Type::S64:
      return ternary<Bfe, int64_t, int64_t, uint32_t, uint32_t>;
    default:
      return nullptr;
    }
  case Opcode::Bfi:
    return wide ? bfi<uint64_t> : bfi<uint32_t>;
  case Opcode::Bmsk:
    return i.aux ? binary<Bmsk<true>, uint32_t, uint32_t> : binary<Bmsk<false>, uint32_t, uint32_t>;
  case Opcode::Szext:
    return i.aux ? szext<true>(i.type) : szext<false>(i.type);
  case Opcode::Fns:
    return ternary<Fns, uint32_t, uint32_t, uint32_t, int32_t>;
  case Opcode::Permute:
    return permute;
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
