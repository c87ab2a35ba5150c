// Initial values: counter-based random numbers, so that threads and order do not matter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Internal.h"
#include <string.h>

/* Into loops that become vectors. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011. */
static ALWAYS_INLINE void philox(const uint32_t counter[4], const uint32_t key[2],
                                 uint32_t out[4]) {
  /* Words in the low halves of 64 bits, with anything above: vectors need no conversions. */
  const uint64_t low = 0xffffffffu;
  uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = 0xD2511F53ull * (c0 & low), p1 = 0xCD9E8D57ull * (c2 & low);
    c0 = p1 >> 32 ^ c1 ^ k0;
    c1 = p1;
    c2 = p0 >> 32 ^ c3 ^ k1;
    c3 = p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = (uint32_t)c0, out[1] = (uint32_t)c1, out[2] = (uint32_t)c2, out[3] = (uint32_t)c3;
}
void ampc_rt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  philox(counter, key, out);
}

/* Horner's rule, from the highest power down. Tables, because a division per term would take most
 * of the time. */
static ALWAYS_INLINE double polynomial(const double *coefficients, int count, double x) {
  double sum = coefficients[0];
  for (int i = 1; i < count; ++i)
    sum = sum * x + coefficients[i];
  return sum;
}

/* x = m 2^e with m near 1; log m = 2 artanh((m - 1) / (m + 1)), whose series has 3e-2 as ratio at
 * worst. Without branches, so that loops over many x become vectors. */
static ALWAYS_INLINE double logarithm(double x) {
  static const double series[] = {/* 1/23, 1/21, ... 1 */
                                  0.043478260869565216, 0.047619047619047616,
                                  0.05263157894736842,  0.058823529411764705,
                                  0.06666666666666667,  0.07692307692307693,
                                  0.09090909090909091,  0.1111111111111111,
                                  0.14285714285714285,  0.2,
                                  0.3333333333333333,   1.0};
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int32_t exponent = (int32_t)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
  double m;
  memcpy(&m, &bits, sizeof m);
  bool is_large = m > 1.4142135623730951;
  m = is_large ? m * 0.5 : m;
  exponent = is_large ? exponent + 1 : exponent;
  double f = (m - 1) / (m + 1);
  return (double)exponent * 0.69314718055994530942 + 2 * f * polynomial(series, 12, f * f);
}
double ampc_rt_log(double x) { return logarithm(x); }

/* Taylor series of the cosine or, beyond pi/4, of the sine of the complement to pi/2. */
static ALWAYS_INLINE double cosTurns(double x) {
  static const double cosine[] = {/* -1/18!, 1/16!, ... 1 */
                                  -1.5619206968586225e-16,
                                  4.779477332387385e-14,
                                  -1.1470745597729725e-11,
                                  2.08767569878681e-09,
                                  -2.755731922398589e-07,
                                  2.48015873015873e-05,
                                  -0.001388888888888889,
                                  0.041666666666666664,
                                  -0.5,
                                  1.0};
  static const double sine[] = {/* -1/19!, 1/17!, ... 1 */
                                -8.22063524662433e-18,  2.8114572543455206e-15,
                                -7.647163731819816e-13, 1.6059043836821613e-10,
                                -2.505210838544172e-08, 2.7557319223985893e-06,
                                -0.0001984126984126984, 0.008333333333333333,
                                -0.16666666666666666,   1.0};
  const double turn = 6.28318530717958647692;
  x = x > 0.5 ? 1 - x : x;
  double sign = x > 0.25 ? -1 : 1;
  x = x > 0.25 ? 0.5 - x : x;
  bool is_sine = x > 0.125;
  x = (is_sine ? 0.25 - x : x) * turn;
  double square = x * x, sum = is_sine ? sine[0] : cosine[0];
  for (int i = 1; i < 10; ++i)
    sum = sum * square + (is_sine ? sine[i] : cosine[i]);
  return sign * (is_sine ? x * sum : sum);
}
double ampc_rt_cos_turns(double x) { return cosTurns(x); }

