// Tiers: the instruction sets for which an object holds code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_TIER_H
#define LIB_CODEGEN_CPU_TIER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ampc::cpu {

/// In the order of the runtime's tables (AMPC_TIER_PLAIN, ...): later tiers include earlier tiers.
enum class TierKind { Plain, AVX2, AVX512, AVX512BF16, AMX, AMXFP16 };
constexpr unsigned numTiers = 6;
/// 32-bit lanes of the widest vector of any tier.
constexpr int64_t mostLanes = 16;

struct Tier {
  TierKind kind;
  llvm::StringRef name;     // "plain", "avx2", "avx512", "avx512bf16", "amx", "amxfp16"
  llvm::StringRef features; // comma-separated LLVM target features over x86-64
  int64_t vectorBytes;
  unsigned vectorRegisters;

  bool hasFMA() const { return kind >= TierKind::AVX2; }
  bool hasAVX512() const { return kind >= TierKind::AVX512; }
  /// vdpbf16ps: f32 sums of products of bf16 pairs.
  bool hasBF16Products() const { return kind >= TierKind::AVX512BF16; }
  bool hasAMX() const { return kind >= TierKind::AMX; }
  /// tdpfp16ps: tile products of f16.
  bool hasF16Tiles() const { return kind >= TierKind::AMXFP16; }
  /// Lanes of a vector of elements of `bits` bits.
  int64_t lanes(unsigned bits) const { return vectorBytes * 8 / bits; }
};

/// All tiers, `tiers()[unsigned(kind)].kind == kind`.
llvm::ArrayRef<Tier> tiers();
/// Null if no tier has that name.
const Tier *findTier(llvm::StringRef name);

} // namespace ampc::cpu
#endif
