// Where a kernel and one that reads its results are at the same element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_MEETING_H
#define LIB_KERNEL_FUSION_MEETING_H

#include "lib/Kernel/Fusion/Spaces.h"

namespace ampc {
/// The map from the producer's space to the reader's, along which both meet at every value that
/// links them; null if there is none.
mlir::AffineMap meetingMap(FusedKernelOpInterface producer, kernel::MapOp reader);
/// What a reader may look like that joins the producer along `via`.
bool canJoin(FusedKernelOpInterface producer, kernel::MapOp reader, mlir::AffineMap via);
/// Whether the kernel may read or write a tensor of the shape by `map`. Gradients of filters walk
/// taps and channels as one dimension.
bool mayAccess(FusedKernelOpInterface kernel, mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);
} // namespace ampc
#endif