uint16_t ampc_rt_to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t)(bits >> 16 |
                      0x40); /* quiet bit: the shift alone could turn a NaN into an infinity */
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rounds to nearest even; by hand, since the conversion of the language may call a compiler's
 * library. */
uint16_t ampc_rt_to_f16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00;
  if (bits >= 0x477ff000) /* 65520 rounds to infinity */
    return sign | 0x7c00;
  if (bits >= 0x38800000) /* normal in f16: rebias, then drop 13 bits */
    return sign | (uint16_t)((bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13);
  if (bits <= 0x33000000) /* half of the least subnormal rounds to 0 */
    return sign;
  uint32_t shift = 126 - (bits >> 23), mantissa = (bits & 0x7fffff) | 0x800000;
  uint32_t half = 1u << (shift - 1), odd = mantissa >> shift & 1;
  return sign | (uint16_t)((mantissa + half - 1 + odd) >> shift);
}

/* FNV-1a, 64 bits. */
uint64_t ampc_rt_hash_text(const char *text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *text; ++text)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
  return hash;
}

/* Counter-based random stream: each element has Philox blocks of its own; `attempt` counts
   redraws. */
typedef struct {
  uint32_t key[2];
  uint64_t name_hash;
} Stream;

static ALWAYS_INLINE void draw(const Stream *stream, uint64_t element, uint32_t attempt, double *u,
                               double *v) {
  uint32_t counter[4] = {(uint32_t)element, (uint32_t)(element >> 32) | attempt << 24,
                         (uint32_t)stream->name_hash, (uint32_t)(stream->name_hash >> 32)};
  uint32_t word[4];
  philox(counter, stream->key, word);
  const double unit = 1.0 / 9007199254740992.0; /* 2^-53 */
  *u = (double)(((uint64_t)word[0] << 32 | word[1]) >> 11) * unit;
  *v = (double)(((uint64_t)word[2] << 32 | word[3]) >> 11) * unit;
}

/* Box and Muller 1958: a radius, and the cosine of an angle. */
static ALWAYS_INLINE double radius(double u) { return __builtin_sqrt(-2 * logarithm(1 - u)); }
static ALWAYS_INLINE double drawNormal(const Stream *stream, uint64_t element, uint32_t attempt) {
  double u, v;
  draw(stream, element, attempt, &u, &v);
  return radius(u) * cosTurns(v);
}

/* First draws for neighbouring elements; `count` is BLOCK or, at the end of a share, less. */
enum { BLOCK = 256 };
typedef void (*Draws)(const Stream *stream, uint64_t first, int count, bool is_normal,
                      double *values);
static ALWAYS_INLINE void drawMany(const Stream *stream, uint64_t first, int count, bool is_normal,
                                   double *values) {
  /* Four chains side by side, as a single one waits for its own results; in parts that leave
     registers for four. */
  double second[BLOCK];
#pragma clang loop interleave_count(4)
  for (int i = 0; i < count; ++i)
    draw(stream, first + (uint64_t)i, 0, &values[i], &second[i]);
  if (!is_normal)
    return;
#pragma clang loop interleave_count(4)
  for (int i = 0; i < count; ++i)
    values[i] = radius(values[i]);
#pragma clang loop interleave_count(4)
  for (int i = 0; i < count; ++i)
    values[i] *= cosTurns(second[i]);
}

/* Vector code with the operations of the scalar code and no fused multiply-add: equal bits. */
static void drawPlain(const Stream *stream, uint64_t first, int count, bool is_normal,
                      double *values) {
  drawMany(stream, first, count, is_normal, values);
}
__attribute__((target("avx2"))) static void drawAVX2(const Stream *stream, uint64_t first,
                                                     int count, bool is_normal, double *values) {
  drawMany(stream, first, count, is_normal, values);
}
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) static void
drawAVX512(const Stream *stream, uint64_t first, int count, bool is_normal, double *values) {
  drawMany(stream, first, count, is_normal, values);
}

