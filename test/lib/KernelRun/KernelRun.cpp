// Runs the kernels of a file on every tier that this processor has, and compares with an
// interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are random: floats in [test.low, test.high) (discardable attributes of the kernel, default
// [-2, 2)), integers in [0, test.limit) (default 5); with test.patterns, random bits; with
// test.halves = "finite" or "all", every f16 times the identity; with test.element = [operand,
// element], that element is test.value (default: infinity). Packed results of maps must equal a
// kernel.pack of the same matrix in the file. With --reductions, kernels that support reductions
// also sum the results. Prints a line per kernel and tier, and the external calls of a tier's
// object; exits with 1 after a difference. Device kernels run in the PTX interpreter, with
// definedness and, a second time, races; with --same-as=avx512 the bits must equal that tier's.
#include "ampc/Codegen/CPU/Passes.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Codegen/CPU/Codegen.h"
#include "mlir/Parser/Parser.h"
#include "test/lib/KernelRun/Case.h"
#include "test/lib/KernelRun/OnDevice.h"
#include "test/lib/KernelRun/Trials.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("FILE"), cl::init("-"));
static cl::opt<bool> timing("time", cl::desc("print nanoseconds per run instead of checking"));
static cl::opt<bool> bestOnly("best",
                              cl::desc("with --time: only the code that this processor would run"));
static cl::opt<std::string>
    objectOf("object", cl::desc("write the object file of this tier to standard output instead"),
             cl::value_desc("TIER"));

static cl::opt<std::string> targetName("target", cl::desc("cpu (default), reference, sm_80, ..."),
                                       cl::init("cpu"));

static cl::opt<std::string>
    sameAs("same-as", cl::desc("of a device: results are those of this tier of CPUs, bit for bit"),
           cl::value_desc("TIER"));
static cl::opt<bool> interpreted("interpret",
                                 cl::desc("of a device: compare with the interpreter, too"),
                                 cl::init(true));
static cl::opt<std::string> emit("emit",
                                 cl::desc("of a device: print the code, as nvvm or ptx, instead"));

static cl::opt<bool> trials("trials", cl::desc("of a GPU: print the code of products in every way "
                                               "that is worth a measurement, and its launches"));

static cl::opt<bool> counts("counters", cl::desc("of a device: print what its interpreter counts"));
static cl::opt<std::string>
    givenText("ptx", cl::desc("of a device: run this code in place of what is written"),
              cl::value_desc("FILE"));
static cl::opt<bool> printLines("lines", cl::desc("with --ptx: print the lines that run"));

static cl::opt<bool> reductions("reductions",
                                cl::desc("give every kernel reductions of its results"));

/// Plain loops run where the first tier does.
static ArrayRef<cpu::Tier> chosenTiers() {
  static const cpu::Tier any = [] {
    cpu::Tier tier = cpu::tiers().front();
    tier.name = "reference";
    return tier;
  }();
  return targetName == "reference" ? ArrayRef(any) : cpu::tiers();
}

/// The last tier that this processor has without emulation.
static const cpu::Tier &bestTier() {
  const cpu::Tier *best = nullptr;
  for (const cpu::Tier &tier : cpu::tiers())
    if (isNative(tier))
      best = &tier;
  return *best;
}

/// Tolerance: rounding of the narrowest type among results and body values, times some ulps; 0:
/// exact. Tiers with bf16 pairs round a factor of every term of products: `test.pairs_tolerance` is
/// the tolerance then, relative to the terms' magnitudes as well.
static double tolerance(Operation *op, const cpu::Tier &tier) {
  double allowed = 0;
  for (Type type : op->getResultTypes())
    if (auto element = dyn_cast<FloatType>(elementOf(type)))
      allowed = std::max(
          allowed, std::ldexp(element.isF64() ? 64.0 : 16.0, -int(element.getFPMantissaWidth())));
  for (Type type : op->getResultTypes())
    if (elementOf(type).isBF16() || elementOf(type).isF16())
      allowed = std::ldexp(1.0, 1 - int(cast<FloatType>(elementOf(type)).getFPMantissaWidth()));
  allowed = attribute(op, "test.tolerance", allowed);
  if (targetName == "reference") // sums of single chains lose more than sums of sums
    return 4 * allowed;
  return tier.hasBF16Products() ? attribute(op, "test.pairs_tolerance", allowed) : allowed;
}

namespace {
class Runner {
public:
  explicit Runner(ModuleOp module) : module(module) {}
  bool runAll();
  bool loadTier(const cpu::Tier &tier, ModuleOp tierModule);
  Code codeOf(Operation *op, const cpu::Tier &tier);

private:
  bool runTier(const cpu::Tier &tier, ModuleOp tierModule);
  bool canPack(const cpu::Tier &tier);
  bool runKernel(Operation *op, const cpu::Tier &tier);
  DictionaryAttr recordOf(Operation *op);
  /// The name of the tier whose code `tier` runs.
  StringRef sourceOf(Operation *op, const cpu::Tier &tier);

