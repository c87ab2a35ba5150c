// Marks the ops of a step that will run in an outlined loop body over chunks of the rows of a loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_MARKCHUNKEDOPS_H
#define LIB_PIPELINES_MARKCHUNKEDOPS_H

#include "ampc/Pipelines/Pipelines.h"

namespace ampc {
/// Gives `amp.in_parts` to ops of steps that `kernel-chunk-rows` will run once per chunk of rows,
/// e.g. a chunked cross entropy. Such a loop holds forward and backward ops together, so values
/// between the two passes are no residuals. No op is marked if a target cannot run such loops.
std::unique_ptr<mlir::Pass> createMarkChunkedOps(const CompileOptions &options);
/// Passes of phase `kernels` in front of `kernel-chunk-rows`. Shared by the phase and
/// `MarkChunkedOps`, so that both chunk the same kernels.
void addPassesBeforeChunking(mlir::OpPassManager &pm);
} // namespace ampc
#endif
