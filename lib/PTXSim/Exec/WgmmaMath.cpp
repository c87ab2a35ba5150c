// Arithmetic of wgmma: the 16 rows of D = A B + D that belong to a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Exec/Fragments.h"
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/Numeric.h"
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/MatrixDescriptor.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {
namespace {

/// Host memory of a 16-byte chunk. Undefined bytes fault here, because results carry no origin.
const uint8_t *chunk(Warp &w, uint32_t address) {
  Block &block = *w.block;
  if (address + 16 > block.sharedBytes)
    fault(w, ErrorKind::OutOfBounds,
          "out of bounds: wgmma reads 16 bytes at shared address " + hex(address) +
              " (the block has " + std::to_string(block.sharedBytes) + ")");
  if (w.defined && !checkDefined(w, &block.sharedShadow[address], 16, 0, address))
    fault(w, ErrorKind::Memory,
          "wgmma reads uninitialized shared memory, at shared address " + hex(address) +
              pendingCopy(w, address));
  return block.shared + address;
}

bool isHalf(Type t) { return t == Type::F16 || t == Type::BF16; }

void readA(Warp &w, const WgmmaItem &item, const Inst &i, unsigned dRegisters, FragmentA &a) {
  Type type = i.type2;
  if (i.aux & 4) { // A in registers, in the layout of mma.m16n8k16
    const uint32_t *slots = slotsOf(w, i) + dRegisters;
    unsigned elements = 4 / elementBytes(type);
    for (unsigned j = 0; j < 4; j++)
      for (unsigned l = 0; l < 32; l++)
        for (unsigned e = 0; e < elements; e++)
          setA(a, int(l / 4 + 8 * (j & 1)), int(4 * elements * (j >> 1) + elements * (l & 3) + e),
               elementValue(type, w.regs + slots[j] + 4 * l, e));
    return;
  }
  MatrixDescriptor d(item.a);
  unsigned first = (w.id & 3) * 16, element = elementBytes(type), perChunk = 16 / element;
  if (isHalf(type) && !(i.aux & 1)) {
    for (unsigned j = 0; j < 4; j++) {
      const uint8_t *rows[8];
      for (unsigned g = 0; g < 8; g++)
        rows[g] = chunk(w, d.kMajor(first + 8 * (j & 1) + g, 16 * (j >> 1)));
      expandA16(a, int(8 * (j >> 1)), int(j & 1), rows, type == Type::BF16);
    }
    return;
  }
  d.eachChunk(i.aux & 1, element, first, 16, [&](uint32_t address, unsigned m, unsigned k) {
    const uint8_t *p = chunk(w, address);
    for (unsigned e = 0; e < perChunk; e++)
      setA(a, int(m - first + (i.aux & 1 ? e : 0)), int(k + (i.aux & 1 ? 0 : e)),
           elementValue(type, p, e));
  });
}

/// Reads eight columns from n0 on.
void readB(Warp &w, const MatrixDescriptor &d, const Inst &i, unsigned n0, FragmentB &b) {
  Type type = Type(i.aux >> 8);
  unsigned element = elementBytes(type), perChunk = 16 / element;
  bool transposed = i.aux & 2;
  if (isHalf(type) && !transposed) {
    for (unsigned c = 0; c < 2; c++) {
      const uint8_t *rows[8];
      for (unsigned n = 0; n < 8; n++)
        rows[n] = chunk(w, d.kMajor(n0 + n, 16 * c));
      expandB16(b, int(8 * c), rows, type == Type::BF16);
    }
    return;
  }
  if (isHalf(type)) { // a chunk holds the eight columns of a single k
    const __m128i split = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    for (unsigned k = 0; k < 16; k++) {
      const uint8_t *p = chunk(w, d.mnMajor(n0 * 2, k));
      __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
      _mm256_store_ps(b.at[k], eightToFloat(_mm_shuffle_epi8(x, split), type == Type::BF16));
    }
    return;
  }
  d.eachChunk(false, element, n0, 8, [&](uint32_t address, unsigned n, unsigned k) {
    const uint8_t *p = chunk(w, address);
    for (unsigned e = 0; e < perChunk; e++)
      setB(b, int(k + e), int(n - n0), elementValue(type, p, e));
  });
}

void negate(FragmentA &a, unsigned k) {
  for (unsigned s = 0; s < k; s++)
    for (int half = 0; half < 2; half++)
      for (int l = 0; l < 32; l++)
        a.at[s][half][l] = -a.at[s][half][l];
}

} // namespace

void executeWgmma(Warp &w, const WgmmaItem &item) {
  const Inst &i = *item.inst;
  unsigned n = unsigned(i.imm & 0xffff), k = unsigned(i.imm >> 16);
  const uint32_t *slots = slotsOf(w, i);
  FragmentA a;
  FragmentB b;
  readA(w, item, i, i.count, a);
  // (-A)B = A(-B): two negations cancel.
  if (((i.aux >> 3) ^ (i.aux >> 4)) & 1)
    negate(a, k);
  MatrixDescriptor d(item.b);
  for (unsigned tile = 0; tile < n / 8; tile++) {
    readB(w, d, i, 8 * tile, b);
    if (i.type == Type::F32) {
      float *c[4];
      for (unsigned q = 0; q < 4; q++) {
        c[q] = w.reg<float>(slots[4 * tile + q]);
        if (!item.accumulate)
          std::memset(c[q], 0, 128);
      }
      multiplyTileAs(w, c, a, b, int(k), i.type2, true);
    } else {
      alignas(64) float acc[4][32];
      float *c[4] = {acc[0], acc[1], acc[2], acc[3]};
      for (unsigned q = 0; q < 4; q++)
        for (unsigned l = 0; l < 32; l++)
          acc[q][l] =
              item.accumulate
                  ? halfToFloat(w.reg<uint16_t>(slots[2 * tile + (q >> 1)])[2 * l + (q & 1)])
                  : 0.0f;
      multiplyTileAs(w, c, a, b, int(k), i.type2, true);
      for (unsigned q = 0; q < 4; q++)
        for (unsigned l = 0; l < 32; l++)
          w.reg<uint16_t>(slots[2 * tile + (q >> 1)])[2 * l + (q & 1)] = floatToHalf(acc[q][l]);
    }
  }
  for (unsigned r = 0; r < i.count; r++)
    markDefined(w, slots[r], ~0u);
  w.block->cluster->worker->statistics.tensorFlops += uint64_t(2) * 16 * n * k;
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
