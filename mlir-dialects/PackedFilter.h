// Convolution filters as prepacked right-hand sides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_PACKEDFILTER_H
#define MLIR_DIALECTS_PACKEDFILTER_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::kernel {

/// Shape of the unpacked matrix: the shape itself for a matrix, [O, H * W * I] for a filter OHWI.
llvm::SmallVector<int64_t> matrixOf(mlir::RankedTensorType packed);
/// Taps of a filter packed in rotated order for image gradients: lines are channels, and k is (tap,
/// output) with the last tap first. 1 for all other tensors.
int64_t turnedTaps(mlir::RankedTensorType packed);
/// OHWI shape of a convolution's filter. In a rotated filter, O and I are exchanged.
llvm::SmallVector<int64_t> filterShape(ConvOp op);

} // namespace ampc::kernel
#endif
