// setp, set, selp, slct and logic on predicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/Numeric.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

template <class T> struct Identity {
  static T load(T x) { return x; }
  using Storage = T;
};
struct FtzFloat {
  static float load(float x) { return flushFloat(x); }
  using Storage = float;
};
struct HalfValue {
  static float load(uint16_t x) { return halfToFloat(x); }
  using Storage = uint16_t;
};
struct BfloatValue {
  static float load(uint16_t x) { return bfloatToFloat(x); }
  using Storage = uint16_t;
};

template <Compare C, class T> bool compare(T a, T b) {
  bool unordered = a != a || b != b;
  switch (C) {
  case Compare::Eq:
    return a == b;
  case Compare::Ne:
    return !unordered && a != b;
  case Compare::Lt:
    return a < b;
  case Compare::Le:
    return a <= b;
  case Compare::Gt:
    return a > b;
  case Compare::Ge:
    return a >= b;
  case Compare::Equ:
    return unordered || a == b;
  case Compare::Neu:
    return a != b;
  case Compare::Ltu:
    return !(a >= b);
  case Compare::Leu:
    return !(a > b);
  case Compare::Gtu:
    return !(a <= b);
  case Compare::Geu:
    return !(a < b);
  case Compare::Num:
    return !unordered;
  case Compare::Nan:
    return unordered;
  }
  return false;
}

template <Compare C, class V> uint32_t compareLanes(Warp &w, const Inst &i) {
  using S = typename V::Storage;
  const S *a = w.reg<S>(i.a), *b = w.reg<S>(i.b);
  uint32_t bits = 0;
  _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < 32; l++) bits |=
      uint32_t(compare<C>(V::load(a[l]), V::load(b[l]))) << l;
  return bits;
}

uint32_t combine(Logic op, uint32_t a, uint32_t b) {
  return op == Logic::And ? a & b : op == Logic::Or ? a | b : a ^ b;
}
/// Combines the comparison with the predicate c of setp and set.
uint32_t withPredicate(Warp &w, const Inst &i, uint32_t compared) {
  Logic logic = Logic(i.aux >> 4 & 3);
  uint32_t c = i.list ? w.pred(i.list) ^ (i.aux & 64 ? ~0u : 0) : 0;
  return logic == Logic::None ? compared : combine(logic, compared, c);
}
void writePredicates(Warp &w, const Inst &i, uint32_t p, uint32_t q) {
  p = withPredicate(w, i, p); // read before p is written: c may be p
  q = withPredicate(w, i, q);
  w.setPred(i.dst, p);
  if (i.c)
    w.setPred(i.c, q);
}
template <Compare C, class V> void setp(Warp &w, const Inst &i) {
  uint32_t p = compareLanes<C, V>(w, i);
  writePredicates(w, i, p, ~p);
}
/// Packed operands: p receives the comparison of the low halves, q of the high halves.
template <Compare C, class V> void setpPacked(Warp &w, const Inst &i) {
  const uint16_t *a = w.reg<uint16_t>(i.a), *b = w.reg<uint16_t>(i.b);
  uint32_t p = 0, q = 0;
  for (int l = 0; l < 32; l++) {
    p |= uint32_t(compare<C>(V::load(a[2 * l]), V::load(b[2 * l]))) << l;
    q |= uint32_t(compare<C>(V::load(a[2 * l + 1]), V::load(b[2 * l + 1]))) << l;
  }
  writePredicates(w, i, p, q);
}

/// set: true is all ones for integer destinations, 1.0 for floating point.
template <Compare C, class V> void set(Warp &w, const Inst &i) {
  uint32_t bits = withPredicate(w, i, compareLanes<C, V>(w, i));
  bool wide = typeSize(i.type2) == 4;
  uint32_t yes = i.type2 == Type::F32    ? 0x3f800000
                 : i.type2 == Type::F16  ? 0x3c00
                 : i.type2 == Type::BF16 ? 0x3f80
                 : wide                  ? ~0u
                                         : 0xffff;
  PTXSIM_ACTIVE(w.exec) {
    uint32_t value = bits >> l & 1 ? yes : 0;
    if (wide)
      w.reg<uint32_t>(i.dst)[l] = value;
    else
      w.reg<uint16_t>(i.dst)[l] = uint16_t(value);
  }
}
template <Compare C, class V> void setPacked(Warp &w, const Inst &i) {
  const uint16_t *a = w.reg<uint16_t>(i.a), *b = w.reg<uint16_t>(i.b);
  uint16_t *d = w.reg<uint16_t>(i.dst);
  uint16_t yes = i.type2 == Type::F16x2 ? 0x3c00 : i.type2 == Type::BF16x2 ? 0x3f80 : 0xffff;
  for (int l = 0; l < 64; l++)
    if (w.exec >> (l / 2) & 1) {
      uint32_t bit = uint32_t(compare<C>(V::load(a[l]), V::load(b[l]))) << (l / 2);
      d[l] = withPredicate(w, i, bit) >> (l / 2) & 1 ? yes : uint16_t(0);
    }
}

