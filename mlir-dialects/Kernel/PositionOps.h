// Position ops of scalar code as ops of the kernel dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_POSITIONOPS_H
#define MLIR_DIALECTS_KERNEL_POSITIONOPS_H

#include "mlir-dialects/Train/Build/ScalarBuilder.h"

namespace ampc::kernel {
/// Builds `kernel.row_reduce`, `kernel.row_index` and `kernel.linear_index`.
const PositionOps &positionOps();
} // namespace ampc::kernel
#endif
