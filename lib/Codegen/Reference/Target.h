// The reference target: plain loops, the standard of comparison for other targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_REFERENCE_TARGET_H
#define LIB_CODEGEN_REFERENCE_TARGET_H

#include "ampc/Codegen/Target.h"

namespace ampc::reference {
const Target &getTarget();
} // namespace ampc::reference
#endif