static Draws drawsOf(int32_t tier) {
  if (tier >= AMPC_TIER_AVX512 && tier <= AMPC_TIER_AMXFP16)
    return drawAVX512;
  return tier == AMPC_TIER_AVX2 ? drawAVX2 : drawPlain;
}

/* Values of a slot's elements first ... first + count. */
static void initialValues(const ampc_slot *slot, const Stream *stream, Draws draws, uint64_t first,
                          int count, double *values) {
  bool is_truncated = slot->init == AMPC_INIT_TRUNCATED_NORMAL;
  bool is_normal = slot->init == AMPC_INIT_NORMAL || is_truncated;
  draws(stream, first, count, is_normal, values);
  /* 256 draws outside have probability 0.046^256. */
  for (int i = 0; is_truncated && i < count; ++i)
    for (uint32_t attempt = 1; values[i] < -2 || values[i] > 2; ++attempt)
      values[i] = attempt < 256 ? drawNormal(stream, first + (uint64_t)i, attempt) : 0;
  double scale = is_normal ? slot->b : slot->b - slot->a;
  for (int i = 0; i < count; ++i)
    values[i] = slot->a + scale * values[i];
}

/* As casts of programs: without the fraction, and the nearest end of the type. */
static int64_t whole(double value, int bits) {
  double end = (double)(1ull << (bits - 1));
  if (value >= end)
    return (int64_t)((1ull << (bits - 1)) - 1);
  return value >= -end ? (int64_t)value : -(int64_t)((1ull << (bits - 1)) - 1) - 1;
}

static void store(void *data, int32_t dtype, uint64_t i, double value) {
  switch (dtype) {
  case AMPC_F32:
    ((float *)data)[i] = (float)value;
    break;
  case AMPC_F64:
    ((double *)data)[i] = value;
    break;
  case AMPC_F16:
    ((uint16_t *)data)[i] = ampc_rt_to_f16((float)value);
    break;
  case AMPC_BF16:
    ((uint16_t *)data)[i] = ampc_rt_to_bf16((float)value);
    break;
  case AMPC_I16:
    ((int16_t *)data)[i] = (int16_t)whole(value, 16);
    break;
  case AMPC_I32:
    ((int32_t *)data)[i] = (int32_t)whole(value, 32);
    break;
  case AMPC_I64:
    ((int64_t *)data)[i] = whole(value, 64);
    break;
  case AMPC_I8:
    ((int8_t *)data)[i] = (int8_t)whole(value, 8);
    break;
  default: /* truth values */
    ((uint8_t *)data)[i] = value != 0;
    break;
  }
}

static bool isReal(int32_t dtype) {
  return dtype == AMPC_F32 || dtype == AMPC_F64 || dtype == AMPC_F16 || dtype == AMPC_BF16;
}

/* Largest number of the type below `high`: a number drawn below `high` may round up to `high`. */
static double largestBelow(double high, int32_t dtype) {
  _Alignas(8) unsigned char place[8] = {0};
  store(place, dtype, 0, high);
  double number = ampc_rt_read_float(place, dtype);
  if (number < high)
    return number;
  uint64_t bits, sign = 1ull << (8 * ampc_rt_dtype_bytes(dtype) - 1);
  memcpy(&bits, place, sizeof bits);
  bits = number > 0 ? bits - 1 : number < 0 ? bits + 1 : sign + 1;
  memcpy(place, &bits, sizeof bits);
  return ampc_rt_read_float(place, dtype);
}

/* Elements from `first` on, in the order of callers and files. */
static void storeMany(const ampc_state *state, const ampc_slot *slot, uint64_t first, int count,
                      const double *values) {
  unsigned char *data = ampc_rt_slot_data(state, slot);
  if (slot->tensor.dtype == AMPC_F32 && !slot->tensor.memory_rank) {
    for (int i = 0; i < count; ++i)
      ((float *)(void *)data)[first + (uint64_t)i] = (float)values[i];
    return;
  }
  for (int64_t i = 0, run, stride; i < count; i += run) {
    int64_t element = (int64_t)first + i;
    run = ampc_rt_memory_run(&slot->tensor, element, count - i, &stride);
    int64_t place = ampc_rt_memory_index(&slot->tensor, element);
    for (int64_t k = 0; k < run; ++k)
      store(data, slot->tensor.dtype, (uint64_t)(place + k * stride), values[i + k]);
  }
}

