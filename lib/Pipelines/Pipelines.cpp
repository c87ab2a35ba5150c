// The phase table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Codegen/CPU/Passes.h"
#include "ampc/Codegen/NVPTX/Passes.h"
#include "ampc/Codegen/Passes.h"
#include "ampc/Codegen/Reference/Passes.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Conversion/Passes.h"
#include "ampc/Kernel/Passes.h"
#include "ampc/LossScaling/Passes.h"
#include "ampc/Package/Package.h"
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Precision/Passes.h"
#include "ampc/Train/Passes.h"
#include "lib/Pipelines/MarkChunkedOps.h"
#include "lib/Pipelines/OnTargets.h"
#include "lib/Pipelines/RenamedPasses.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Families.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ampc;

static AmpAssignPrecisionOptions precisionOptions(const CompileOptions &options) {
  AmpAssignPrecisionOptions result;
  result.policy = options.policy;
  result.precision = options.precision;
  llvm::append_range(result.overrides, options.precisionOverrides);
  llvm::append_range(result.edits, options.policyEdits);
  result.policyFile = options.policyFile;
  result.masterWeights = options.masterWeights;
  result.profile = options.profile;
  result.explain = options.explain;
  result.costs = options.policyCosts;
  return result;
}

static TrainFreezeOptions freezeOptions(const CompileOptions &options) {
  TrainFreezeOptions result;
  llvm::append_range(result.patterns, options.freeze);
  return result;
}

static void addKernels(OpPassManager &pm, const Target &target, const CompileOptions &options) {
  addPassesBeforeChunking(pm);
  if (std::optional<int64_t> rows = parseChunkedLosses(options.chunkedLosses);
      rows && target.getFusionLimits())
    pm.addPass(createKernelChunkRows({*rows, options.explain}));
  if (options.fuse && target.getFusionLimits()) {
    pm.addPass(createKernelSparseAdd());
    pm.addPass(createKernelFuse());
    pm.addPass(createKernelFoldTransposes());
    pm.addPass(createKernelFoldImageTransposes());
    pm.addPass(createKernelSinkCasts());
    if (int64_t tile = 0; !StringRef(options.winograd).getAsInteger(10, tile))
      pm.addPass(createKernelWinograd({tile}));
    pm.addPass(createKernelFuseReductions({options.explain}));
    pm.addPass(createTrainSimplify({/*canonical=*/false}));
    KernelPackWeightsOptions packing;
    packing.always = options.packWeights == "always";
    if (options.packWeights != "never")
      pm.addPass(createKernelPackWeights(packing));
    if (options.fusePacks)
      pm.addPass(createKernelFusePacks({options.explain}));
  }
  pm.addPass(createKernelPadLeadingDimension());
  if (options.fuse && target.isDevice())
    pm.addPass(createKernelFuseHorizontally());
  pm.addPass(createKernelConfigure());
}

/// Adds the emission passes of a target for those of the wanted tiers that the target has.
static void addWantedTiers(OpPassManager &pm, const Target &target, const CompileOptions &options) {
  SmallVector<std::string> tiers;
  for (const TargetTier &tier : target.getTiers())
    if (llvm::is_contained(options.tiers, tier.name))
      tiers.push_back(tier.name.str());
  addEmission(pm, target, tiers);
}

static bool hasRanks(const CompileOptions &options) {
  return parseRanks(options.ranks).value_or(1) > 1;
}

/// Loops that stay up to the phase `recompute`.
static std::string keptLoops(const CompileOptions &options) {
  if (options.loops == "unroll")
    return "none";
  return options.loops == "keep" ? "all" : "long";
}

