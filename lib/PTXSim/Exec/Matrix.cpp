// ldmatrix, stmatrix and movmatrix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane 8j + r holds the address of row r of matrix j. Lane 4g+t receives elements (g, 2t) and (g,
// 2t+1); with .trans (2t, g) and (2t+1, g).
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/MatrixHandlers.h"
#include "lib/PTXSim/Machine/Access.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

void requireFull(Warp &w) {
  if (w.exec != ~0u)
    fault(w, ErrorKind::Convergence,
          "divergent: a warp-wide matrix instruction executed by lanes " + hex(w.exec));
}

/// One observation per matrix, eight lanes of 16 bytes: a pass of the hardware.
void observeMatrix(Warp &w, const Inst &i, AccessKind kind) {
  uint64_t addresses[32];
  for (unsigned l = 0; l < 32; l++)
    addresses[l] = laneAddress(w, i, l);
  uint32_t saved = w.exec;
  w.exec = i.count == 4 ? ~0u : (1u << (8 * i.count)) - 1;
  observe(w, i, Space::Shared, addresses, 16, kind);
  w.exec = saved;
}

void loadMatrix(Warp &w, const Inst &i) {
  requireFull(w);
  bool transpose = i.aux & 2;
  const uint32_t *slots = slotsOf(w, i);
  if (w.block->instrumented)
    observeMatrix(w, i, AccessKind::Read);
  uint32_t bad[4] = {}; // rows with undefined bytes
  alignas(16) uint16_t rows[4][8][8];
  for (unsigned j = 0; j < i.count; j++)
    for (unsigned r = 0; r < 8; r++) {
      uint64_t address = laneAddress(w, i, 8 * j + r);
      const uint8_t *data, *shadow;
      if (address <= w.block->sharedBytes - 16u && w.block->sharedBytes >= 16 && !(address & 15)) {
        data = w.block->shared + address;
        shadow = w.defined ? &w.block->sharedShadow[address] : nullptr;
      } else {
        Target t = resolve(w, Space::Shared, address, 16, AccessKind::Read, 8 * j + r);
        data = t.data;
        shadow = t.shadow;
      }
      std::memcpy(rows[j][r], data, 16);
      if (shadow && !checkDefined(w, shadow, 16, 8 * j + r, address))
        bad[j] |= 1u << r;
    }
  for (unsigned j = 0; j < i.count; j++) {
    // Without .trans the register equals the matrix: lane 4g+t holds columns 2t and 2t+1 of row g.
    uint16_t *d = w.reg<uint16_t>(slots[j]);
    if (transpose) {
      for (unsigned r = 0; r < 8; r++)
        for (unsigned c = 0; c < 8; c++)
          d[8 * c + r] = rows[j][r][c];
    } else {
      std::memcpy(d, rows[j], 128);
    }
    markDefined(w, slots[j], ~0u);
    if (!bad[j])
      continue;
    uint32_t undefined = 0;
    for (unsigned l = 0; l < 32; l++)
      undefined |= uint32_t((bad[j] & (transpose ? 3u << 2 * (l & 3) : 1u << (l >> 2))) != 0) << l;
    markUndefined(w, slots[j], undefined);
  }
}

void storeMatrix(Warp &w, const Inst &i) {
  requireFull(w);
  bool transpose = i.aux & 2;
  const uint32_t *slots = slotsOf(w, i);
  if (w.block->instrumented)
    observeMatrix(w, i, AccessKind::Write);
  w.block->stamp++;
  for (unsigned j = 0; j < i.count; j++) {
    const uint16_t *d = w.reg<uint16_t>(slots[j]);
    uint32_t defined = w.defined ? w.defined[slotIndex(slots[j])] : ~0u;
    for (unsigned r = 0; r < 8; r++) {
      uint64_t address = laneAddress(w, i, 8 * j + r);
      Target t = resolve(w, Space::Shared, address, 16, AccessKind::Write, 8 * j + r);
      if (t.shadow)
        checkWritable(w, t.shadow, 16, 8 * j + r, address);
      for (unsigned c = 0; c < 8; c++) {
        unsigned row = transpose ? c : r, column = transpose ? r : c;
        unsigned lane = 4 * row + column / 2;
        std::memcpy(t.data + 2 * c, &d[2 * lane + (column & 1)], 2);
        if (t.shadow)
          std::memset(t.shadow + 2 * c, defined >> lane & 1 ? Shadow::Defined : Shadow::Undefined,
                      2);
      }
    }
  }
}

void moveMatrix(Warp &w, const Inst &i) {
  requireFull(w);
  uint16_t in[64], *out = w.reg<uint16_t>(i.dst);
  std::memcpy(in, w.regs + i.a, sizeof in);
  for (unsigned r = 0; r < 8; r++)
    for (unsigned c = 0; c < 8; c++)
      out[8 * r + c] = in[8 * c + r];
}

} // namespace

Handler selectMatrix(const Inst &i) {
  switch (i.op) {
  case Opcode::LoadMatrix:
    return loadMatrix;
  case Opcode::StoreMatrix:
    return storeMatrix;
  case Opcode::MoveMatrix:
    return moveMatrix;
  case Opcode::Mma:
    return selectMma(i);
  default:
    return nullptr;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
