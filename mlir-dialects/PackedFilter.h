// Filters of convolutions as right sides that are packed before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_PACKEDFILTER_H
#define MLIR_DIALECTS_PACKEDFILTER_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::kernel {

/// The matrix that a packed tensor is in memory before: itself, or outputs x (tap, channel) of a
/// filter OHWI.
llvm::SmallVector<int64_t> matrixOf(mlir::RankedTensorType packed);
/// Taps of a filter that is packed turned, for image gradients: its lines are channels, and k is
/// (tap, output), the last tap first. 1 for everything else.
int64_t turnedTaps(mlir::RankedTensorType packed);
/// OHWI of the filter by which a convolution multiplies: of one that is packed turned, outputs and
/// channels have changed places.
llvm::SmallVector<int64_t> filterShape(ConvOp op);

} // namespace ampc::kernel
#endif
