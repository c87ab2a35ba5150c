// atom and red.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Atomic.h"
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/Control.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

namespace ptxsim {

namespace {

/// Locks by address, for atomics on global memory with several workers.
std::atomic_flag locks[64];

class AddressLock {
public:
  AddressLock(bool use, const void *p) {
    if (!use)
      return;
    flag = &locks[(reinterpret_cast<uintptr_t>(p) >> 4) & 63];
    while (flag->test_and_set(std::memory_order_acquire))
      ;
  }
  ~AddressLock() {
    if (flag)
      flag->clear(std::memory_order_release);
  }

private:
  std::atomic_flag *flag = nullptr;
};

template <class T> T applyInteger(AtomicOp op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case AtomicOp::Add:
    return T(U(old) + U(b));
  case AtomicOp::Min:
    return std::min(old, b);
  case AtomicOp::Max:
    return std::max(old, b);
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == b ? c : old;
  case AtomicOp::And:
    return T(old & b);
  case AtomicOp::Or:
    return T(old | b);
  case AtomicOp::Xor:
    return T(old ^ b);
  case AtomicOp::Inc:
    return U(old) >= U(b) ? T(0) : T(U(old) + 1);
  case AtomicOp::Dec:
    return old == 0 || U(old) > U(b) ? b : T(U(old) - 1);
  }
  return old;
}
template <class T> T applyFloat(AtomicOp op, T old, T b) {
  return op == AtomicOp::Add ? old + b : b;
}

template <class T>
void updateMemory(uint8_t *p, AtomicOp op, const void *b, const void *c, void *old) {
  T m, x, y = T();
  std::memcpy(&m, p, sizeof(T));
  std::memcpy(&x, b, sizeof(T));
  if (c)
    std::memcpy(&y, c, sizeof(T));
  std::memcpy(old, &m, sizeof(T));
  if constexpr (std::is_floating_point<T>::value)
    m = applyFloat(op, m, x);
  else
    m = applyInteger(op, m, x, y);
  std::memcpy(p, &m, sizeof(T));
}

} // namespace

float halfBitsToFloat(uint16_t h, bool brain) {
  if (brain) {
    uint32_t u = uint32_t(h) << 16;
    float f;
    std::memcpy(&f, &u, 4);
    return f;
  }
  _Float16 x;
  std::memcpy(&x, &h, 2);
  return float(x);
}
uint16_t floatToHalfBits(float f, bool brain) {
  if (f != f)
    return 0x7fff;
  if (brain) {
    uint32_t u;
    std::memcpy(&u, &f, 4);
    return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
  }
  _Float16 x = _Float16(f);
  uint16_t h;
  std::memcpy(&h, &x, 2);
  return h;
}

static void updateHalves(uint8_t *p, AtomicOp op, const void *b, void *old, unsigned count,
                         bool brain) {
  uint16_t m[2], x[2];
  std::memcpy(m, p, 2 * count);
  std::memcpy(x, b, 2 * count);
  std::memcpy(old, m, 2 * count);
  for (unsigned k = 0; k < count; k++) {
    float f = halfBitsToFloat(m[k], brain), g = halfBitsToFloat(x[k], brain);
    float r = op == AtomicOp::Add   ? f + g
              : op == AtomicOp::Min ? (g < f ? g : f)
              : op == AtomicOp::Max ? (g > f ? g : f)
                                    : g;
    m[k] = floatToHalfBits(r, brain);
  }
  std::memcpy(p, m, 2 * count);
}

void atomicUpdate(uint8_t *p, AtomicOp op, Type type, const void *b, const void *c, void *old) {
  switch (type) {
  case Type::U32:
  case Type::B32:
    return updateMemory<uint32_t>(p, op, b, c, old);
  case Type::S32:
    return updateMemory<int32_t>(p, op, b, c, old);
  case Type::U64:
  case Type::B64:
    return updateMemory<uint64_t>(p, op, b, c, old);
  case Type::S64:
    return updateMemory<int64_t>(p, op, b, c, old);
  case Type::B16:
    return updateMemory<uint16_t>(p, op, b, c, old);
  case Type::F32:
    return updateMemory<float>(p, op, b, c, old);
  case Type::F64:
    return updateMemory<double>(p, op, b, c, old);
  case Type::F16:
    return updateHalves(p, op, b, old, 1, false);
  case Type::BF16:
    return updateHalves(p, op, b, old, 1, true);
  case Type::F16x2:
    return updateHalves(p, op, b, old, 2, false);
  case Type::BF16x2:
    return updateHalves(p, op, b, old, 2, true);
  default:
    return;
  }
}

namespace {

void atomic(Warp &w, const Inst &i) {
  uint64_t addresses[32];
  unsigned size = typeSize(i.type), bytes = size * i.count;
  for (unsigned l = 0; l < 32; l++)
    addresses[l] = laneAddress(w, i, l);
  if (w.block->instrumented)
    observe(w, i, i.space, addresses, bytes, AccessKind::ReadWrite);
  w.block->stamp++;
  bool vector = i.count > 1;
  bool parallel = w.block->cluster->launch->parallel;
  AtomicOp op = AtomicOp(i.aux);
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    Target t = resolve(w, i.space, addresses[l], bytes, AccessKind::ReadWrite, l);
    if (t.shadow && !checkDefined(w, t.shadow, bytes, l, addresses[l])) {
      if (op != AtomicOp::Exch)
        fault(w, ErrorKind::Memory,
              "atomic update of uninitialized memory, at address " + hex(addresses[l]), 1u << l);
      std::memset(t.shadow, Shadow::Defined, bytes);
    }
    AddressLock lock(parallel, t.data);
    uint8_t old[16];
    if (vector) {
      const uint32_t *slots = slotsOf(w, i);
      for (unsigned k = 0; k < i.count; k++) {
        atomicUpdate(t.data + k * size, op, i.type, w.regs + slots[k] + l * size, nullptr, old);
        if (i.dst && slots[i.count + k]) // a sink is slot 0
          std::memcpy(w.regs + slots[i.count + k] + l * size, old, size);
      }
      continue;
    }
    const uint8_t *c = i.c ? w.regs + i.c + l * size : nullptr;
    atomicUpdate(t.data, op, i.type, w.regs + i.b + l * size, c, old);
    if (i.dst)
      std::memcpy(w.regs + i.dst + l * size, old, size);
  }
}

} // namespace

Handler selectAtomic(const Inst &i) {
  if (i.op != Opcode::Atomic)
    return nullptr;
  AtomicOp op = AtomicOp(i.aux);
  if (i.count > 1)
    return atomic; // the decoder has checked the combination
  switch (i.type) {
  case Type::B128:
    return nullptr;
  case Type::F32:
  case Type::F64:
    return op == AtomicOp::Add || op == AtomicOp::Exch ? atomic : nullptr;
  case Type::F16:
  case Type::BF16:
  case Type::F16x2:
  case Type::BF16x2:
    return op <= AtomicOp::Max ? atomic : nullptr;
  case Type::B16:
    return op == AtomicOp::Cas || op == AtomicOp::Exch ? atomic : nullptr;
  default:
    return atomic;
  }
}

} // namespace ptxsim
