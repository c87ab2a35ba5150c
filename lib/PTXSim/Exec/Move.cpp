// Moves, packing of vectors and address conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

struct Copy {
  template <class T> static T apply(T a) { return a; }
};
struct alignas(16) Wide {
  uint64_t lo, hi;
};

void moveWide(Warp &w, const Inst &i) {
  PTXSIM_ACTIVE(w.exec) w.reg<Wide>(i.dst)[l] = w.reg<Wide>(i.a)[l];
}
void movePredicate(Warp &w, const Inst &i) { w.setPred(i.dst, w.pred(i.a) ^ (i.aux ? ~0u : 0)); }

void pack(Warp &w, const Inst &i) {
  const uint32_t *slots = slotsOf(w, i);
  unsigned part = i.aux, whole = part * i.count;
  PTXSIM_ACTIVE(w.exec) {
    uint8_t value[16];
    for (unsigned k = 0; k < i.count; k++)
      std::memcpy(value + k * part, w.regs + slots[k] + l * part, part);
    std::memcpy(w.regs + i.dst + l * whole, value, whole);
  }
}
void unpack(Warp &w, const Inst &i) {
  const uint32_t *slots = slotsOf(w, i);
  unsigned part = i.aux, whole = part * i.count;
  PTXSIM_ACTIVE(w.exec) {
    uint8_t value[16];
    std::memcpy(value, w.regs + i.a + l * whole, whole);
    for (unsigned k = 0; k < i.count; k++)
      if (slots[k])
        std::memcpy(w.regs + slots[k] + l * part, value + k * part, part);
  }
}

/// Clocks count the warp's own instructions: monotonic and reproducible.
void clock(Warp &w, const Inst &i) {
  uint64_t now = w.instructions;
  PTXSIM_ACTIVE(w.exec) {
    if (typeSize(i.type) == 8)
      w.reg<uint64_t>(i.dst)[l] = now;
    else
      w.reg<uint32_t>(i.dst)[l] = i.aux ? uint32_t(now >> 32) : uint32_t(now);
  }
}

void cvtaTo(Warp &w, const Inst &i) {
  uint64_t window = uint64_t(i.imm);
  lanes1<uint64_t, uint64_t>(w, i, [window](uint64_t a) { return a - window; });
}
void cvtaFrom(Warp &w, const Inst &i) {
  uint64_t window = uint64_t(i.imm);
  lanes1<uint64_t, uint64_t>(w, i, [window](uint64_t a) { return a + window; });
}

void isSpace(Warp &w, const Inst &i) {
  const uint64_t *a = w.reg<uint64_t>(i.a);
  uint32_t bits = 0;
  PTXSIM_ACTIVE(w.exec) {
    uint64_t window = a[l] >> 56;
    bool in = i.space == Space::Shared  ? window == sharedWindow >> 56
              : i.space == Space::Local ? window == localWindow >> 56
              : i.space == Space::Param ? window == paramWindow >> 56
                                        : window == 0;
    if (i.space == Space::Shared && i.aux && in)
      in = ((a[l] - sharedWindow) >> clusterRankShift) == 0 ||
           ((a[l] - sharedWindow) >> clusterRankShift) == w.block->rank + 1;
    bits |= uint32_t(in) << l;
  }
  w.setPred(i.dst, bits);
}

template <class T> void mapShared(Warp &w, const Inst &i) {
  const T *a = w.reg<T>(i.a);
  const uint32_t *rank = w.reg<uint32_t>(i.b);
  size_t count = w.block->cluster->blocks.size();
  PTXSIM_ACTIVE(w.exec) {
    if (rank[l] >= count)
      fault(w, ErrorKind::Memory,
            "mapa to rank " + std::to_string(rank[l]) + " of a cluster of " +
                std::to_string(count) + " blocks",
            1u << l);
    T window = i.aux ? T(sharedWindow) : 0;
    w.reg<T>(i.dst)[l] =
        T(window + (T(a[l] - window) & T(sharedOffsetMask)) + (T(rank[l] + 1) << clusterRankShift));
  }
}
template <class T> void clusterRank(Warp &w, const Inst &i) {
  const T *a = w.reg<T>(i.a);
  PTXSIM_ACTIVE(w.exec) {
    T window = i.aux ? T(sharedWindow) : 0;
    uint32_t tag = uint32_t(T(a[l] - window) >> clusterRankShift);
    w.reg<uint32_t>(i.dst)[l] = tag ? tag - 1 : w.block->rank;
  }
}

} // namespace

Handler selectMove(const Inst &i) {
  bool wide = typeSize(i.type) == 8;
  switch (i.op) {
  case Opcode::Move:
    switch (registerSize(i.type)) {
    case 2:
      return unary<Copy, uint16_t, uint16_t>;
    case 4:
      return unary<Copy, uint32_t, uint32_t>;
    case 8:
      return unary<Copy, uint64_t, uint64_t>;
    case 16:
      return moveWide;
    default:
      return nullptr;
    }
  case Opcode::MovePredicate:
    return movePredicate;
  case Opcode::Pack:
    return pack;
  case Opcode::Unpack:
    return unpack;
  case Opcode::Clock:
    return clock;
  case Opcode::CvtaTo:
    return cvtaTo;
  case Opcode::CvtaFrom:
    return cvtaFrom;
  case Opcode::IsSpace:
    return isSpace;
  case Opcode::MapShared:
    return wide ? mapShared<uint64_t> : mapShared<uint32_t>;
  case Opcode::ClusterRank:
    return wide ? clusterRank<uint64_t> : clusterRank<uint32_t>;
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
