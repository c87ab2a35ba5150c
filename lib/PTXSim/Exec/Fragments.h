// Matrix fragments as vectors over lanes, and the tile product on this form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulator tile [16, 8]: register q of lane 4g+t holds row g + 8(q>>1), column 2t + (q&1). In
// this layout step k needs A[row][k] once per lane, and the four even or the four odd columns of
// B[k][*], repeated for every g. Accumulators are never rearranged.
#ifndef PTXSIM_EXEC_FRAGMENTS_H
#define PTXSIM_EXEC_FRAGMENTS_H

#include "lib/PTXSim/Exec/Lanes.h"
#include "lib/PTXSim/Exec/Numeric.h"

PTXSIM_ISA_BEGIN
namespace ptxsim {
namespace PTXSIM_NS {

constexpr int maximumK = 32;

/// A: [k][half (rows 0-7, rows 8-15)][lane]. B: [k][columns 0 2 4 6 1 3 5 7].
struct alignas(64) FragmentA {
  float at[maximumK][2][32];
};
struct alignas(64) FragmentB {
  float at[maximumK][8];
};

#ifdef PTXSIM_AVX512
using Vector = __m512;
constexpr int vectorLanes = 16;
inline Vector load(const float *p) { return _mm512_load_ps(p); }
inline void store(float *p, Vector v) { _mm512_store_ps(p, v); }
inline Vector repeat4(const float *p) { return _mm512_broadcast_f32x4(_mm_load_ps(p)); }
inline Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
#else
using Vector = __m256;
constexpr int vectorLanes = 8;
inline Vector load(const float *p) { return _mm256_load_ps(p); }
inline void store(float *p, Vector v) { _mm256_store_ps(p, v); }
inline Vector repeat4(const float *p) {
  return _mm256_broadcast_ps(reinterpret_cast<const __m128 *>(p));
}
inline Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
#endif

/// c[q] += A B for a 16 x 8 tile: per element a chain of fused multiply-adds in ascending k.
inline void multiplyTile(float *const c[4], const FragmentA &a, const FragmentB &b, int k) {
  for (int half = 0; half < 2; half++)
    for (int first = 0; first < 32; first += 2 * vectorLanes) {
      Vector e0 = load(c[2 * half] + first), e1 = load(c[2 * half] + first + vectorLanes);
      Vector o0 = load(c[2 * half + 1] + first), o1 = load(c[2 * half + 1] + first + vectorLanes);
      for (int s = 0; s < k; s++) {
        Vector x0 = load(a.at[s][half] + first), x1 = load(a.at[s][half] + first + vectorLanes);
        Vector even = repeat4(b.at[s]), odd = repeat4(b.at[s] + 4);
        e0 = multiplyAdd(x0, even, e0);
        e1 = multiplyAdd(x1, even, e1);
        o0 = multiplyAdd(x0, odd, o0);
        o1 = multiplyAdd(x1, odd, o1);
      }
      store(c[2 * half] + first, e0);
      store(c[2 * half] + first + vectorLanes, e1);
      store(c[2 * half + 1] + first, o0);
      store(c[2 * half + 1] + first + vectorLanes, o1);
    }
}

inline __m256 eightToFloat(__m128i x, bool brain) {
  return brain ? _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16))
               : _mm256_cvtph_ps(x);
}

/// Transposes an [8, 8] block of 16-bit numbers.
inline void transpose8x8(__m128i r[8]) {
  __m128i a[8], b[8];
  for (int k = 0; k < 4; k++) {
    a[2 * k] = _mm_unpacklo_epi16(r[2 * k], r[2 * k + 1]);
    a[2 * k + 1] = _mm_unpackhi_epi16(r[2 * k], r[2 * k + 1]);
  }
  for (int k = 0; k < 2; k++) {
    b[4 * k] = _mm_unpacklo_epi32(a[4 * k], a[4 * k + 2]);
    b[4 * k + 1] = _mm_unpackhi_epi32(a[4 * k], a[4 * k + 2]);
    b[4 * k + 2] = _mm_unpacklo_epi32(a[4 * k + 1], a[4 * k + 3]);
    b[4 * k + 3] = _mm_unpackhi_epi32(a[4 * k + 1], a[4 * k + 3]);
  }
  for (int k = 0; k < 4; k++) {
    r[2 * k] = _mm_unpacklo_epi64(b[k], b[4 + k]);
    r[2 * k + 1] = _mm_unpackhi_epi64(b[k], b[4 + k]);
  }
}

