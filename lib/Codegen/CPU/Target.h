// CPUs of the x86-64 family.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_TARGET_H
#define LIB_CODEGEN_CPU_TARGET_H

#include "ampc/Codegen/Target.h"

namespace ampc::cpu {
const Target &getTarget();
} // namespace ampc::cpu
#endif
