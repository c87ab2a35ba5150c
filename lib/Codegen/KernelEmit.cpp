// Pass kernel-emit: the functions of every distinct kernel, for the module's target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Passes.h"
#include "ampc/Codegen/Target.h"
#include "ampc/Support/Text.h"
#include "lib/Codegen/Common/KernelRegistry.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELEMIT
#include "ampc/Codegen/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
struct KernelEmitPass : ampc::impl::KernelEmitBase<KernelEmitPass> {
  using KernelEmitBase::KernelEmitBase;

  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    FailureOr<SmallVector<StringRef>> tiers = findTiers(*target);
    if (failed(tiers) || failed(target->getKernels().emit(getOperation(), prefix, *tiers)))
      signalPassFailure();
  }

private:
  /// Tiers wanted, in the target's order.
  FailureOr<SmallVector<StringRef>> findTiers(const Target &target) {
    SmallVector<StringRef> all =
        llvm::map_to_vector(target.getTiers(), [](const TargetTier &tier) { return tier.name; });
    for (const std::string &name : only)
      if (!llvm::is_contained(all, name))
        return getOperation().emitError()
               << "expected a tier " << joinWords(all) << ", but got " << shown(name);
    if (!only.empty())
      llvm::erase_if(all, [&](StringRef tier) { return !llvm::is_contained(only, tier); });
    return all;
  }
};
} // namespace
