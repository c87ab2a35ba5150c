// Lowering of the tiers' modules to the LLVM dialect and to LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Codegen.h"
#include "ampc/Codegen/CPU/Passes.h"
#include "lib/Codegen/Common/Lowering.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;
using namespace ampc;

void cpu::registerCodegenDialects(DialectRegistry &registry) {
  target::registerLoweringDialects(registry);
}

void cpu::buildCodegenPipeline(OpPassManager &pm) {
  OpPassManager &tier = pm.nest<ModuleOp>();
  // Math expansion first: canonicalization would fold functions of constants with the host's libm.
  tier.addPass(createCPUExpandMath());
  target::addLowering(tier);
}

std::unique_ptr<llvm::Module> cpu::translateTier(ModuleOp tierModule, llvm::LLVMContext &context) {
  return translateModuleToLLVMIR(tierModule, context, *tierModule.getSymName());
}