  ModuleOp module;
  llvm::StringMap<std::unique_ptr<llvm::orc::LLJIT>> jits; // by tier
};
} // namespace

static KernelFunction lookup(llvm::orc::LLJIT &jit, const std::string &name) {
  auto address = jit.lookup(name);
  if (!address) {
    llvm::errs() << llvm::toString(address.takeError()) << "\n";
    exit(1);
  }
  return address->toPtr<KernelFunction>();
}

DictionaryAttr Runner::recordOf(Operation *op) {
  int64_t number = op->getAttrOfType<IntegerAttr>("kernel.function").getInt();
  return cast<DictionaryAttr>(module->getAttrOfType<ArrayAttr>("kernel.functions")[number]);
}
StringRef Runner::sourceOf(Operation *op, const cpu::Tier &tier) {
  return cast<StringAttr>(recordOf(op).getAs<ArrayAttr>("tiers")[unsigned(tier.kind)]).getValue();
}
Code Runner::codeOf(Operation *op, const cpu::Tier &tier) {
  DictionaryAttr record = recordOf(op);
  auto numbers = [&](StringRef name) {
    return record.getAs<DenseI64ArrayAttr>(name)[unsigned(tier.kind)];
  };
  StringRef source = sourceOf(op, tier);
  std::string symbol = (record.getAs<StringAttr>("name").getValue() + "_" + source).str();
  KernelFunction finish = nullptr;
  int64_t finishTasks = record.getAs<IntegerAttr>("finish").getInt();
  if (finishTasks)
    finish = lookup(*jits[source], symbol + "_finish");
  return {lookup(*jits[source], symbol),
          finish,
          numbers("tasks"),
          finishTasks,
          numbers("scratch"),
          cast<KernelOpInterface>(op).getWorkspaceBytes(),
          movesOf(op, record)};
}

bool Runner::runKernel(Operation *op, const cpu::Tier &tier) {
  if (sourceOf(op, tier) != tier.name)
    return true; // the same code as in a tier below
  if (bestOnly && sourceOf(op, bestTier()) != tier.name)
    return true;
  Code code = codeOf(op, tier);
  auto packCode = [&](Operation *pack) { return codeOf(pack, tier); };
  Case data(op, packCode);
  llvm::outs() << recordOf(op).getAs<StringAttr>("name").getValue() << "_" << tier.name << ": "
               << code.tasks << (code.tasks == 1 ? " task, " : " tasks, ");
  if (timing) {
    llvm::outs() << llvm::format("%.0f ns\n", data.nanoseconds(code));
    return true;
  }
  if (!data.expect(packCode)) {
    llvm::outs() << "not known to the interpreter\n";
    return false;
  }
  bool pairs = tier.hasBF16Products() && op->hasAttr("test.pairs_tolerance");
  std::optional<double> error = data.run(code, pairs);
  if (!error) {
    llvm::outs() << "depends on the order of tasks, or writes outside its results\n";
    return false;
  }
  double allowed = tolerance(op, tier);
  bool passed = *error <= allowed;
  llvm::outs() << llvm::format("error %.2g of %.2g ", *error, allowed)
               << (passed ? "ok\n" : "FAILED\n");
  return passed;
}

bool Runner::loadTier(const cpu::Tier &tier, ModuleOp tierModule) {
  std::vector<std::string> calls;
  auto jit = load(tierModule, calls);
  if (!jit) {
    llvm::errs() << tier.name << ": " << llvm::toString(jit.takeError()) << "\n";
    return false;
  }
  if (!calls.empty())
    llvm::outs() << tier.name << " calls " << llvm::join(calls, " ") << "\n";
  jits[tier.name] = std::move(*jit);
  return true;
}
bool Runner::runTier(const cpu::Tier &tier, ModuleOp tierModule) {
  bool passed = loadTier(tier, tierModule);
  for (Operation *op : passed ? kernelsOf(module) : SmallVector<Operation *>())
    passed &= runKernel(op, tier);
  return passed;
}
/// Whether the tier can pack: tiers with emulated AMX may share packing code with a tier that this
/// processor lacks.
bool Runner::canPack(const cpu::Tier &tier) {
  return llvm::all_of(kernelsOf(module), [&](Operation *op) {
    return !isa<kernel::PackOp>(op) || sourceOf(op, tier) == tier.name ||
           jits.count(sourceOf(op, tier));
  });
}
bool Runner::runAll() {
  bool passed = true;
  for (const cpu::Tier &tier : chosenTiers()) {
    auto tierModule = module.lookupSymbol<ModuleOp>(("tier_" + tier.name).str());
    if (!tierModule)
      continue;
    if ((timing ? isNative(tier) : canRun(tier)) && canPack(tier))
      passed &= runTier(tier, tierModule);
    else
      llvm::outs() << tier.name << ": not on this processor\n";
  }
  return passed;
}

