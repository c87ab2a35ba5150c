// Fusion maps from the iteration domain of a producer to the domain of a consumer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_FUSIONMAP_H
#define LIB_KERNEL_FUSION_FUSIONMAP_H

#include "lib/Kernel/Fusion/IterationDomain.h"

namespace ampc {
/// Affine map from the producer's iteration domain to the consumer's under which both touch the
/// same element of every tensor between them; null if no single map does. Example: gemm [m, n],
/// transpose [n, m] -> (d0, d1) -> (d1, d0).
mlir::AffineMap fusionMap(FusedKernelOpInterface producer, kernel::MapOp consumer);
/// Whether `consumer` can become the epilogue of `producer` when re-indexed by `via`.
bool canFuse(FusedKernelOpInterface producer, kernel::MapOp consumer, mlir::AffineMap via);
/// Whether the kernel's loops can access a tensor of the shape by `map`. Gradients of filters walk
/// (tap, channel) as a single dimension, so the strides of both must be compatible.
bool mayAccess(FusedKernelOpInterface kernel, mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
} // namespace ampc
#endif
