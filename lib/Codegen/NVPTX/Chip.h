// Properties of the supported chips.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_CHIP_H
#define LIB_CODEGEN_NVPTX_CHIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace ampc::nvptx {

/// An architecture, for example sm_90a. `name` serves as name of the target, of the target's tier,
/// and as LLVM's name of the processor.
struct Chip {
  llvm::StringLiteral name;
  int32_t tier;                 // tier of the runtime (AMPC_TIER_...)
  int capability;               // major * 10 + minor
  llvm::StringLiteral features; // PTX version as an LLVM feature, e.g. +ptx80
  int64_t sharedBytes;          // most shared memory per block
  int64_t multiprocessors;      // multiprocessors of the largest GPU of the architecture

  bool hasAsyncCopy() const { return capability >= 80; }
  /// TMA copies of tensor boxes, and wgmma.
  bool hasWarpgroups() const { return capability == 90; }
  /// Matrix products of bf16, and of f32 rounded to tf32.
  bool hasBF16() const { return capability >= 80; }
};

llvm::ArrayRef<Chip> chips();
/// The chip of that name, or null.
const Chip *findChip(llvm::StringRef name);

} // namespace ampc::nvptx
#endif
