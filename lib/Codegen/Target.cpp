// The target of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Codegen/Passes.h"
#include "lib/Codegen/Common/KernelRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace ampc;

static constexpr llvm::StringLiteral targetAttribute = "kernel.target";

Target::~Target() = default;

LogicalResult Target::configure(KernelOpInterface op) const { return getKernels().configure(op); }

std::unique_ptr<llvm::Module> Target::translate(ModuleOp tier, llvm::LLVMContext &context) const {
  return translateModuleToLLVMIR(tier, context, tier.getSymName().value_or("kernels"));
}

FailureOr<std::string> Target::translateDevice(ModuleOp tier) const {
  return tier.emitError() << "expected a target whose kernels run on a device, but got '"
                          << getName() << "'";
}

void ampc::addEmission(OpPassManager &pm, const Target &target, ArrayRef<std::string> tiers) {
  KernelEmitOptions options;
  llvm::append_range(options.only, tiers);
  pm.addPass(createKernelEmit(options));
  target.addTierLowering(pm);
}

const Target *ampc::targetOf(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(targetAttribute);
  auto *dialect = module.getContext()->getOrLoadDialect<kernel::KernelDialect>();
  if (const Target *target = dialect->findTarget(name ? name.getValue() : ""))
    return target;
  module.emitError() << "expected a target that this program has, but got "
                     << (name ? "'" + name.str() + "'" : "none");
  return nullptr;
}

SmallVector<ModuleOp> ampc::targetModules(ModuleOp module) {
  auto nested = llvm::filter_to_vector(
      module.getOps<ModuleOp>(), [](ModuleOp inner) { return inner->hasAttr(targetAttribute); });
  return nested.empty() ? SmallVector<ModuleOp>{module} : nested;
}
