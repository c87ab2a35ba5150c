// Optimisation, sanitizers and code generation, all in process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/ObjectWriter.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
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

static Expected<std::unique_ptr<TargetMachine>> makeMachine(CodeLevel level) {
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
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  // Baseline x86-64: functions carry the features of the tier as attributes.
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, "x86-64", "", TargetOptions(), Reloc::PIC_, std::nullopt,
      level == CodeLevel::Quick ? CodeGenOptLevel::None : CodeGenOptLevel::Default));
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

/// Passes of -O2 that improve kernels, in the order of -O2; the rest would double the time. Kernels
/// are loops over vectors with folded constants and without calls. sccp comes early: ranges of loop
/// counters remove dead edges before other passes visit those.
static const char kernelPipeline[] =
    "function(sroa,early-cse<memssa>,sccp,"
    "simplifycfg<switch-range-to-icmp;keep-loops>,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
    "loop-rotate<header-duplication>,licm<allowspeculation>),"
    "simplifycfg<switch-range-to-icmp;keep-loops>,instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-deletion,loop-unroll-full),vector-combine,gvn,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),"
    "simplifycfg<hoist-common-insts;sink-common-insts;no-keep-loops>,"
    "infer-alignment,instsimplify,div-rem-pairs)";

/// Passes before quick code generation: fewer instructions are less work for the rest. instcombine
/// removes roundings of f32 to bf16, for which code generation would call a library.
static const char quickPipeline[] =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";

/// The runtime was optimised when the compiler was built. Models differ only in the parts in use:
/// GPU tables, and wrapper functions.
static const char functionsPipeline[] = "ipsccp,globalopt,function(simplifycfg),globaldce";

static Error optimise(Module &module, TargetMachine &machine, Sanitizer sanitizer, Code code,
                      CodeLevel level) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning; // kernels are vectors already: more vectorizing costs time and
                                // changes the bits of tiers
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
  addSanitizer(builder, module, sanitizer);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (sanitizer != Sanitizer::None)
    passes = builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  else if (Error error =
               builder.parsePassPipeline(passes, code == Code::Functions     ? functionsPipeline
                                                 : level == CodeLevel::Quick ? quickPipeline
                                                                             : kernelPipeline))
    return error;
  passes.run(module, modules);
  return Error::success();
}

namespace {
/// Disables loop strength reduction: loops of kernels have few addresses, and x86 computes
/// addresses in loads. Code generation takes about half the time. Steps took as long on AVX2; for
/// AVX-512 only instructions were counted (bench/README.md).
struct NoStrengthReduction : OptPassGate {
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "Loop Strength Reduction";
  }
  bool isEnabled() const override { return true; }
};
} // namespace

/// AMX kernels have dozens of addresses per iteration, more than registers, and keep strength
/// reduction.
static bool usesTiles(const Function &function) {
  return function.getFnAttribute("target-features").getValueAsString().contains("+amx-tile");
}

Expected<SmallVector<char, 0>> ampc::writeObject(Module &module, Sanitizer sanitizer, Code code,
                                                 CodeLevel level) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(level);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  // No unwinding through a model: without tables, objects need no personality and stay small.
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr(Attribute::NoUnwind);
      function.setUWTableKind(UWTableKind::None);
    }
  if (code != Code::None || sanitizer != Sanitizer::None)
    if (Error error = optimise(module, **machine, sanitizer, code, level))
      return error;
  NoStrengthReduction gate;
  OptPassGate &before = module.getContext().getOptPassGate();
  auto restore = make_scope_exit([&] { module.getContext().setOptPassGate(before); });
  if (code == Code::Kernels && none_of(module, usesTiles))
    module.getContext().setOptPassGate(gate);
  SmallVector<char, 0> object;
  raw_svector_ostream os(object);
  legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, os, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("the target cannot write objects");
  codegen.run(module);
  return object;
}
