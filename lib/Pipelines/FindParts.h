// Which ops of a step will run in a loop over the rows of a loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_FINDPARTS_H
#define LIB_PIPELINES_FINDPARTS_H

#include "ampc/Pipelines/Pipelines.h"

namespace ampc {
/// Gives `amp.in_parts` to ops of steps that `kernel-chunk-rows` will run for some rows at a time.
/// The forward and the backward pass meet in such a loop: nothing waits for the ops of the backward
/// pass in it. No op gets it where a target has no such loops.
std::unique_ptr<mlir::Pass> createFindParts(const CompileOptions &options);
/// The passes of phase `kernels` in front of `kernel-chunk-rows`: kernels that a pass finds in a
/// copy of the steps are those that the phase makes.
void addPassesBeforeChunking(mlir::OpPassManager &pm);
} // namespace ampc
#endif
