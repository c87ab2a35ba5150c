// ld, st and ld.param.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Machine/Access.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

struct alignas(16) Wide {
  uint64_t lo, hi;
};

/// Addresses of all lanes; true if contiguous: lane l at the address of lane 0 plus l * bytes.
inline bool computeAddresses(Warp &w, const Inst &i, uint64_t *out, unsigned bytes) {
  if (i.flags & InstFlag::Address64) {
    const uint64_t *a = w.reg<uint64_t>(i.a);
    uint64_t offset = uint64_t(i.imm);
    PTXSIM_LANES out[l] = a[l] + offset;
  } else {
    const uint32_t *a = w.reg<uint32_t>(i.a);
    uint32_t offset = uint32_t(i.imm);
    PTXSIM_LANES out[l] = uint32_t(a[l] + offset);
  }
  uint64_t different = 0, first = out[0];
  for (int l = 0; l < 32; l++)
    different |= out[l] ^ (first + uint64_t(unsigned(l) * bytes));
  return different == 0;
}

/// Fast path: host memory of 32 contiguous lanes in a single allocation; null if not proven.
inline Target resolveRange(Warp &w, const Inst &i, uint64_t address, unsigned bytes, bool write) {
  unsigned total = 32 * bytes;
  if (address & (bytes - 1))
    return {nullptr, nullptr};
  if (i.space == Space::Shared) {
    Block &block = *w.block;
    if (address >= block.sharedBytes || total > block.sharedBytes - address)
      return {nullptr, nullptr};
    return {block.shared + address, w.defined ? block.sharedShadow.data() + address : nullptr};
  }
  if (i.space == Space::Global || i.space == Space::Generic || i.space == Space::Const) {
    Allocation *hint = w.block->cluster->worker->hints[pcOf(w)];
    if (!hint || !hint->contains(address, total) || (write && hint->readOnly))
      return {nullptr, nullptr};
    return {hint->at(address), hint->shadowAt(address)};
  }
  return {nullptr, nullptr};
}

inline bool rangeIs(const uint8_t *shadow, unsigned bytes, uint8_t keep, uint8_t want) {
  uint8_t different = 0;
  for (unsigned k = 0; k < bytes; k++)
    different |= uint8_t((shadow[k] & keep) ^ want);
  return different == 0;
}

/// Records the lanes in which a loaded register is defined.
inline void setDefined(Warp &w, uint32_t slot, uint32_t good) {
  uint32_t &d = w.defined[slotIndex(slot)];
  d = (d & ~w.exec) | good;
  if (good != w.exec)
    markUndefined(w, slot, w.exec & ~good);
}

/// A number between its types in memory and in a register; 128 bits stay as they are.
template <class To, class From> To convert(From value) {
  if constexpr (std::is_same<To, From>::value)
    return value;
  else
    return To(value);
}

template <class M, class R> void loadLanes(Warp &w, const Inst &i, const uint64_t *addresses) {
  const uint32_t *slots = slotsOf(w, i);
  unsigned bytes = sizeof(M) * i.count;
  uint32_t good[8];
  for (uint32_t &g : good)
    g = w.exec;
  PTXSIM_ACTIVE(w.exec) {
    Target t = resolve(w, i.space, addresses[l], bytes, AccessKind::Read, l);
    for (unsigned k = 0; k < i.count; k++) {
      if (!slots[k])
        continue;
      M value;
      std::memcpy(&value, t.data + k * sizeof(M), sizeof(M));
      w.reg<R>(slots[k])[l] = convert<R>(value);
      if (t.shadow && !checkDefined(w, t.shadow + k * sizeof(M), sizeof(M), l, addresses[l]))
        good[k] &= ~(1u << l);
    }
  }
  if (w.defined)
    for (unsigned k = 0; k < i.count; k++)
      if (slots[k])
        setDefined(w, slots[k], good[k]);
}

template <class M, class R> void load(Warp &w, const Inst &i) {
  uint64_t addresses[32];
  unsigned bytes = sizeof(M) * i.count;
  bool contiguous = computeAddresses(w, i, addresses, bytes);
  if (w.block->instrumented)
    observe(w, i, i.space, addresses, bytes, AccessKind::Read);
  if (contiguous && w.exec == ~0u) {
    Target t = resolveRange(w, i, addresses[0], bytes, false);
    if (t.data && (!t.shadow || rangeIs(t.shadow, 32 * bytes, 0xff, Shadow::Defined))) {
      const uint32_t *slots = slotsOf(w, i);
      const M *from = reinterpret_cast<const M *>(t.data);
      unsigned n = i.count;
      for (unsigned k = 0; k < n; k++) {
        if (!slots[k])
          continue;
        R *d = w.reg<R>(slots[k]);
        if (n == 1)
          PTXSIM_LANES d[l] = convert<R>(from[l]);
        else
          PTXSIM_LANES d[l] = convert<R>(from[unsigned(l) * n + k]);
        markDefined(w, slots[k], ~0u);
      }
      return;
    }
  }
  loadLanes<M, R>(w, i, addresses);
}

