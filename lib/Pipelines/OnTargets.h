// Passes that run once per target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_ONTARGETS_H
#define LIB_PIPELINES_ONTARGETS_H

#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Target/Target.h"

namespace ampc {
/// From here on the module is for the targets that were asked for: it notes which one, or becomes
/// one nested copy per target, in order of preference.
std::unique_ptr<mlir::Pass> createSplitByTarget(llvm::ArrayRef<std::string> targets);

/// What to run on the module of one target.
using AddTargetPasses = void (*)(mlir::OpPassManager &pm, const Target &target,
                                 const CompileOptions &options);
/// The module says what its targets are, whoever printed it.
std::unique_ptr<mlir::Pass> createRunOnTargets(AddTargetPasses add, const CompileOptions &options);
} // namespace ampc
#endif
