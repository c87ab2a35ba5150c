// The phase table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Conversion/Passes.h"
#include "ampc/Kernel/Passes.h"
#include "ampc/LossScaling/Passes.h"
#include "ampc/Package/Package.h"
#include "ampc/Precision/Passes.h"
#include "ampc/Target/CPU/Codegen.h"
#include "ampc/Target/CPU/Passes.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Kernel/Kernel.h"
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

ArrayRef<Phase> ampc::getPhases() {
  static const Phase table[] = {
      {"import", "a verified train module; every op has a stable name",
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createTrainNameOps());
         if (options.precision == "f64")
           pm.addPass(createTrainSetType({"f64"}));
       }},
      {"simplify",
       "one function per step, evaluation and export, in its mode; state is explicit; canonical",
       [](OpPassManager &pm, const CompileOptions &) {
         pm.addPass(createAmpFlattenRegions());
         pm.addPass(createTrainInstantiate());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
       }},
      {"autodiff",
       "every step has its joint forward-backward function; only needed gradients exist",
       [](OpPassManager &pm, const CompileOptions &) {
         pm.addPass(createTrainAutodiff());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
       }},
      {"optimize", "clipping, schedule, optimizer and state update are in the step",
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createTrainExpandStep({options.explain}));
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
         if (options.observe)
           pm.addPass(createTrainMarkValues());
       }},
      {"precision",
       "compute and storage types are fixed, casts are explicit, every decision carries its reason",
       [](OpPassManager &pm, const CompileOptions &options) {
         if (options.precision == "f64") // the reference: nothing is rounded
           return;
         pm.addPass(createAmpAssignPrecision(precisionOptions(options)));
         pm.addPass(createAmpLowerAccumulation());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
         if (options.explain)
           pm.addPass(createAmpExplainCasts());
       }},
      {"loss-scale",
       "losses that need it are scaled; what is not finite in gradients is counted, and one "
       "predicate guards all state of steps that skip",
       [](OpPassManager &pm, const CompileOptions &options) {
         if (options.precision == "f64") // the reference: nothing is scaled
           return;
         pm.addPass(
             createAmpInsertLossScaling({options.lossScaling, options.profile, options.explain}));
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
       }},
      {"recompute", "what is saved for the backward pass is the least that cheap ops need",
       [](OpPassManager &pm, const CompileOptions &options) {
         AmpRecomputeOptions recompute;
         recompute.explain = options.explain;
         recompute.repeat =
             options.recompute && (options.precision == "bf16" || options.precision == "f16");
         pm.addPass(createAmpRecompute(recompute));
         if (options.observe)
           pm.addPass(createTrainObserve());
       }},
      {"kernels", "train is gone but for declarations: fused kernels with explicit accumulators",
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createAmpLowerLossScaling());
         pm.addPass(createConvertTrainToKernel());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
         if (!options.fuse)
           return;
         pm.addPass(createKernelFuse());
         pm.addPass(createKernelNarrowResults());
         pm.addPass(createKernelFuseTotals({options.explain}));
         pm.addPass(createCSEPass());
         KernelPackWeightsOptions packing;
         packing.always = options.packWeights == "always";
         if (options.packWeights != "never")
           pm.addPass(createKernelPackWeights(packing));
         if (options.fusePacks)
           pm.addPass(createKernelFusePacks({options.explain}));
       }},
      {"plan", "one schedule, one arena: every buffer has an offset, and the peak is known",
       [](OpPassManager &pm, const CompileOptions &) { pm.addPass(createKernelPlan()); }},
      {"emit", "one function per distinct kernel and tier, in the LLVM dialect",
       [](OpPassManager &pm, const CompileOptions &options) {
         KernelEmitCPUOptions emit;
         llvm::append_range(emit.only, options.tiers);
         pm.addPass(createKernelEmitCPU(emit));
         cpu::buildCodegenPipeline(pm);
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
  registry.insert<train::TrainDialect, amp::AmpDialect, kernel::KernelDialect, arith::ArithDialect,
                  math::MathDialect>();
  cpu::registerCodegenDialects(registry);
  registerPackageDialects(registry);
}

namespace {
/// Phases as pipelines of ampc-opt take the options that the driver has.
struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  Option<std::string> precision{*this, "precision",
                                llvm::cl::desc("f64, f32, bf16, f16, tf32 or fp8"),
                                llvm::cl::init("f32")};
  Option<std::string> policy{*this, "policy", llvm::cl::desc("policy of the precision phase"),
                             llvm::cl::init("mincut")};
  Option<std::string> policyFile{*this, "policy-file",
                                 llvm::cl::desc("lines for the policy's table")};
  ListOption<std::string> overrides{*this, "override", llvm::cl::desc("REGEX=TYPE")};
  ListOption<std::string> edits{*this, "edit", llvm::cl::desc("MNEMONIC=TREATMENT")};
  Option<std::string> lossScaling{*this, "loss-scaling",
                                  llvm::cl::desc("torch, tf, apex, paddle or none"),
                                  llvm::cl::init("torch")};
  Option<std::string> profile{*this, "profile", llvm::cl::desc("file of ampc profile")};
  Option<bool> masterWeights{*this, "master-weights", llvm::cl::desc("parameters in f32"),
                             llvm::cl::init(true)};
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("false: one kernel per op"),
                    llvm::cl::init(true)};
  Option<std::string> packWeights{*this, "pack-weights", llvm::cl::desc("auto, always or never"),
                                  llvm::cl::init("auto")};
  Option<bool> fusePacks{
      *this, "fuse-packs",
      llvm::cl::desc("false: packed weights are written by kernels of their own"),
      llvm::cl::init(true)};
  Option<bool> observe{*this, "observe", llvm::cl::desc("values of steps become results"),
                       llvm::cl::init(false)};
  Option<bool> explain{*this, "explain", llvm::cl::desc("a remark for every decision"),
                       llvm::cl::init(false)};

  CompileOptions get() const {
    CompileOptions options;
    options.precision = precision;
    options.policy = policy;
    options.policyFile = policyFile;
    options.precisionOverrides.assign(overrides.begin(), overrides.end());
    options.policyEdits.assign(edits.begin(), edits.end());
    options.lossScaling = lossScaling;
    options.masterWeights = masterWeights;
    options.fuse = fuse;
    options.packWeights = packWeights;
    options.fusePacks = fusePacks;
    options.profile = profile;
    options.observe = observe;
    options.explain = explain;
    return options;
  }
};
} // namespace

void ampc::registerPasses() {
  registerTrainPasses();
  registerPrecisionPasses();
  registerLossScalingPasses();
  registerConversionPasses();
  registerKernelPasses();
  registerTargetCPUPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  static std::vector<std::unique_ptr<PassPipelineRegistration<PhaseOptions>>> pipelines;
  for (const Phase &phase : getPhases())
    pipelines.push_back(std::make_unique<PassPipelineRegistration<PhaseOptions>>(
        ("phase-" + phase.name).str(), ("After it: " + phase.after).str(),
        [&phase](OpPassManager &pm, const PhaseOptions &options) {
          phase.addTo(pm, options.get());
        }));
}
