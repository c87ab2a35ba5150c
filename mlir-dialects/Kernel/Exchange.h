// Exchanges between the ranks of a training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_EXCHANGE_H
#define MLIR_DIALECTS_KERNEL_EXCHANGE_H

#include "mlir-dialects/Kernel/Kernel.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Kernel/ExchangeOps.h.inc"

namespace ampc::kernel {
/// Whether the runtime does the op without code of the target: calls, starts, waits and ranks.
bool hasNoCode(mlir::Operation *op);
} // namespace ampc::kernel
#endif