template <Compare C, class V> Handler pick(const Inst &i, bool packed) {
  if (i.op == Opcode::Set) {
    if constexpr (std::is_same<typename V::Storage, uint16_t>::value)
      if (packed)
        return setPacked<C, V>;
    return set<C, V>;
  }
  if constexpr (std::is_same<typename V::Storage, uint16_t>::value)
    if (packed)
      return setpPacked<C, V>;
  return setp<C, V>;
}
template <class V> Handler byCompare(const Inst &i, bool packed = false) {
  switch (Compare(i.aux & 15)) {
  case Compare::Eq:
    return pick<Compare::Eq, V>(i, packed);
  case Compare::Ne:
    return pick<Compare::Ne, V>(i, packed);
  case Compare::Lt:
    return pick<Compare::Lt, V>(i, packed);
  case Compare::Le:
    return pick<Compare::Le, V>(i, packed);
  case Compare::Gt:
    return pick<Compare::Gt, V>(i, packed);
  case Compare::Ge:
    return pick<Compare::Ge, V>(i, packed);
  default:
    break;
  }
  if constexpr (std::is_floating_point<decltype(V::load(typename V::Storage()))>::value)
    switch (Compare(i.aux & 15)) {
    case Compare::Equ:
      return pick<Compare::Equ, V>(i, packed);
    case Compare::Neu:
      return pick<Compare::Neu, V>(i, packed);
    case Compare::Ltu:
      return pick<Compare::Ltu, V>(i, packed);
    case Compare::Leu:
      return pick<Compare::Leu, V>(i, packed);
    case Compare::Gtu:
      return pick<Compare::Gtu, V>(i, packed);
    case Compare::Geu:
      return pick<Compare::Geu, V>(i, packed);
    case Compare::Num:
      return pick<Compare::Num, V>(i, packed);
    case Compare::Nan:
      return pick<Compare::Nan, V>(i, packed);
    default:
      break;
    }
  return nullptr;
}
Handler comparison(const Inst &i) {
  switch (i.type) {
  case Type::U16:
  case Type::B16:
    return byCompare<Identity<uint16_t>>(i);
  case Type::S16:
    return byCompare<Identity<int16_t>>(i);
  case Type::U32:
  case Type::B32:
    return byCompare<Identity<uint32_t>>(i);
  case Type::S32:
    return byCompare<Identity<int32_t>>(i);
  case Type::U64:
  case Type::B64:
    return byCompare<Identity<uint64_t>>(i);
  case Type::S64:
    return byCompare<Identity<int64_t>>(i);
  case Type::F32:
    return i.flags & InstFlag::Ftz ? byCompare<FtzFloat>(i) : byCompare<Identity<float>>(i);
  case Type::F64:
    return byCompare<Identity<double>>(i);
  case Type::F16:
    return byCompare<HalfValue>(i);
  case Type::BF16:
    return byCompare<BfloatValue>(i);
  case Type::F16x2:
    return byCompare<HalfValue>(i, true);
  case Type::BF16x2:
    return byCompare<BfloatValue>(i, true);
  default:
    return nullptr;
  }
}

template <class T> void selectLanes(Warp &w, const Inst &i, uint32_t c) {
  T *d = w.reg<T>(i.dst);
  const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b);
  uint32_t m = w.exec;
  if (m == ~0u) {
    PTXSIM_LANES d[l] = (c >> l & 1) ? a[l] : b[l];
  } else {
    PTXSIM_LANES d[l] = (m >> l & 1) ? ((c >> l & 1) ? a[l] : b[l]) : d[l];
  }
}
template <class T> void selp(Warp &w, const Inst &i) {
  selectLanes<T>(w, i, w.pred(i.c) ^ (i.aux ? ~0u : 0));
}
/// a where c >= 0, else b; -0 counts as zero, NaN selects b.
template <class T> void slct(Warp &w, const Inst &i) {
  uint32_t bits = 0;
  bool isFloat = i.type2 == Type::F32, ftz = i.flags & InstFlag::Ftz;
  for (int l = 0; l < 32; l++) {
    float f = w.reg<float>(i.c)[l];
    bits |= uint32_t(isFloat ? (ftz ? flushFloat(f) : f) >= 0 : w.reg<int32_t>(i.c)[l] >= 0) << l;
  }
  selectLanes<T>(w, i, bits);
}
template <class T> Handler selection(const Inst &i) {
  return i.op == Opcode::Select ? selp<T> : slct<T>;
}

void predicateLogic(Warp &w, const Inst &i) {
  uint32_t a = w.pred(i.a) ^ (i.aux & 4 ? ~0u : 0), b = w.pred(i.b) ^ (i.aux & 8 ? ~0u : 0);
  Logic op = Logic(i.aux & 3);
  w.setPred(i.dst, op == Logic::None ? ~a : combine(op, a, b));
}

} // namespace

Handler selectCompare(const Inst &i) {
  switch (i.op) {
  case Opcode::Setp:
    return comparison(i);
  case Opcode::Set:
    return comparison(i);
  case Opcode::PredicateLogic:
    return predicateLogic;
  case Opcode::Select:
  case Opcode::SelectSign:
    switch (typeSize(i.type)) {
    case 2:
      return selection<uint16_t>(i);
    case 4:
      return selection<uint32_t>(i);
    case 8:
      return selection<uint64_t>(i);
    default:
      return nullptr;
    }
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
