// Consumers of a value through views, and removal of dead views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_VIEWS_H
#define LIB_KERNEL_FUSION_VIEWS_H

#include "lib/Kernel/Fusion/BlockRewriter.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// Collects kernels and returns that read `value`, directly or through views.
void findConsumers(mlir::Value value, llvm::SmallSetVector<mlir::Operation *, 4> &consumers);
/// Whether `consumer` is the only consumer of all results of the producer.
bool isOnlyConsumer(mlir::Operation *producer, mlir::Operation *consumer);

/// Erases `op` and the views it is a view of, as long as each is a view without a consumer.
void eraseDeadViews(BlockRewriter &rewriter, mlir::Operation *op);
/// Erases dead views of the producer's results.
void dropDeadViews(BlockRewriter &rewriter, mlir::Operation *producer);
/// Folds views that add or drop dimensions of size 1 into the indexing maps of the kernel: a read
/// of view [8, 1, 4] of [8, 4] becomes a read of [8, 4].
void readThroughUnitViews(BlockRewriter &rewriter, FusedKernelOpInterface op);
/// Merges all views of equal shape of the viewed value, and moves the view right behind the
/// producer.
void shareView(BlockRewriter &rewriter, mlir::Value value);
} // namespace ampc
#endif
