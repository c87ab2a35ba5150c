// Table of the tiers' instruction sets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Tier.h"
#include "ampc/Runtime/Model.h"

using namespace ampc::cpu;

#define AMPC_AVX2 "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt"
#define AMPC_AVX512 AMPC_AVX2 ",+avx512f,+avx512bw,+avx512vl,+avx512dq,+avx512cd"
#define AMPC_AVX512BF16 AMPC_AVX512 ",+avx512bf16"
#define AMPC_AMX AMPC_AVX512BF16 ",+amx-tile,+amx-bf16"

llvm::ArrayRef<Tier> ampc::cpu::tiers() {
  static const Tier table[numTiers] = {
      {TierKind::Plain, "plain", "+sse2", 16, 16},
      {TierKind::AVX2, "avx2", AMPC_AVX2, 32, 16},
      {TierKind::AVX512, "avx512", AMPC_AVX512, 64, 32},
      {TierKind::AVX512BF16, "avx512bf16", AMPC_AVX512BF16, 64, 32},
      {TierKind::AMX, "amx", AMPC_AMX, 64, 32},
      {TierKind::AMXFP16, "amxfp16", AMPC_AMX ",+amx-fp16", 64, 32}};
  return table;
}

const Tier *ampc::cpu::findTier(llvm::StringRef name) {
  for (const Tier &tier : tiers())
    if (tier.name == name)
      return &tier;
  return nullptr;
}

// The runtime has the same numbering.
static_assert(int(TierKind::Plain) == AMPC_TIER_PLAIN && int(TierKind::AVX2) == AMPC_TIER_AVX2 &&
                  int(TierKind::AVX512) == AMPC_TIER_AVX512 &&
                  int(TierKind::AVX512BF16) == AMPC_TIER_AVX512BF16 &&
                  int(TierKind::AMX) == AMPC_TIER_AMX &&
                  int(TierKind::AMXFP16) == AMPC_TIER_AMXFP16,
              "tiers differ from the tiers of the runtime");
