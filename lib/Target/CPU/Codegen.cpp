// LLVM dialect and LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/Codegen.h"
#include "ampc/Target/CPU/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ampc;

void cpu::registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect, cf::ControlFlowDialect, ub::UBDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertToLLVMDependentDialectLoading(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void cpu::buildCodegenPipeline(OpPassManager &pm) {
  OpPassManager &tier = pm.nest<ModuleOp>();
  // First, since canonicalization would fold functions of constants.
  tier.addPass(createCPUExpandMath());
  tier.addPass(createCanonicalizerPass());
  tier.addPass(createCSEPass());
  tier.addPass(createSCFToControlFlowPass());
  tier.addPass(createConvertToLLVMPass());
  tier.addPass(createReconcileUnrealizedCastsPass());
}

std::unique_ptr<llvm::Module> cpu::translateTier(ModuleOp tierModule, llvm::LLVMContext &context) {
  return translateModuleToLLVMIR(tierModule, context, *tierModule.getSymName());
}
