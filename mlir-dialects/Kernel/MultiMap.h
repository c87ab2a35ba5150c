// One pointwise body over several lists of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_MULTIMAP_H
#define MLIR_DIALECTS_KERNEL_MULTIMAP_H

#include "mlir-dialects/Kernel/Kernel.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Kernel/MultiMapOps.h.inc"
#endif
