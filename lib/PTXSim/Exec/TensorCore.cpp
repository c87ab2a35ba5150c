// mma.sync, and the tensor-core arithmetic shared with wgmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragment layouts (ISA: "Matrix fragments for mma"), with E elements per register: register j of A
// in lane 4g+t holds row g + 8(j&1), columns 4E(j>>1) + Et .. + E-1; register j of B holds column
// g, rows 4Ej + Et .. + E-1.
#include "lib/PTXSim/Exec/Fragments.h"
#include "lib/PTXSim/Exec/Isa.h"
#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/MatrixHandlers.h"
#include "lib/PTXSim/Exec/Numeric.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {

static int exponentOf(float x, int minimum) {
  uint32_t u = floatBits(x) & 0x7fffffff;
  int e = int(u >> 23) - 127;
  return u == 0 || e < minimum ? minimum : e;
}

/// Model of Microsoft's MMA-Sim (arXiv 2511.10909): the products of a group and c are aligned to
/// the largest exponent, truncated to `fraction` bits below, summed exactly, rounded toward zero.
void multiplyTileHardware(float *const c[4], const FragmentA &a, const FragmentB &b, int k,
                          int group, int fraction, int minimumExponent) {
  for (int l = 0; l < 32; l++)
    for (int q = 0; q < 4; q++) {
      int row = l / 4 + 8 * (q >> 1), column = 2 * (l & 3) + (q & 1);
      float sum = c[q][l];
      for (int first = 0; first < k; first += group) {
        int largest = exponentOf(sum, -126);
        double plain = sum;
        for (int s = first; s < first + group && s < k; s++) {
          float x = getA(a, row, s), y = getB(b, s, column);
          int e = exponentOf(x, minimumExponent) + exponentOf(y, minimumExponent);
          largest = e > largest && x != 0 && y != 0 ? e : largest;
          plain += double(x) * double(y);
        }
        if (!(std::fabs(plain) < 1e300)) { // infinities and NaN
          sum = plain != plain ? bitsFloat(canonicalNaN) : float(plain);
          continue;
        }
        double total = std::trunc(std::ldexp(double(sum), fraction - largest));
        for (int s = first; s < first + group && s < k; s++)
          total += std::trunc(
              std::ldexp(double(getA(a, row, s)) * double(getB(b, s, column)), fraction - largest));
        double value = std::ldexp(total, largest - fraction);
        float rounded = float(value);
        if (std::fabs(double(rounded)) > std::fabs(value))
          rounded = bitsFloat(floatBits(rounded) - 1); // toward zero
        sum = rounded;
      }
      c[q][l] = sum;
    }
}

void multiplyTileAs(const Warp &w, float *const c[4], const FragmentA &a, const FragmentB &b, int k,
                    Type input, bool wgmma) {
  TensorArithmetic model = optionsOf(w).tensor;
  if (model == TensorArithmetic::FmaChain)
    return multiplyTile(c, a, b, k);
  int minimum = input == Type::F16 ? -14 : -126;
  bool eight = elementBytes(input) == 1;
  // Sums per step: Hopper all of K, Ampere halves of 16 bytes, Volta quarters of 8.
  int group = model == TensorArithmetic::Hopper   ? k
              : model == TensorArithmetic::Ampere ? 16 / int(elementBytes(input))
                                                  : 8 / int(elementBytes(input));
  int fraction = eight && wgmma                      ? 13
                 : model == TensorArithmetic::Hopper ? 25
                 : model == TensorArithmetic::Ampere ? 24
                                                     : 23;
  multiplyTileHardware(c, a, b, k, group, fraction, minimum);
}

