// Which of the tiers in the object this CPU runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Device.h"
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char names[AMPC_TIERS][12] = {
    [AMPC_TIER_PLAIN] = "plain",   [AMPC_TIER_AVX2] = "avx2",
    [AMPC_TIER_AVX512] = "avx512", [AMPC_TIER_AVX512BF16] = "avx512bf16",
    [AMPC_TIER_AMX] = "amx",       [AMPC_TIER_AMXFP16] = "amxfp16",
    [AMPC_TIER_SM_75] = "sm_75",   [AMPC_TIER_REFERENCE] = "reference",
    [AMPC_TIER_SM_80] = "sm_80",   [AMPC_TIER_SM_86] = "sm_86",
    [AMPC_TIER_SM_89] = "sm_89",   [AMPC_TIER_SM_90A] = "sm_90a",
    [AMPC_TIER_SM_100] = "sm_100", [AMPC_TIER_SM_120] = "sm_120"};

const char *ampc_rt_tier_name(int32_t tier) { return names[tier]; }

static uint64_t enabledState(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

/* Requests the AMX tile registers, which Linux grants per process. */
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
    AMX_FP16 = 1u << 21,
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
  if (!has(d, AMX_BF16 | AMX_TILE) || (state & TILES) != TILES || !mayUseTiles())
    return tiers;
  tiers |= 1u << AMPC_TIER_AMX;
  return has(a1, AMX_FP16) ? tiers | 1u << AMPC_TIER_AMXFP16 : tiers;
}

/* Intel's cores run vdpbf16ps at half the rate of multiply-adds in f32 (measured on one with AMX:
   104 against 206 GFLOP/s), AMD's at twice that rate (235 against 118). */
static bool hasSlowPairs(void) {
  uint32_t a, b, c, d;
  return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx;
}

int32_t ampc_rt_tier_capability(int32_t tier) {
  static const int32_t known[AMPC_TIERS] = {[AMPC_TIER_SM_75] = 75,  [AMPC_TIER_SM_80] = 80,
                                            [AMPC_TIER_SM_86] = 86,  [AMPC_TIER_SM_89] = 89,
                                            [AMPC_TIER_SM_90A] = 90, [AMPC_TIER_SM_100] = 100,
                                            [AMPC_TIER_SM_120] = 120};
  return known[tier];
}

/* Tegra chips: TX1, TX2, Xavier, Orin, and Thor with two numbers. CUDA guarantees that machine code
   runs on later chips of the same major version on desktop GPUs only, not between Tegra chips and
   not between Tegra and desktop chips. */
static bool isTegra(int32_t capability) {
  static const int32_t chips[] = {53, 62, 72, 87, 101, 110};
  for (size_t i = 0; i < sizeof chips / sizeof *chips; ++i)
    if (chips[i] == capability)
      return true;
  return false;
}

bool ampc_rt_takes_image(const ampc_image *image, int32_t tier, int32_t capability) {
  int32_t made = image->capability;
  if (tier == AMPC_TIER_SM_90A || capability <= made)
    return capability == made;
  return image->kind == AMPC_IMAGE_PTX ||
         (capability / 10 == made / 10 && !isTegra(capability) && !isTegra(made));
}

static bool runsOn(const ampc_model *model, int32_t capability) {
  for (int32_t i = 0; i < model->image_count; ++i)
    if (ampc_rt_takes_image(&model->images[i], model->first_tier, capability))
      return true;
  return false;
}

/* Target requested by the caller. */
typedef struct {
  bool host, device; /* accepted kinds of target */
  int32_t number;    /* ordinal of the device */
  const char *tier;  /* AMPC_ISA, or null */
} Wish;

static ampc_status readWish(const char *device, Wish *wish, char *error) {
  memset(wish, 0, sizeof *wish);
  const char *tier = getenv("AMPC_ISA");
  wish->tier = tier && *tier ? tier : NULL;
  if (!device || !*device) {
    wish->host = wish->device = true;
    return AMPC_OK;
  }
  if (!strcmp(device, "cpu")) {
    wish->host = true;
    return AMPC_OK;
  }
  static const char name[] = "cuda";
  int length = 0;
  while (length < 4 && device[length] == name[length])
    ++length;
  bool good = length == 4 && (!device[4] || (device[4] == ':' && device[5]));
  for (const char *digit = device + 5; good && device[4] && *digit; ++digit) {
    good = *digit >= '0' && *digit <= '9' && wish->number < 1000;
    wish->number = 10 * wish->number + (*digit - '0');
  }
  if (!good)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected device to be cpu, cuda or cuda:N, but got '%s'", device);
  wish->device = true;
  return AMPC_OK;
}

