// Loops over the 32 lanes of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_EXEC_LANES_H
#define PTXSIM_EXEC_LANES_H

#include "lib/PTXSim/Exec/Isa.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {

/// Precondition: a source and a destination register are identical or disjoint.
#define PTXSIM_LANES _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < 32; l++)
#define PTXSIM_ACTIVE(mask)                                                                        \
  for (uint32_t m_ = (mask), l = m_ ? uint32_t(__builtin_ctz(m_)) : 0; m_;                         \
       m_ &= m_ - 1, l = m_ ? uint32_t(__builtin_ctz(m_)) : 0)

/// `f` is evaluated for inactive lanes, too, and must be safe there.
template <class D, class A, class F> inline void lanes1(Warp &w, const Inst &i, F f) {
  D *d = w.reg<D>(i.dst);
  const A *a = w.reg<A>(i.a);
  uint32_t m = w.exec;
  if (m == ~0u) {
    PTXSIM_LANES d[l] = f(a[l]);
  } else {
    PTXSIM_LANES d[l] = (m >> l & 1) ? D(f(a[l])) : d[l];
  }
}
template <class D, class A, class B, class F> inline void lanes2(Warp &w, const Inst &i, F f) {
  D *d = w.reg<D>(i.dst);
  const A *a = w.reg<A>(i.a);
  const B *b = w.reg<B>(i.b);
  uint32_t m = w.exec;
  if (m == ~0u) {
    PTXSIM_LANES d[l] = f(a[l], b[l]);
  } else {
    PTXSIM_LANES d[l] = (m >> l & 1) ? D(f(a[l], b[l])) : d[l];
  }
}
template <class D, class A, class B, class C, class F>
inline void lanes3(Warp &w, const Inst &i, F f) {
  D *d = w.reg<D>(i.dst);
  const A *a = w.reg<A>(i.a);
  const B *b = w.reg<B>(i.b);
  const C *c = w.reg<C>(i.c);
  uint32_t m = w.exec;
  if (m == ~0u) {
    PTXSIM_LANES d[l] = f(a[l], b[l], c[l]);
  } else {
    PTXSIM_LANES d[l] = (m >> l & 1) ? D(f(a[l], b[l], c[l])) : d[l];
  }
}

/// Handlers from a function object with a static `apply`.
template <class Op, class D, class A> void unary(Warp &w, const Inst &i) {
  lanes1<D, A>(w, i, [](A a) -> D { return Op::apply(a); });
}
template <class Op, class D, class A, class B = A> void binary(Warp &w, const Inst &i) {
  lanes2<D, A, B>(w, i, [](A a, B b) -> D { return Op::apply(a, b); });
}
template <class Op, class D, class A, class B = A, class C = D>
void ternary(Warp &w, const Inst &i) {
  lanes3<D, A, B, C>(w, i, [](A a, B b, C c) -> D { return Op::apply(a, b, c); });
}

/// Handlers of an operation by operand type, for byInteger.
template <class Op> struct Unary {
  template <class T> struct H {
    static constexpr Handler handler = unary<Op, T, T>;
  };
};
template <class Op> struct Binary {
  template <class T> struct H {
    static constexpr Handler handler = binary<Op, T, T>;
  };
};

/// Instantiation of H for the integer type of the instruction; null for other types.
template <template <class> class H> Handler byInteger(Type type) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return H<uint16_t>::handler;
  case Type::S16:
    return H<int16_t>::handler;
  case Type::U32:
  case Type::B32:
    return H<uint32_t>::handler;
  case Type::S32:
    return H<int32_t>::handler;
  case Type::U64:
  case Type::B64:
    return H<uint64_t>::handler;
  case Type::S64:
    return H<int64_t>::handler;
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
#endif