typedef struct {
  const ampc_state *state;
  uint64_t seed;
} Filling;

/* Values that are in a file come later. */
static void copyShare(const ampc_state *state, const ampc_slot *slot, int32_t share) {
  if (!slot->data)
    return;
  int64_t shares = state->layout.thread_count, bytes = slot->tensor.bytes;
  int64_t begin = bytes / shares * share,
          end = share + 1 == shares ? bytes : begin + bytes / shares;
  if (slot->tensor.memory_rank) {
    if (share == 0)
      ampc_rt_from_logical(&slot->tensor, ampc_rt_slot_data(state, slot), slot->data);
    return;
  }
  memcpy(ampc_rt_slot_data(state, slot) + begin, (const char *)slot->data + begin,
         (size_t)(end - begin));
}

static void fillElements(const Filling *filling, const ampc_slot *slot, uint64_t begin,
                         uint64_t end) {
  if (slot->init == AMPC_INIT_CONSTANT && slot->a == 0)
    return; /* memory is zero at first */
  Stream stream = {{(uint32_t)filling->seed, (uint32_t)(filling->seed >> 32)},
                   ampc_rt_hash_text(slot->tensor.name)};
  Draws draws = drawsOf(filling->state->tier);
  double values[BLOCK];
  for (int i = 0; i < BLOCK; ++i)
    values[i] = slot->a;
  bool is_uniform = slot->init == AMPC_INIT_UNIFORM && isReal(slot->tensor.dtype);
  double most = is_uniform ? largestBelow(slot->b, slot->tensor.dtype) : slot->b;
  is_uniform &= slot->a < most;
  for (uint64_t first = begin; first < end; first += BLOCK) {
    int count = end - first < BLOCK ? (int)(end - first) : BLOCK;
    if (slot->init != AMPC_INIT_CONSTANT)
      initialValues(slot, &stream, draws, first, count, values);
    for (int i = 0; is_uniform && i < count; ++i)
      values[i] = values[i] > most ? most : values[i];
    storeMany(filling->state, slot, first, count, values);
  }
}

/* Fills one thread's share of every slot. Never inlined, since the compiler must not move
   arithmetic across a change of MXCSR. */
static __attribute__((noinline)) void fillSlots(void *argument, int32_t share) {
  const Filling *filling = argument;
  const ampc_state *state = filling->state;
  for (int32_t s = 0; s < state->model->slot_count; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if ((slot->role == AMPC_ROLE_GRADIENT && !state->split) || slot->role == AMPC_ROLE_RANDOM)
      continue;
    if (slot->init == AMPC_INIT_DATA) {
      copyShare(state, slot, share);
      continue;
    }
    uint64_t count = (uint64_t)ampc_rt_element_count(&slot->tensor);
    uint64_t shares = (uint64_t)state->layout.thread_count;
    fillElements(filling, slot, count * (uint64_t)share / shares,
                 count * ((uint64_t)share + 1) / shares);
  }
}

static void fillShare(void *argument, int32_t share) {
  uint32_t host = ampc_rt_swap_mxcsr(AMPC_MXCSR_KEEP);
  fillSlots(argument, share);
  ampc_rt_swap_mxcsr(host);
}

void ampc_rt_initialise(ampc_state *state, uint64_t seed) {
  Filling filling = {state, seed};
  ampc_rt_parallel(state, fillShare, &filling);
  for (int32_t s = 0; s < state->model->slot_count; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if (slot->role == AMPC_ROLE_RANDOM) {
      uint64_t start[2] = {seed, 0};
      memcpy(ampc_rt_slot_data(state, slot), start, sizeof start);
    }
    if (slot->source)
      ampc_rt_copy_source(state, slot);
  }
}