template <class M, class R> void storeLanes(Warp &w, const Inst &i, const uint64_t *addresses) {
  const uint32_t *slots = slotsOf(w, i);
  unsigned bytes = sizeof(M) * i.count;
  PTXSIM_ACTIVE(w.exec) {
    Target t = resolve(w, i.space, addresses[l], bytes, AccessKind::Write, l);
    for (unsigned k = 0; k < i.count; k++) {
      M value = convert<M>(w.reg<R>(slots[k])[l]);
      std::memcpy(t.data + k * sizeof(M), &value, sizeof(M));
    }
    if (!t.shadow)
      continue;
    checkWritable(w, t.shadow, bytes, l, addresses[l]);
    for (unsigned k = 0; k < i.count; k++) {
      bool defined = w.defined[slotIndex(slots[k])] >> l & 1;
      std::memset(t.shadow + k * sizeof(M), defined ? Shadow::Defined : Shadow::Undefined,
                  sizeof(M));
    }
  }
}

template <class M, class R> void store(Warp &w, const Inst &i) {
  uint64_t addresses[32];
  unsigned bytes = sizeof(M) * i.count;
  bool contiguous = computeAddresses(w, i, addresses, bytes);
  if (w.block->instrumented)
    observe(w, i, i.space, addresses, bytes, AccessKind::Write);
  const uint32_t *slots = slotsOf(w, i);
  uint32_t undefined = 0;
  if (w.defined)
    for (unsigned k = 0; k < i.count; k++)
      undefined |= w.exec & ~w.defined[slotIndex(slots[k])];
  w.block->stamp++; // a polling warp may wait for this value
  if (contiguous && w.exec == ~0u && !undefined) {
    Target t = resolveRange(w, i, addresses[0], bytes, true);
    if (t.data && (!t.shadow || rangeIs(t.shadow, 32 * bytes, 0xfe, 0))) {
      M *to = reinterpret_cast<M *>(t.data);
      unsigned n = i.count;
      for (unsigned k = 0; k < n; k++) {
        const R *s = w.reg<R>(slots[k]);
        if (n == 1)
          PTXSIM_LANES to[l] = convert<M>(s[l]);
        else
          PTXSIM_LANES to[unsigned(l) * n + k] = convert<M>(s[l]);
      }
      if (t.shadow)
        std::memset(t.shadow, Shadow::Defined, 32 * bytes);
      return;
    }
  }
  if (undefined)
    for (unsigned l = 0; l < 32; l++)
      if ((undefined >> l & 1) &&
          (i.space == Space::Global ||
           (i.space == Space::Generic && classify(addresses[l]) == Space::Global))) {
        for (unsigned k = 0; k < i.count; k++)
          if (!(w.defined[slotIndex(slots[k])] >> l & 1))
            reportUndefined(w, slotIndex(slots[k]), undefined);
      }
  storeLanes<M, R>(w, i, addresses);
}

/// Loads a kernel parameter, uniform over the lanes.
template <class M, class R> void loadParam(Warp &w, const Inst &i) {
  const uint8_t *from = w.block->cluster->launch->parameters + i.imm;
  const uint32_t *slots = slotsOf(w, i);
  uint32_t m = w.exec;
  for (unsigned k = 0; k < i.count; k++) {
    if (!slots[k])
      continue;
    M value;
    std::memcpy(&value, from + k * sizeof(M), sizeof(M));
    R wide = convert<R>(value);
    R *d = w.reg<R>(slots[k]);
    PTXSIM_ACTIVE(m) d[l] = wide;
  }
}

template <class M, class R> Handler pick(Opcode op) {
  return op == Opcode::Load ? load<M, R> : op == Opcode::Store ? store<M, R> : loadParam<M, R>;
}
/// Selects by register width; signed memory types are sign-extended.
template <class M> Handler byRegister(const Inst &i) {
  constexpr bool isSignedType = std::is_signed<M>::value;
  switch (i.aux) {
  case 2:
    if constexpr (sizeof(M) <= 2)
      return pick<M, std::conditional_t<isSignedType, int16_t, uint16_t>>(i.op);
    return nullptr;
  case 4:
    if constexpr (sizeof(M) <= 4)
      return pick<M, std::conditional_t<isSignedType, int32_t, uint32_t>>(i.op);
    return nullptr;
  case 8:
    if constexpr (sizeof(M) <= 8)
      return pick<M, std::conditional_t<isSignedType, int64_t, uint64_t>>(i.op);
    return nullptr;
  default:
    return nullptr;
  }
}

} // namespace

Handler selectLoadStore(const Inst &i) {
  if (i.op != Opcode::Load && i.op != Opcode::Store && i.op != Opcode::LoadParam)
    return nullptr;
  bool sign = isSigned(i.type);
  switch (typeSize(i.type)) {
  case 1:
    return sign ? byRegister<int8_t>(i) : byRegister<uint8_t>(i);
  case 2:
    return sign ? byRegister<int16_t>(i) : byRegister<uint16_t>(i);
  case 4:
    return sign ? byRegister<int32_t>(i) : byRegister<uint32_t>(i);
  case 8:
    return byRegister<uint64_t>(i);
  case 16:
    return i.aux == 16 ? pick<Wide, Wide>(i.op) : nullptr;
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
