// LLVM's back end for PTX, in process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/DeviceText.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace ampc::nvptx;

static std::unique_ptr<llvm::TargetMachine> makeMachine(const Chip &chip, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // an fma is one only where the kernel says so
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, chip.name, chip.features, options, std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning; // kernels have the vectors that they should have
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// The function behind `marker` in the text; empty if there is none.
static StringRef calleeAfter(StringRef text, StringRef marker) {
  size_t at = text.find(marker);
  if (at == StringRef::npos)
    return "";
  StringRef rest = text.drop_front(at + marker.size()).ltrim();
  if (rest.consume_front("(")) // the result
    rest = rest.drop_front(rest.find(')') + 1).ltrim();
  return rest.take_until([](char c) { return c == '(' || c == '\n' || c == ' '; }).trim();
}

/// What runs on a device has nothing but itself.
static LogicalResult checkCalls(ModuleOp tier, const llvm::Module &module, StringRef text) {
  std::string callee = calleeAfter(text, ".extern .func").str();
  for (const llvm::Function &function : module)
    if (callee.empty() && function.isDeclaration() && !function.isIntrinsic())
      callee = function.getName().str();
  if (callee.empty())
    return success();
  Location loc = tier.getLoc();
  tier.walk([&](LLVM::CallOp call) {
    if (call.getCallee() && *call.getCallee() == callee)
      loc = call.getLoc();
  });
  return emitError(loc) << "expected code that calls no function on a device, but got a call of '"
                        << callee << "'";
}

FailureOr<std::string> ampc::nvptx::deviceText(ModuleOp tier, const Chip &chip) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(tier, context, tier.getSymName().value_or("kernels"));
  if (!module)
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(chip, error);
  if (!machine)
    return tier.emitError() << "expected LLVM to write PTX, but " << error;
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  optimise(*module, *machine);
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return tier.emitError() << "expected LLVM to write PTX as text";
  codegen.run(*module);
  StringRef written(text.data(), text.size());
  if (failed(checkCalls(tier, *module, written)))
    return failure();
  return written.str();
}
