// Old names of passes: aliases with a warning, for one release after the rename.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Pipelines/RenamedPasses.h"
#include "ampc/Support/Terminal.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace ampc;

namespace {
struct RenamedPass {
  llvm::StringLiteral old, now;
  /// Requirement of the new pass that replaces the options of the old pass; empty: an alias.
  llvm::StringLiteral needs = "";
};
} // namespace

/// Aliases end with version 0.2. docs/renamed.md lists the same names.
static constexpr RenamedPass renamedPasses[] = {
    {"kernel-add-rows", "kernel-sparse-add"},
    {"kernel-emit-cpu", "kernel-emit"},
    {"kernel-emit-nvptx", "kernel-emit", "a module with kernel.target = CHIP"},
    {"kernel-emit-reference", "kernel-emit", "a module with kernel.target = \"reference\""},
    {"kernel-fuse-totals", "kernel-fuse-reductions"},
    {"kernel-narrow-results", "kernel-sink-casts"},
    {"kernel-pad-rows", "kernel-pad-leading-dimension"},
    {"kernel-read-images", "kernel-fold-image-transposes"},
    {"kernel-turn-results", "kernel-fold-transposes"},
};

void ampc::registerRenamedPasses() {
  for (const RenamedPass &renamed : renamedPasses)
    registerPassPipeline(
        renamed.old, ("Old name of " + renamed.now).str(),
        [renamed](OpPassManager &pm, StringRef options,
                  function_ref<LogicalResult(const Twine &)> errorHandler) {
          if (!renamed.needs.empty())
            return errorHandler("the pass " + renamed.old + " is now called " + renamed.now +
                                ", which expects " + renamed.needs);
          messages() << "ampc: warning: the pass " << renamed.old << " is now called "
                     << renamed.now << "; the next release has no alias\n";
          return PassInfo::lookup(renamed.now)->addToPipeline(pm, options, errorHandler);
        },
        [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}
