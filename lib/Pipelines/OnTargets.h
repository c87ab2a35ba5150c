// Passes that run once per target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_ONTARGETS_H
#define LIB_PIPELINES_ONTARGETS_H

#include "ampc/Codegen/Target.h"
#include "ampc/Pipelines/Pipelines.h"

namespace ampc {
/// Specializes the module for the requested targets: a single target becomes an attribute, several
/// become a nested copy each, in order of preference.
std::unique_ptr<mlir::Pass> createSplitByTarget(llvm::ArrayRef<std::string> targets);

/// Correct form of a list of tiers for some targets, e.g. "distinct names of plain, avx2, but got
/// sse4"; empty if the list is correct.
std::string expectedTiers(llvm::ArrayRef<std::string> tiers, llvm::ArrayRef<std::string> targets);

/// Adds the passes for the module of a single target.
using AddTargetPasses = void (*)(mlir::OpPassManager &pm, const Target &target,
                                 const CompileOptions &options);
/// Runs passes per target. Targets are read from the module, which may be parsed from text.
std::unique_ptr<mlir::Pass> createRunOnTargets(AddTargetPasses add, const CompileOptions &options);
} // namespace ampc
#endif