ArrayRef<Phase> ampc::getPhases() {
  static const Phase table[] = {
      {"import", "a verified train module; every op has a stable name", Verification::EachPass,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createTrainExpandModules());
         pm.addPass(createTrainNameOps());
         if (!options.freeze.empty())
           pm.addPass(createTrainFreeze(freezeOptions(options)));
         if (options.precision == "f64")
           pm.addPass(createTrainSetType({"f64"}));
         if (hasRanks(options))
           pm.addPass(createTrainSetRanks({*parseRanks(options.ranks)}));
       }},
      {"simplify",
       "one function per step, evaluation and export, in its mode; state is explicit; canonical",
       Verification::EachPass,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createAmpFlattenRegions());
         pm.addPass(createTrainResolveFans());
         pm.addPass(createTrainUnrollScans({options.loops == "unroll" ? "none" : "open"}));
         pm.addPass(createTrainInstantiate({options.dataTotals}));
         if (options.loops == "merge")
           pm.addPass(createTrainMergeRounds());
         pm.addPass(createTrainExpandGradients());
         pm.addPass(createTrainSimplify());
         pm.addPass(createTrainAbsorbTransposes());
         pm.addPass(createTrainSimplify());
       }},
      {"autodiff", "every step has a joint forward-backward function; only needed gradients exist",
       Verification::EachPhase,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createTrainAutodiff());
         if (options.loops == "merge")
           pm.addPass(createTrainMergeRounds());
         pm.addPass(createTrainUnrollScans({keptLoops(options)}));
         pm.addPass(createTrainSimplify());
       }},
      {"optimize", "clipping, schedule, optimizer and state update are in the step",
       Verification::WhenPrinted,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createTrainExpandStep({options.explain}));
         // Observers and profiles name values inside update rules, so updates are expanded first.
         if (options.observe || !options.profile.empty())
           pm.addPass(createTrainExpandUpdates());
         pm.addPass(createTrainSimplify());
         if (options.observe)
           pm.addPass(createTrainMarkValues());
       }},
      {"precision",
       "compute and storage types are fixed, casts are explicit, every decision carries a reason",
       Verification::EachPhase,
       [](OpPassManager &pm, const CompileOptions &options) {
         if (options.precision == "f64") // reference precision: no value is rounded
           return;
         pm.addPass(createAmpAssignPrecision(precisionOptions(options)));
         pm.addPass(createAmpLowerAccumulation());
         pm.addPass(createTrainSimplify());
         if (options.explain)
           pm.addPass(createAmpExplainCasts());
       }},
      {"loss-scale",
       "losses are scaled where needed; non-finite gradients are counted, and one predicate guards "
       "all state of steps that skip",
       Verification::WhenPrinted,
       [](OpPassManager &pm, const CompileOptions &options) {
         if (options.precision == "f64") // reference precision: no gradient is scaled
           return;
         pm.addPass(
             createAmpInsertLossScaling({options.lossScaling, options.profile, options.explain}));
         pm.addPass(createTrainSimplify());
       }},
      {"recompute", "residuals are the fewest from which cheap ops recompute the rest",
       Verification::WhenPrinted,
       [](OpPassManager &pm, const CompileOptions &options) {
         if (hasRanks(options))
           pm.addPass(createTrainCheckUniform());
         if (!options.activationBudget.empty()) { // a budget chooses ops of single rounds
           pm.addPass(createTrainUnrollScans());
           pm.addPass(createTrainSimplify());
         }
         pm.addPass(createMarkChunkedOps(options));
         AmpRecomputeOptions recompute;
         recompute.explain = options.explain;
         recompute.budget = options.activationBudget;
         recompute.repeat =
             options.recompute && (options.precision == "bf16" || options.precision == "f16");
         pm.addPass(createAmpRecompute(recompute));
         if (options.observe)
           pm.addPass(createTrainObserve());
       }},
      {"kernels",
       "train is gone but for declarations: fused kernels with explicit accumulators, per target",
       Verification::EachPhase,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createSplitByTarget(options.targets));
         pm.addPass(createRunOnTargets(addKernels, options));
       }},
      {"plan", "one schedule, one arena: every buffer has an offset, and the peak is known",
       Verification::WhenPrinted,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(
             createRunOnTargets([](OpPassManager &pm, const Target &,
                                   const CompileOptions &) { pm.addPass(createKernelPlan()); },
                                options));
       }},
      {"emit", "one function per distinct kernel and tier of the target, in the LLVM dialect",
       Verification::EachPhase,
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createRunOnTargets(addWantedTiers, options));
       }},
  };
  return table;
}

std::string ampc::phaseNames() {
  return llvm::join(llvm::map_range(getPhases(), [](const Phase &phase) { return phase.name; }),
                    ", ");
}

const Phase *ampc::findPhase(StringRef name) {
  auto found = llvm::find_if(getPhases(), [&](const Phase &phase) { return phase.name == name; });
  return found == getPhases().end() ? nullptr : found;
}

void ampc::registerDialects(DialectRegistry &registry) {
  registerTrainDialect(registry);
  registry.insert<amp::AmpDialect, kernel::KernelDialect, arith::ArithDialect, math::MathDialect>();
  registerTargets(registry);
  registerPackageDialects(registry);
  registerLoadedDialects(registry);
}

namespace {
/// Options of a phase as a pipeline of ampc-opt, under the names of the driver's options.
class PhaseOptions : public PassPipelineOptions<PhaseOptions> {
public:
  PhaseOptions() {
    for (const OptionDefinition &option : getOptionDefinitions())
      std::visit([&](auto member) { add(option, member); }, option.member);
  }
  CompileOptions get() const {
    CompileOptions options;
    for (const auto &read : reads)
      read(options);
    return options;
  }

private:
  template <typename T> void add(const OptionDefinition &option, T CompileOptions::*member) {
    auto parsed = std::make_shared<Option<T>>(*this, option.name, llvm::cl::desc(helpOf(option)),
                                              llvm::cl::init(CompileOptions().*member));
    reads.push_back([=](CompileOptions &options) { options.*member = parsed->getValue(); });
  }
  void add(const OptionDefinition &option, std::vector<std::string> CompileOptions::*member) {
    auto parsed = std::make_shared<ListOption<std::string>>(*this, option.name,
                                                            llvm::cl::desc(helpOf(option)));
    reads.push_back([=](CompileOptions &options) {
      if (!parsed->empty())
        (options.*member).assign(parsed->begin(), parsed->end());
    });
  }
  /// Help text, owned here because options keep a reference.
  StringRef helpOf(const OptionDefinition &option) {
    return *helps.emplace_back(std::make_unique<std::string>(option.helpText()));
  }

  std::vector<std::unique_ptr<std::string>> helps;
  std::vector<std::function<void(CompileOptions &)>> reads;
};
} // namespace

void ampc::registerPasses() {
  registerTrainPasses();
  registerPrecisionPasses();
  registerLossScalingPasses();
  registerConversionPasses();
  registerKernelPasses();
  registerTargetPasses();
  registerTargetCPUPasses();
  registerTargetReferencePasses();
  registerTargetNVPTXPasses();
  registerRenamedPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  for (const Phase &phase : getPhases())
    PassPipelineRegistration<PhaseOptions>(
        ("phase-" + phase.name).str(), ("State after the phase: " + phase.after).str(),
        [&phase](OpPassManager &pm, const PhaseOptions &options) {
          phase.addTo(pm, options.get());
        });
}
