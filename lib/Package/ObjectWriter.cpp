// Optimisation, sanitizers and code generation, all in process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/ObjectWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include <mutex>

using namespace llvm;
using namespace ampc;

static Expected<std::unique_ptr<TargetMachine>> makeMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // the runtime has inline assembly
  });
  Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  // Functions carry the features of their tier.
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, "x86-64", "", TargetOptions(), Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

static void addSanitizer(PassBuilder &builder, Module &module, Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::None)
    return;
  bool address = sanitizer == Sanitizer::Address;
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(address ? Attribute::SanitizeAddress : Attribute::SanitizeThread);
  builder.registerOptimizerLastEPCallback(
      [address](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        if (address) {
          passes.addPass(AddressSanitizerPass(AddressSanitizerOptions()));
          return;
        }
        passes.addPass(ModuleThreadSanitizerPass());
        passes.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
      });
}

static void optimise(Module &module, TargetMachine &machine, Sanitizer sanitizer) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning; // kernels are vectors already: more vectorizing costs time and
                                // changes what tiers compute
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
  addSanitizer(builder, module, sanitizer);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(module, modules);
}

Expected<SmallVector<char, 0>> ampc::writeObject(Module &module, Sanitizer sanitizer,
                                                 bool hasCode) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine();
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  // Nothing unwinds through a model; without tables its objects need no personality and stay small.
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr(Attribute::NoUnwind);
      function.setUWTableKind(UWTableKind::None);
    }
  if (hasCode || sanitizer != Sanitizer::None)
    optimise(module, **machine, sanitizer);
  SmallVector<char, 0> object;
  raw_svector_ostream os(object);
  legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, os, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("the target cannot write objects");
  codegen.run(module);
  return object;
}