/// Loads rows n of eight consecutive k, 16-bit, into steps k0 .. k0 + 7 of B.
inline void expandB16(FragmentB &b, int k0, const uint8_t *const rows[8], bool brain) {
  constexpr int order[8] = {0, 2, 4, 6, 1, 3, 5, 7};
  __m128i r[8];
  for (int n = 0; n < 8; n++)
    r[n] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(rows[order[n]]));
  transpose8x8(r);
  for (int s = 0; s < 8; s++)
    _mm256_store_ps(b.at[k0 + s], eightToFloat(r[s], brain));
}

/// Loads an [8, 8] block (row g, eight consecutive k) into a half of steps k0 .. k0 + 7 of A.
inline void expandA16(FragmentA &a, int k0, int half, const uint8_t *const rows[8], bool brain) {
  alignas(64) float block[64];
  for (int g = 0; g < 8; g++)
    _mm256_store_ps(
        block + 8 * g,
        eightToFloat(_mm_loadu_si128(reinterpret_cast<const __m128i *>(rows[g])), brain));
#ifdef PTXSIM_AVX512
  __m512 r01 = _mm512_load_ps(block), r23 = _mm512_load_ps(block + 16);
  __m512 r45 = _mm512_load_ps(block + 32), r67 = _mm512_load_ps(block + 48);
  __m512i base = _mm512_setr_epi32(0, 0, 0, 0, 8, 8, 8, 8, 16, 16, 16, 16, 24, 24, 24, 24);
  for (int s = 0; s < 8; s++) {
    __m512i index = _mm512_add_epi32(base, _mm512_set1_epi32(s));
    _mm512_store_ps(a.at[k0 + s][half], _mm512_permutex2var_ps(r01, index, r23));
    _mm512_store_ps(a.at[k0 + s][half] + 16, _mm512_permutex2var_ps(r45, index, r67));
  }
#else
  for (int g = 0; g < 8; g++)
    for (int s = 0; s < 8; s++)
      _mm_store_ps(a.at[k0 + s][half] + 4 * g, _mm_set1_ps(block[8 * g + s]));
#endif
}

inline void setA(FragmentA &a, int row, int k, float value) {
  _mm_store_ps(a.at[k][row >> 3] + 4 * (row & 7), _mm_set1_ps(value));
}
inline void setB(FragmentB &b, int k, int n, float value) { b.at[k][(n & 1) * 4 + n / 2] = value; }
inline float getA(const FragmentA &a, int row, int k) { return a.at[k][row >> 3][4 * (row & 7)]; }
inline float getB(const FragmentB &b, int k, int n) { return b.at[k][(n & 1) * 4 + n / 2]; }

inline unsigned elementBytes(Type t) {
  return t == Type::TF32 || t == Type::F32 ? 4 : t == Type::F16 || t == Type::BF16 ? 2 : 1;
}
/// Element `index` of an array of a tensor-core input type, as float.
inline float elementValue(Type type, const uint8_t *p, unsigned index) {
  switch (type) {
  case Type::F16:
  case Type::BF16: {
    uint16_t h;
    std::memcpy(&h, p + 2 * index, 2);
    return type == Type::F16 ? halfToFloat(h) : bfloatToFloat(h);
  }
  case Type::TF32: { // the lower 13 bits are ignored
    uint32_t u;
    std::memcpy(&u, p + 4 * index, 4);
    return bitsFloat(u & 0xffffe000);
  }
  case Type::E4M3:
    return float(formatToDouble(p[index], formatE4M3));
  default:
    return float(formatToDouble(p[index], formatE5M2));
  }
}

/// Tile product with the hardware's rounding; `fraction`: see TensorCore.cpp.
void multiplyTileHardware(float *const c[4], const FragmentA &a, const FragmentB &b, int k,
                          int group, int fraction, int minimumExponent);
/// Tile product in the arithmetic that the options select.
void multiplyTileAs(const Warp &w, float *const c[4], const FragmentA &a, const FragmentB &b, int k,
                    Type input, bool wgmma);

} // namespace PTXSIM_NS
} // namespace ptxsim
PTXSIM_ISA_END
#endif
