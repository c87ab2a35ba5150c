// Which of the tiers in the object this CPU runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Internal.h"
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *ampc_rt_tier_name(int32_t tier) {
  switch (tier) {
  case AMPC_TIER_AVX2:
    return "avx2";
  case AMPC_TIER_AVX512:
    return "avx512";
  case AMPC_TIER_AVX512BF16:
    return "avx512bf16";
  case AMPC_TIER_AMX:
    return "amx";
  case AMPC_TIER_REFERENCE:
    return "reference";
  default:
    return "plain";
  }
}

static uint64_t enabledState(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

/* Linux gives the tile registers to a process that asks for them. */
static bool mayUseTiles(void) {
  enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
  return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

static bool has(uint32_t bits, uint32_t wanted) { return (bits & wanted) == wanted; }

/* Bit t is set if this CPU and the operating system run tier t. Bits of CPUID leaves 1 and 7, Intel
 * SDM volume 2A. */
static uint32_t supportedTiers(void) {
  enum {
    FMA = 1u << 12,
    OSXSAVE = 1u << 27,
    F16C = 1u << 29, /* 1.ecx */
    AVX2 = 1u << 5,
    BMI2 = 1u << 8,
    AVX512F = 1u << 16,
    AVX512DQ = 1u << 17, /* 7.ebx */
    AVX512BW = 1u << 30,
    AMX_BF16 = 1u << 22,
    AMX_TILE = 1u << 24,   /* 7.ebx, 7.edx */
    AVX512_BF16 = 1u << 5, /* 7.1.eax */
  };
  const uint32_t AVX512VL = 1u << 31;
  enum { YMM = 0x6, ZMM = 0xe6, TILES = 0x60000 }; /* XCR0 */
  uint32_t a, b, c, d, tiers = 1u << AMPC_TIER_PLAIN | 1u << AMPC_TIER_REFERENCE;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, OSXSAVE | FMA | F16C))
    return tiers;
  uint64_t state = enabledState();
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, AVX2 | BMI2) || (state & YMM) != YMM)
    return tiers;
  tiers |= 1u << AMPC_TIER_AVX2;
  if (!has(b, AVX512F | AVX512DQ | AVX512BW | AVX512VL) || (state & ZMM) != ZMM)
    return tiers;
  tiers |= 1u << AMPC_TIER_AVX512;
  uint32_t a1, b1, c1, d1;
  if (a < 1 || !__get_cpuid_count(7, 1, &a1, &b1, &c1, &d1) || !has(a1, AVX512_BF16))
    return tiers;
  tiers |= 1u << AMPC_TIER_AVX512BF16;
  if (has(d, AMX_BF16 | AMX_TILE) && (state & TILES) == TILES && mayUseTiles())
    tiers |= 1u << AMPC_TIER_AMX;
  return tiers;
}

/* Intel's cores run vdpbf16ps at half the rate of multiply-adds in f32 (measured on one with AMX:
   104 against 206 GFLOP/s), AMD's at twice that rate (235 against 118). */
static bool hasSlowPairs(void) {
  uint32_t a, b, c, d;
  return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx;
}

/* The tier that AMPC_ISA names. */
static ampc_status pickNamed(const ampc_model *model, const char *wanted, uint32_t usable,
                             const ampc_model **target, int32_t *tier, char *error) {
  for (int32_t t = 0; t < AMPC_TIERS; ++t) {
    if (strcmp(wanted, ampc_rt_tier_name(t)))
      continue;
    const ampc_model *found = model;
    while (found && !(found->tiers >> t & 1))
      found = found->next;
    if (!found)
      return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED,
                          "AMPC_ISA: model '%s' was compiled without tier '%s'", model->name,
                          wanted);
    if (!(usable >> t & 1))
      return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED,
                          "AMPC_ISA: tier '%s' is not supported by this CPU", wanted);
    *target = found;
    *tier = t;
    return AMPC_OK;
  }
  return ampc_rt_fail(
      error, AMPC_E_CPU_UNSUPPORTED,
      "AMPC_ISA: expected plain, avx2, avx512, avx512bf16, amx or reference, but got '%s'", wanted);
}

ampc_status ampc_rt_pick_tier(const ampc_model *model, const ampc_model **target, int32_t *tier,
                              char *error) {
  uint32_t usable = supportedTiers();
  const char *wanted = getenv("AMPC_ISA");
  if (wanted && *wanted)
    return pickNamed(model, wanted, usable, target, tier, error);
  uint32_t slow = hasSlowPairs() ? 1u << AMPC_TIER_AVX512BF16 : 0;
  for (const ampc_model *next = model; next; next = next->next) {
    uint32_t runs = next->tiers & usable;
    if (runs & ~slow) /* else a slow tier is all there is */
      runs &= ~slow;
    for (int32_t t = AMPC_TIERS - 1; t >= 0; --t)
      if (runs & 1u << t) {
        *target = next;
        *tier = t;
        return AMPC_OK;
      }
  }
  return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED, "model '%s' has no code that this CPU runs",
                      model->name);
}

const char *ampc_rt_tier(const ampc_state *state) { return ampc_rt_tier_name(state->tier); }
