// Readers of a value through views, and views that are no longer needed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_VIEWS_H
#define LIB_KERNEL_FUSION_VIEWS_H

#include "lib/Kernel/Fusion/BlockRewriter.h"
#include "lib/Kernel/Fusion/Spaces.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// Kernels and returns that read `value`, through views too.
void findReaders(mlir::Value value, llvm::SmallSetVector<mlir::Operation *, 4> &readers);
/// Whether nothing but a reader of the producer reads its results.
bool readOnlyBy(mlir::Operation *producer, mlir::Operation *reader);

/// From `op` on upwards, if it is a view that nothing reads.
void eraseDeadViews(BlockRewriter &rewriter, mlir::Operation *op);
/// Those of the producer's results.
void dropDeadViews(BlockRewriter &rewriter, mlir::Operation *producer);
/// Views that add or drop dimensions of size 1 become part of the maps.
void readThroughUnitViews(BlockRewriter &rewriter, FusedKernelOpInterface op);
/// One view for all that show the value in the same shape, right where the value is made.
void shareView(BlockRewriter &rewriter, mlir::Value value);
} // namespace ampc
#endif
