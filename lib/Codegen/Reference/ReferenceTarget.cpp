// The reference target: no tiers, packing or tasks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Reference/Passes.h"
#include "ampc/Runtime/Model.h"
#include "lib/Codegen/Common/Lowering.h"
#include "lib/Codegen/Reference/ReferenceKernelLowering.h"
#include "lib/Codegen/Reference/Target.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;

namespace {
class ReferenceTarget : public Target {
public:
  StringRef getName() const override { return "reference"; }
  int64_t getAlignment() const override { return 64; }
  ArrayRef<TargetTier> getTiers() const override {
    static const TargetTier any[] = {{"reference", AMPC_TIER_REFERENCE}};
    return any;
  }
  void registerDialects(DialectRegistry &registry) const override {
    target::registerLoweringDialects(registry);
  }
  const target::KernelRegistry &getKernels() const override { return kernelRegistry(); }
  void addTierLowering(OpPassManager &pm) const override {
    OpPassManager &code = pm.nest<ModuleOp>();
    // Math is expanded first, because canonicalization would fold functions of constants.
    code.addPass(createReferenceExpandMath());
    target::addLowering(code);
  }
};
} // namespace

const Target &reference::getTarget() {
  static const ReferenceTarget target;
  return target;
}