namespace {

struct Shape {
  int m, n, k;
  int elements;               ///< per 32-bit register of A and B
  int aCount, bCount, cCount; ///< registers
};
Shape shapeOf(const Inst &i) {
  Shape s;
  s.m = int(i.imm & 255);
  s.n = int(i.imm >> 8 & 255);
  s.k = int(i.imm >> 16 & 255);
  bool wide = i.type2 == Type::F64;
  s.elements =
      wide ? 1 : int(4 / (i.type2 == Type::S8 || i.type2 == Type::U8 ? 1u : elementBytes(i.type2)));
  s.aCount = s.m * s.k / 32 / s.elements;
  s.bCount = s.k * s.n / 32 / s.elements;
  s.cCount = s.m * s.n / 32 / (i.type == Type::F16 ? 2 : 1);
  return s;
}
int rowOf(int lane, int reg) { return lane / 4 + 8 * (reg & 1); }
/// m8 shapes have no second half of rows: register j holds the j-th group of columns.
int columnOf(const Shape &s, int lane, int reg) {
  return 4 * s.elements * (s.m == 8 ? reg : reg >> 1) + s.elements * (lane & 3);
}

void requireFull(Warp &w) {
  if (w.exec != ~0u)
    fault(w, ErrorKind::Convergence,
          "divergent: a warp-wide matrix instruction executed by lanes " + hex(w.exec));
}

/// Definedness: an undefined lane of A taints a row of D, of B a column, of C the element.
void trackDefined(Warp &w, const Inst &i, const Shape &s) {
  if (!w.defined)
    return;
  const uint32_t *d = slotsOf(w, i), *a = d + s.cCount, *b = a + s.aCount, *c = b + s.bCount;
  auto bad = [&](uint32_t slot) { return ~w.defined[slotIndex(slot)]; };
  uint32_t rows = 0, columns = 0, dBad[8] = {};
  uint32_t any = 0;
  for (int j = 0; j < s.aCount; j++)
    for (uint32_t m = bad(a[j]); m; m &= m - 1)
      rows |= 1u << rowOf(int(firstLane(m)), s.m == 8 ? 0 : j), any = 1;
  for (int j = 0; j < s.bCount; j++)
    for (uint32_t m = bad(b[j]); m; m &= m - 1)
      columns |= 1u << (firstLane(m) / 4), any = 1;
  for (int q = 0; q < s.cCount; q++)
    any |= dBad[q] = bad(c[q]);
  for (int q = 0; q < s.cCount; q++) {
    markDefined(w, d[q], ~0u);
    if (!any)
      continue;
    int half = i.type == Type::F16 ? q : q >> 1;
    for (int l = 0; l < 32; l++) {
      int column = 2 * (l & 3) + (i.type == Type::F16 ? 0 : q & 1);
      bool spoiled = (rows >> (l / 4 + 8 * half) & 1) || (columns >> column & 1) ||
                     (i.type == Type::F16 && (columns >> (column + 1) & 1));
      dBad[q] |= uint32_t(spoiled) << l;
    }
    if (dBad[q])
      markUndefined(w, d[q], dBad[q]);
  }
}

void expandA(Warp &w, const Inst &i, const Shape &s, const uint32_t *regs, FragmentA &out) {
  bool half = i.type2 == Type::F16 || i.type2 == Type::BF16;
  for (int j = 0; j < s.aCount; j++) {
    const uint8_t *p = w.regs + regs[j];
    if (half) {
      const uint8_t *rows[8];
      for (int g = 0; g < 8; g++)
        rows[g] = p + 16 * g;
      expandA16(out, 8 * (j >> 1), j & 1, rows, i.type2 == Type::BF16);
      continue;
    }
    for (int l = 0; l < 32; l++)
      for (int e = 0; e < s.elements; e++)
        setA(out, rowOf(l, j), columnOf(s, l, j) + e,
             elementValue(i.type2, p + 4 * l, unsigned(e)));
  }
}
void expandB(Warp &w, const Inst &i, const Shape &s, const uint32_t *regs, FragmentB &out) {
  Type type = Type(i.aux);
  bool half = type == Type::F16 || type == Type::BF16;
  for (int j = 0; j < s.bCount; j++) {
    const uint8_t *p = w.regs + regs[j];
    if (half) {
      const uint8_t *rows[8];
      for (int g = 0; g < 8; g++)
        rows[g] = p + 16 * g;
      expandB16(out, 8 * j, rows, type == Type::BF16);
      continue;
    }
    for (int l = 0; l < 32; l++)
      for (int e = 0; e < s.elements; e++)
        setB(out, 4 * s.elements * j + s.elements * (l & 3) + e, l / 4,
             elementValue(type, p + 4 * l, unsigned(e)));
  }
}

/// f16, bf16, tf32 and fp8 inputs with f32 or f16 accumulators.
void mmaFloat(Warp &w, const Inst &i) {
  requireFull(w);
  Shape s = shapeOf(i);
  const uint32_t *d = slotsOf(w, i), *a = d + s.cCount, *b = a + s.aCount, *c = b + s.bCount;
  FragmentA fa;
  FragmentB fb;
  expandA(w, i, s, a, fa);
  expandB(w, i, s, b, fb);
  alignas(64) float acc[4][32];
  float *const rows[4] = {acc[0], acc[1], acc[2], acc[3]};
  for (int q = 0; q < 4; q++) {
    if (i.type == Type::F32) {
      std::memcpy(acc[q], w.regs + c[q], sizeof acc[q]);
      continue;
    }
    const uint16_t *halves = w.reg<uint16_t>(c[q >> 1]);
    for (int l = 0; l < 32; l++)
      acc[q][l] = halfToFloat(halves[2 * l + (q & 1)]);
  }
  trackDefined(w, i, s);
  multiplyTileAs(w, rows, fa, fb, s.k, i.type2, false);
  for (int q = 0; q < 4; q++) {
    if (i.type == Type::F32) {
      std::memcpy(w.regs + d[q], acc[q], sizeof acc[q]);
      continue;
    }
    uint16_t *halves = w.reg<uint16_t>(d[q >> 1]);
    for (int l = 0; l < 32; l++)
      halves[2 * l + (q & 1)] = floatToHalf(acc[q][l]);
  }
  w.block->cluster->worker->statistics.tensorFlops += uint64_t(2 * s.m * s.n * s.k);
}

/// Plain matrix loops for f64 and 8-bit integers, off the hot path. T: element, D: accumulator.
template <class T, class D, class Load, class Finish>
void mmaGeneric(Warp &w, const Inst &i, Load load, Finish finish) {
  requireFull(w);
  Shape s = shapeOf(i);
  const uint32_t *d = slotsOf(w, i), *a = d + s.cCount, *b = a + s.aCount, *c = b + s.bCount;
  T A[16][32], B[32][8];
  for (int l = 0; l < 32; l++)
    for (int e = 0; e < s.elements; e++) {
      for (int j = 0; j < s.aCount; j++)
        A[s.m == 8 ? l / 4 : rowOf(l, j)][columnOf(s, l, j) + e] = load(i.type2, a[j], l, e);
      for (int j = 0; j < s.bCount; j++)
        B[4 * s.elements * j + s.elements * (l & 3) + e][l / 4] = load(Type(i.aux), b[j], l, e);
    }
  D results[4][32];
  for (int q = 0; q < s.cCount; q++)
    for (int l = 0; l < 32; l++) {
      int row = l / 4 + 8 * (q >> 1), column = 2 * (l & 3) + (q & 1);
      results[q][l] = finish(A[row], B, column, s.k, c[q], l);
    }
  trackDefined(w, i, s);
  for (int q = 0; q < s.cCount; q++)
    std::memcpy(w.regs + d[q], results[q], sizeof results[q]);
  w.block->cluster->worker->statistics.tensorFlops += uint64_t(2 * s.m * s.n * s.k);
}

void mmaDouble(Warp &w, const Inst &i) {
  mmaGeneric<double, double>(
      w, i, [&](Type, uint32_t slot, int l, int) { return w.reg<double>(slot)[l]; },
      [&](const double *a, const double (&b)[32][8], int n, int k, uint32_t c, int l) {
        double sum = w.reg<double>(c)[l];
        for (int s = 0; s < k; s++)
          sum = __builtin_fma(a[s], b[s][n], sum);
        return sum;
      });
}
void mmaInteger(Warp &w, const Inst &i) {
  bool saturate = i.flags & InstFlag::SatFinite;
  mmaGeneric<int32_t, int32_t>(
      w, i,
      [&](Type type, uint32_t slot, int l, int e) {
        uint8_t byte = w.regs[slot + unsigned(4 * l + e)];
        return type == Type::S8 ? int32_t(int8_t(byte)) : int32_t(byte);
      },
      [&](const int32_t *a, const int32_t (&b)[32][8], int n, int k, uint32_t c, int l) {
        int64_t sum = w.reg<int32_t>(c)[l];
        for (int s = 0; s < k; s++)
          sum += int64_t(a[s]) * b[s][n];
        if (saturate)
          sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        return int32_t(uint32_t(uint64_t(sum)));
      });
}

} // namespace

Handler selectMma(const Inst &i) {
  switch (i.type2) {
  case Type::F64:
    return mmaDouble;
  case Type::S8:
  case Type::U8:
    return mmaInteger;
  default:
    return mmaFloat;
  }
}

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
