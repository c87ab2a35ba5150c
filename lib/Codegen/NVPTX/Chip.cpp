// Table of the supported chips.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Chip.h"
#include "ampc/Runtime/Model.h"
#include "llvm/ADT/STLExtras.h"

using namespace ampc::nvptx;

// PTX versions are the first that have all instructions used for the chip, so that old drivers can
// load the code. Shared memory: CUDA C++ Programming Guide, table of technical specifications.
static constexpr Chip all[] = {{"sm_75", AMPC_TIER_SM_75, 75, "+ptx65", 64 << 10, 72},
                               {"sm_80", AMPC_TIER_SM_80, 80, "+ptx71", 163 << 10, 108},
                               {"sm_86", AMPC_TIER_SM_86, 86, "+ptx71", 99 << 10, 84},
                               {"sm_89", AMPC_TIER_SM_89, 89, "+ptx78", 99 << 10, 142},
                               {"sm_90a", AMPC_TIER_SM_90A, 90, "+ptx80", 227 << 10, 132},
                               {"sm_100", AMPC_TIER_SM_100, 100, "+ptx86", 227 << 10, 148},
                               {"sm_120", AMPC_TIER_SM_120, 120, "+ptx87", 99 << 10, 188}};

llvm::ArrayRef<Chip> ampc::nvptx::chips() { return all; }
const Chip *ampc::nvptx::findChip(llvm::StringRef name) {
  const Chip *found = llvm::find_if(all, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(all) ? nullptr : found;
}