static bool writeObject(ModuleOp module) {
  auto tierModule = module.lookupSymbol<ModuleOp>("tier_" + objectOf);
  if (!tierModule) {
    llvm::errs() << "expected a kernel with code for tier " << objectOf << "\n";
    return false;
  }
  auto object = compile(tierModule);
  if (!object) {
    llvm::errs() << llvm::toString(object.takeError()) << "\n";
    return false;
  }
  llvm::outs() << StringRef(object->data(), object->size());
  return true;
}

/// Adds the code that `target` writes for the kernels.
static bool addCode(ModuleOp module, const Target &target) {
  PassManager pm(module.getContext());
  pm.addPass(createKernelConfigure());
  addEmission(pm, target, {});
  return succeeded(pm.run(module));
}
static const Target *setTarget(ModuleOp module, StringRef name) {
  module->setAttr("kernel.target", StringAttr::get(module.getContext(), name));
  return targetOf(module);
}

/// NVVM or PTX of the first tier.
static bool printCode(ModuleOp module, const Target &target) {
  auto tier = module.lookupSymbol<ModuleOp>(("tier_" + target.getTiers().front().name).str());
  if (emit == "nvvm") {
    module->print(llvm::outs());
    return true;
  }
  FailureOr<std::string> text = target.translateDevice(tier);
  if (failed(text))
    return false;
  llvm::outs() << *text;
  return true;
}

/// The kernels with code from a file.
static bool runText(ModuleOp module, const Target &target,
                    llvm::function_ref<double(Operation *)> allowed) {
  auto file = llvm::MemoryBuffer::getFile(givenText);
  if (!file) {
    llvm::errs() << givenText << ": " << file.getError().message() << "\n";
    return false;
  }
  GivenText text{(*file)->getBuffer().str(), {}};
  bool passed = runOnDevice(module, target, allowed, nullptr, &text);
  for (uint32_t line : text.lines)
    if (printLines)
      llvm::outs() << "line " << line << "\n";
  return passed;
}

/// Split-K slices of a contraction, as chosen by a target.
static int64_t partsOf(Operation *op) {
  auto parts = op->getAttrOfType<IntegerAttr>("parts");
  int64_t most = parts && op->hasAttr("acc") ? parts.getInt() : 1;
  for (kernel::PlanAttr plan : kernel::plansOf(op))
    most = std::max(most, plan.getSplitK());
  return most;
}

/// On a device, beside the same kernels on a CPU if that is asked for.
static bool runDevice(ModuleOp module, const Target &target, ModuleOp copy) {
  const cpu::Tier *tier = cpu::findTier(sameAs);
  auto most = [](Operation *op) { return tolerance(op, cpu::tiers().front()); };
  llvm::function_ref<double(Operation *)> allowed = nullptr;
  if (interpreted)
    allowed = most;
  if (!givenText.empty())
    return runText(module, target, allowed);
  if (!tier || !canRun(*tier)) {
    if (!sameAs.empty())
      llvm::outs() << sameAs << ": not on this processor\n";
    return runOnDevice(module, target, allowed, nullptr);
  }
  const Target *host = setTarget(copy, "cpu");
  if (!host || !addCode(copy, *host))
    return false;
  Runner runner(copy);
  for (const cpu::Tier &other : cpu::tiers())
    if (auto tierModule = copy.lookupSymbol<ModuleOp>(("tier_" + other.name).str());
        other.kind <= tier->kind && !runner.loadTier(other, tierModule))
      return false;
  SmallVector<Operation *> kernels = kernelsOf(copy), own = kernelsOf(module);
  return runOnDevice(module, target, allowed, [&](size_t i) -> std::optional<Code> {
    if (partsOf(kernels[i]) != partsOf(own[i])) // another order
      return std::nullopt;
    return runner.codeOf(kernels[i], *tier);
  });
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "runs and checks kernels\n");
  DialectRegistry registry;
  registry.insert<train::TrainDialect, kernel::KernelDialect>();
  registerTargets(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(input, &context);
  if (!module)
    return 1;
  const Target *target = setTarget(*module, targetName);
  if (!target)
    return 1;
  if (reductions)
    for (Operation *op : kernelsOf(*module))
      addReductions(cast<KernelOpInterface>(op));
  if (trials && failed(makeTrials(*module, *target)))
    return 1;
  OwningOpRef<ModuleOp> copy = module->clone();
  if (!(*module)->hasAttr("kernel.functions") && !addCode(*module, *target))
    return 1;
  if (trials)
    return failed(printTrials(*module, *target));
  if (!emit.empty())
    return printCode(*module, *target) ? 0 : 1;
  if (counts && target->isDevice())
    return countOnDevice(*module, *target) ? 0 : 1;
  if (target->isDevice())
    return runDevice(*module, *target, *copy) ? 0 : 1;
  if (!objectOf.empty())
    return writeObject(*module) ? 0 : 1;
  return Runner(*module).runAll() ? 0 : 1;
}
