// What chips differ in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_CHIP_H
#define LIB_TARGET_NVPTX_CHIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace ampc::nvptx {

/// An architecture. Its name is that of the target, of the target's tier, and LLVM's of the
/// processor.
struct Chip {
  llvm::StringLiteral name;
  int32_t tier;                 // of the runtime (AMPC_TIER_...)
  int capability;               // major * 10 + minor
  llvm::StringLiteral features; // the version of PTX
  int64_t sharedBytes;          // most that a block may have
  int64_t multiprocessors;      // of the largest part

  bool hasAsyncCopy() const { return capability >= 80; }
  /// Copies of boxes of tensors, and products of warpgroups.
  bool hasWarpgroups() const { return capability == 90; }
  /// Matrix products of bf16, and of f32 rounded to tf32.
  bool hasBF16() const { return capability >= 80; }
};

llvm::ArrayRef<Chip> chips();
/// Null if there is none of that name.
const Chip *findChip(llvm::StringRef name);

} // namespace ampc::nvptx
#endif
