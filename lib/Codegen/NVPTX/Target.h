// NVIDIA's GPUs, a target for each architecture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_TARGET_H
#define LIB_CODEGEN_NVPTX_TARGET_H

#include "ampc/Codegen/Target.h"

namespace ampc::nvptx {
llvm::ArrayRef<const Target *> getTargets();
} // namespace ampc::nvptx
#endif
