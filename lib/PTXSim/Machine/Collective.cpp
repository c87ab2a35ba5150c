// shfl, vote, match, redux, elect and activemask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Control.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace ptxsim {

namespace {

/// Faults unless all lanes of the member mask execute the instruction together.
void requireMembers(Warp &w, uint32_t maskSlot) {
  const uint32_t *masks = w.reg<uint32_t>(maskSlot);
  uint32_t mask = masks[firstLane(w.exec)];
  for (unsigned l = 0; l < 32; l++)
    if ((w.exec >> l & 1) && masks[l] != mask)
      fault(w, ErrorKind::Convergence,
            "lanes disagree on the member mask (" + hex(mask) + " and " + hex(masks[l]) + ")");
  if ((mask & w.alive) != (w.exec & mask) || (w.exec & ~mask))
    fault(w, ErrorKind::Convergence,
          "divergent: member mask " + hex(mask) + ", but executed by lanes " + hex(w.exec));
}

template <class F> void eachLane(const Warp &w, F f) {
  for (uint32_t m = w.exec; m; m &= m - 1)
    f(firstLane(m));
}

/// aux: 0 up, 1 down, 2 bfly, 3 idx (ISA: shfl.sync).
void shuffle(Warp &w, const Inst &i) {
  requireMembers(w, i.list);
  uint32_t a[32];
  std::memcpy(a, w.reg<uint32_t>(i.a), sizeof a);
  const uint32_t *b = w.reg<uint32_t>(i.b), *c = w.reg<uint32_t>(i.c);
  uint32_t *d = w.reg<uint32_t>(i.dst);
  uint32_t inRange = 0, good = 0;
  uint32_t sourceDefined = w.defined ? w.defined[slotIndex(i.a)] : ~0u;
  eachLane(w, [&](unsigned l) {
    int lane = int(l), bval = int(b[l] & 31), cval = int(c[l] & 31), segment = int(c[l] >> 8 & 31);
    int highest = (lane & segment) | (cval & ~segment), lowest = lane & segment, j;
    bool p;
    switch (i.aux) {
    case 0:
      j = lane - bval;
      p = j >= highest;
      break;
    case 1:
      j = lane + bval;
      p = j <= highest;
      break;
    case 2:
      j = lane ^ bval;
      p = j <= highest;
      break;
    default:
      j = lowest | (bval & ~segment);
      p = j <= highest;
      break;
    }
    if (!p)
      j = lane;
    if (!(w.exec >> j & 1))
      fault(w, ErrorKind::Convergence,
            "shuffle reads from lane " + std::to_string(j) + ", which does not take part", 1u << l);
    d[l] = a[j];
    inRange |= uint32_t(p) << l;
    good |= (sourceDefined >> j & 1) << l;
  });
  if (i.imm)
    w.setPred(uint32_t(i.imm), inRange);
  if (w.defined) {
    markDefined(w, i.dst, w.exec);
    if (uint32_t bad = w.exec & ~good)
      markUndefined(w, i.dst, bad);
    if (i.imm)
      markDefined(w, uint32_t(i.imm), w.exec);
  }
}

/// aux: 0 all, 1 any, 2 uni, 3 ballot.
void vote(Warp &w, const Inst &i) {
  requireMembers(w, i.b);
  uint32_t p = (w.pred(i.a) ^ uint32_t(i.imm)) & w.exec;
  if (i.aux == 3) {
    eachLane(w, [&](unsigned l) { w.reg<uint32_t>(i.dst)[l] = p; });
    return;
  }
  bool all = p == w.exec, any = p != 0;
  bool result = i.aux == 0 ? all : i.aux == 1 ? any : all || !any;
  w.setPred(i.dst, result ? ~0u : 0);
}

void activeMask(Warp &w, const Inst &i) {
  eachLane(w, [&](unsigned l) { w.reg<uint32_t>(i.dst)[l] = w.exec; });
}

template <class T> void match(Warp &w, const Inst &i) {
  requireMembers(w, i.b);
  const T *a = w.reg<T>(i.a);
  uint32_t out[32] = {}, same = 0;
  eachLane(w, [&](unsigned l) {
    eachLane(w, [&](unsigned k) { out[l] |= uint32_t(a[k] == a[l]) << k; });
    same |= uint32_t(out[l] == w.exec) << l;
  });
  bool all = i.op == Opcode::MatchAll;
  eachLane(w, [&](unsigned l) {
    w.reg<uint32_t>(i.dst)[l] = all ? (same >> l & 1 ? w.exec : 0) : out[l];
  });
  if (i.imm)
    w.setPred(uint32_t(i.imm), all ? same : w.exec);
}

uint32_t combine(unsigned op, bool isSigned, uint32_t a, uint32_t b) {
  switch (op) {
  case 0:
    return a + b;
  case 1:
    return isSigned ? uint32_t(std::min(int32_t(a), int32_t(b))) : std::min(a, b);
  case 2:
    return isSigned ? uint32_t(std::max(int32_t(a), int32_t(b))) : std::max(a, b);
  case 3:
    return a & b;
  case 4:
    return a | b;
  default:
    return a ^ b;
  }
}
uint32_t combineFloat(const Inst &i, uint32_t x, uint32_t y) {
  float a, b;
  std::memcpy(&a, &x, 4);
  std::memcpy(&b, &y, 4);
  if (i.flags & InstFlag::Xorsign)
    a = std::fabs(a), b = std::fabs(b);
  bool nan = std::isnan(a) || std::isnan(b);
  float r = std::isnan(a) ? b : std::isnan(b) ? a : (i.aux == 1) == (a < b) ? a : b;
  uint32_t out;
  std::memcpy(&out, &r, 4);
  bool canonical = nan && ((i.flags & InstFlag::PropagateNaN) || std::isnan(r));
  return canonical ? 0x7fffffff : out;
}

void redux(Warp &w, const Inst &i) {
  requireMembers(w, i.b);
  const uint32_t *a = w.reg<uint32_t>(i.a);
  uint32_t result = a[firstLane(w.exec)];
  if (i.type == Type::F32) // .abs and the canonical NaN apply to a single lane, too
    result = combineFloat(i, result, result);
  for (uint32_t m = w.exec & (w.exec - 1); m; m &= m - 1) {
    uint32_t x = a[firstLane(m)];
    result = i.type == Type::F32 ? combineFloat(i, result, x)
                                 : combine(i.aux, i.type == Type::S32, result, x);
  }
  eachLane(w, [&](unsigned l) { w.reg<uint32_t>(i.dst)[l] = result; });
}

void elect(Warp &w, const Inst &i) {
  requireMembers(w, i.b);
  unsigned leader = firstLane(w.exec);
  eachLane(w, [&](unsigned l) { w.reg<uint32_t>(i.dst)[l] = leader; });
  w.setPred(i.a, 1u << leader);
}

} // namespace

Handler selectCollective(const Inst &i) {
  switch (i.op) {
  case Opcode::Shuffle:
    return shuffle;
  case Opcode::Vote:
  case Opcode::Ballot:
    return vote;
  case Opcode::ActiveMask:
    return activeMask;
  case Opcode::Match:
  case Opcode::MatchAll:
    return typeSize(i.type) == 8 ? match<uint64_t> : match<uint32_t>;
  case Opcode::Redux:
    return i.type == Type::F32 && i.aux != 1 && i.aux != 2 ? nullptr : redux;
  case Opcode::Elect:
    return elect;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
