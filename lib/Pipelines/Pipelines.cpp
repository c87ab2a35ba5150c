// The phase table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Conversion/Passes.h"
#include "ampc/Target/CPU/Codegen.h"
#include "ampc/Target/CPU/Passes.h"
#include "ampc/Kernel/Passes.h"
#include "ampc/Transforms/Passes.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ampc;

ArrayRef<Phase> ampc::getPhases() {
  static const Phase table[] = {
      {"import", "a verified train module; every op has a stable name",
       [](OpPassManager &pm, const CompileOptions &options) {
         pm.addPass(createTrainNameOps());
         if (options.precision == "f64")
           pm.addPass(createTrainSetType({"f64"}));
       }},
      {"simplify", "one function per step, evaluation and export, in its mode; state is explicit; canonical",
       [](OpPassManager &pm, const CompileOptions &) {
         pm.addPass(createTrainInstantiate());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
       }},
      {"autodiff", "every step has its joint forward-backward function; only needed gradients exist",
       [](OpPassManager &pm, const CompileOptions &) {
         pm.addPass(createTrainAutodiff());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
       }},
      {"optimize", "clipping, schedule, optimizer and state update are in the step",
       [](OpPassManager &pm, const CompileOptions &) {
         pm.addPass(createTrainExpandStep());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createCSEPass());
       }},
      {"kernels", "train is gone but for declarations: fused kernels with explicit accumulators",
       [](OpPassManager &pm, const CompileOptions &) {
         pm.addPass(createConvertTrainToKernel());
         pm.addPass(createCanonicalizerPass());
         pm.addPass(createKernelFuse());
       }},
      {"plan", "kernels are in order, every buffer has its place; peak bytes are known",
       [](OpPassManager &pm, const CompileOptions &) { pm.addPass(createKernelPlan()); }},
  };
  return table;
}

const Phase *ampc::findPhase(StringRef name) {
  auto found = llvm::find_if(getPhases(), [&](const Phase &phase) { return phase.name == name; });
  return found == getPhases().end() ? nullptr : found;
}

void ampc::registerDialects(DialectRegistry &registry) {
  registry.insert<train::TrainDialect, kernel::KernelDialect, arith::ArithDialect, math::MathDialect>();
  cpu::registerCodegenDialects(registry);
}

namespace {
/// Phases as pipelines of ampc-opt take the options that the driver has.
struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  Option<std::string> precision{*this, "precision", llvm::cl::desc("f32 or f64"), llvm::cl::init("f32")};
};
} // namespace

void ampc::registerPasses() {
  registerTransformsPasses();
  registerConversionPasses();
  registerKernelPasses();
  registerTargetCPUPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  static std::vector<std::unique_ptr<PassPipelineRegistration<PhaseOptions>>> pipelines;
  for (const Phase &phase : getPhases())
    pipelines.push_back(std::make_unique<PassPipelineRegistration<PhaseOptions>>(
        ("phase-" + phase.name).str(), ("After it: " + phase.after).str(),
        [&phase](OpPassManager &pm, const PhaseOptions &options) { phase.addPasses(pm, {options.precision}); }));
}
