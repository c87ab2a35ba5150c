// Old names of passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_RENAMEDPASSES_H
#define LIB_PIPELINES_RENAMEDPASSES_H

namespace ampc {
/// Registers every old name as a pipeline of the renamed pass. Called after the passes are
/// registered; options are the options of the renamed pass, e.g. `kernel-fuse-reductions{explain}`.
void registerRenamedPasses();
} // namespace ampc
#endif