/* The best tier of the host that the wish allows, or -1. */
static int32_t pickHost(const ampc_model *model, const Wish *wish, uint32_t usable) {
  uint32_t runs = model->tiers & usable, slow = hasSlowPairs() ? 1u << AMPC_TIER_AVX512BF16 : 0;
  if (!wish->tier && (runs & ~slow)) /* else a slow tier is all there is */
    runs &= ~slow;
  for (int32_t t = AMPC_TIERS - 1; t >= 0; --t)
    if ((runs & 1u << t) && (!wish->tier || !strcmp(wish->tier, names[t])))
      return t;
  return -1;
}

static bool hasText(const ampc_model *model) {
  for (int32_t i = 0; i < model->image_count; ++i)
    if (model->images[i].kind == AMPC_IMAGE_PTX)
      return true;
  return false;
}

/* The chips that the models for devices have code for. */
static void sayWhatThereIs(const ampc_model *first, int32_t capability, char *problem) {
  char list[AMPC_ERROR_BYTES / 2] = "";
  size_t length = 0;
  for (const ampc_model *next = first; next; next = next->next) {
    const char *parts[] = {length ? ", " : "", names[next->first_tier],
                           hasText(next) ? "" : " (machine code only)"};
    for (int p = 0; next->device && p < 3; ++p)
      for (const char *c = parts[p]; *c && length + 1 < sizeof list; ++c)
        list[length++] = *c;
  }
  list[length] = 0;
  ampc_rt_fail(problem, AMPC_E_DEVICE,
               "model '%s' has no code for a device of compute capability %d.%d, but for %s",
               first->name, (int64_t)(capability / 10), (int64_t)(capability % 10), list);
}

/* Picks the device model with the highest compute capability that the device runs. `problem`: text
   of the driver's error. */
static bool pickDevice(const ampc_model *first, const Wish *wish, ampc_rt_choice *choice,
                       char *problem) {
  int32_t capability = 0;
  if (first->device->probe(wish->number, &capability, problem))
    return false;
  bool found = false;
  for (const ampc_model *next = first; next; next = next->next) {
    if (!next->device || !runsOn(next, capability) ||
        (wish->tier && strcmp(wish->tier, names[next->first_tier])) ||
        (found && next->first_tier < choice->tier))
      continue;
    found = true;
    choice->model = next;
    choice->tier = next->first_tier;
    choice->device = wish->number;
  }
  if (!found)
    sayWhatThereIs(first, capability, problem);
  return found;
}

/* Checks that AMPC_ISA names a known tier that the object contains. */
static ampc_status checkTier(const ampc_model *model, const Wish *wish, char *error) {
  int32_t tier = 0;
  while (tier < AMPC_TIERS && strcmp(wish->tier, names[tier]))
    ++tier;
  if (tier == AMPC_TIERS)
    return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED,
                        "AMPC_ISA: expected plain, avx2, avx512, avx512bf16, amx, amxfp16, "
                        "reference, or sm_75 and so on, but got '%s'",
                        wish->tier);
  uint32_t compiled = 0;
  for (const ampc_model *next = model; next; next = next->next)
    compiled |= next->tiers;
  if (!(compiled >> tier & 1))
    return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED,
                        "AMPC_ISA: model '%s' was compiled without tier '%s'", model->name,
                        wish->tier);
  return AMPC_OK;
}

ampc_status ampc_rt_choose(const ampc_model *model, const char *device, ampc_rt_choice *choice,
                           char *error) {
  Wish wish;
  char problem[AMPC_ERROR_BYTES] = "";
  ampc_status status = readWish(device, &wish, error);
  if (!status && wish.tier)
    status = checkTier(model, &wish, error);
  if (status)
    return status;
  uint32_t usable = supportedTiers();
  bool tried = false;
  for (const ampc_model *next = model; next; next = next->next) {
    int32_t tier = next->device || !wish.host ? -1 : pickHost(next, &wish, usable);
    if (tier >= 0) {
      *choice = (ampc_rt_choice){next, tier, 0};
      return AMPC_OK;
    }
    if (next->device && wish.device && !tried && pickDevice(next, &wish, choice, problem))
      return AMPC_OK;
    tried |= next->device != NULL;
  }
  if (*problem)
    return ampc_rt_fail(error, AMPC_E_DEVICE, "%s", problem);
  if (wish.tier)
    return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED,
                        "AMPC_ISA: tier '%s' is not supported by this CPU", wish.tier);
  if (!wish.host)
    return ampc_rt_fail(error, AMPC_E_DEVICE, "model '%s' was compiled without code for a GPU",
                        model->name);
  return ampc_rt_fail(error, AMPC_E_CPU_UNSUPPORTED, "model '%s' has no code that this CPU runs",
                      model->name);
}

const char *ampc_rt_tier(const ampc_state *state) {
  return state ? ampc_rt_tier_name(state->tier) : "";
}
