// LLVM's PTX back end, run in process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/PTXEmission.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdlib>
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
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // multiply and add fuse only where the kernel
                                                      // has an explicit fma
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, chip.name, chip.features, options, std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning; // kernels are written with the intended vectors already
  tuning.LoopVectorization = tuning.LoopInterleaving = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// Name of the function after `marker` in the text; empty without a marker.
static StringRef calleeAfter(StringRef text, StringRef marker) {
  size_t at = text.find(marker);
  if (at == StringRef::npos)
    return "";
  StringRef rest = text.drop_front(at + marker.size()).ltrim();
  if (rest.consume_front("(")) // list of results in parentheses
    rest = rest.drop_front(rest.find(')') + 1).ltrim();
  return rest.take_until([](char c) { return c == '(' || c == '\n' || c == ' '; }).trim();
}

/// Fails if device code calls an external function, because a device has no library.
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

namespace {
/// Diagnostics of LLVM during code generation of a tier, reported as errors at the kernel.
class Complaints {
public:
  Complaints(ModuleOp tier, const Chip &chip, llvm::LLVMContext &context);
  ~Complaints();
  const llvm::Module *module = nullptr; // module in work
  bool hasErrors = false;

private:
  static void take(const llvm::DiagnosticInfo *info, void *self);
  static void stop(void *, const char *reason, bool);
  StringRef functionOf(StringRef reason) const;
  /// Error at the kernel of that name, or at the tier without such a kernel.
  InFlightDiagnostic errorAt(StringRef function);

  ModuleOp tier;
  const Chip &chip;
  Complaints *outer;
  static thread_local Complaints *current;
  static std::mutex mutex;
  static unsigned count; // number of objects in all threads
};
} // namespace

thread_local Complaints *Complaints::current = nullptr;
std::mutex Complaints::mutex;
unsigned Complaints::count = 0;

Complaints::Complaints(ModuleOp tier, const Chip &chip, llvm::LLVMContext &context)
    : tier(tier), chip(chip), outer(current) {
  current = this;
  context.setDiagnosticHandlerCallBack(take, this, /*RespectFilters=*/true);
  std::lock_guard<std::mutex> lock(mutex);
  if (count++ == 0)
    llvm::install_fatal_error_handler(stop);
}
Complaints::~Complaints() {
  current = outer;
  std::lock_guard<std::mutex> lock(mutex);
  if (--count == 0)
    llvm::remove_fatal_error_handler();
}

InFlightDiagnostic Complaints::errorAt(StringRef function) {
  Operation *op = function.empty() ? nullptr : tier.lookupSymbol(function);
  InFlightDiagnostic error = emitError(op ? op->getLoc() : tier.getLoc());
  error << "expected code that LLVM writes as PTX of " << chip.name << ", but ";
  if (op)
    error << "in kernel '" << function << "' ";
  error << "it says: ";
  return error;
}

void Complaints::take(const llvm::DiagnosticInfo *info, void *self) {
  auto &complaints = *static_cast<Complaints *>(self);
  if (info->getSeverity() != llvm::DS_Error && info->getSeverity() != llvm::DS_Warning)
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::DiagnosticPrinterRawOStream printer(os);
  info->print(printer);
  StringRef function;
  if (auto *unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(info))
    function = unsupported->getFunction().getName();
  if (info->getSeverity() == llvm::DS_Warning) {
    emitWarning(complaints.tier.getLoc()) << text;
    return;
  }
  complaints.hasErrors = true;
  complaints.errorAt(function) << text;
}

/// Kernel to blame for a fatal error. If instruction selection fails, LLVM names either the
/// function or an intrinsic; for an intrinsic the result is the first function with a call.
StringRef Complaints::functionOf(StringRef reason) const {
  auto [before, function] = reason.split("In function: ");
  if (!function.empty())
    return function.take_until([](char c) { return c == '\n'; });
  StringRef name = before.split("intrinsic %").second.rtrim();
  if (const llvm::Function *callee = module ? module->getFunction(name) : nullptr)
    for (const llvm::Function &kernel : *module)
      for (const llvm::Instruction &inner : llvm::instructions(kernel))
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inner);
            call && call->getCalledFunction() == callee)
          return kernel.getName();
  return "";
}

/// Fatal error handler. LLVM cannot continue after such an error and its state is undefined, so the
/// process exits without destructors, which other threads may depend on. Fatal errors outside of
/// code generation are ignored.
void Complaints::stop(void *, const char *reason, bool) {
  if (!current)
    return;
  current->errorAt(current->functionOf(reason)) << StringRef(reason).split('\n').first;
  llvm::sys::RunInterruptHandlers();
  llvm::errs().flush();
  std::_Exit(1);
}

FailureOr<std::string> ampc::nvptx::emitPTX(ModuleOp tier, const Chip &chip) {
  llvm::LLVMContext context;
  Complaints complaints(tier, chip, context);
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(tier, context, tier.getSymName().value_or("kernels"));
  if (!module)
    return failure();
  complaints.module = module.get();
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
  if (complaints.hasErrors)
    return failure();
  StringRef written(text.data(), text.size());
  if (failed(checkCalls(tier, *module, written)))
    return failure();
  return written.str();
}
