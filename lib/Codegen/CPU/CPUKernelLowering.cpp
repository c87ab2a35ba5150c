// Functions of a kernel on CPUs, tier by tier, and the registry of all lowerings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/CPUKernelLowering.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

FailureOr<Attribute> CPUKernelLowering::emit(const target::DistinctKernel &kernel,
                                             const target::KernelRequest &request) const {
  // By tier: code, and the tier whose function the tier runs.
  std::array<KernelEmission, numTiers> emissions;
  std::array<StringRef, numTiers> sources;
  llvm::SmallPtrSet<const Tier *, numTiers> isEmitted;
  for (StringRef name : request.tiers) {
    const Tier *tier = findTier(name), *source = tier;
    while (!hasOwnCode(kernel.op, *source))
      --source;
    FailureOr<KernelEmission> emission = plan(kernel.op, *source);
    if (failed(emission))
      return failure();
    emissions[unsigned(tier->kind)] = *emission;
    sources[unsigned(tier->kind)] = source->name;
    if (isEmitted.insert(source).second)
      emitFunctions(kernel.op, request, *source, *emission);
  }
  return target::describeKernel(kernel, request.name, emissions, sources);
}

void CPUKernelLowering::emitFunctions(Operation *op, const target::KernelRequest &request,
                                      const Tier &tier, const KernelEmission &emission) const {
  std::string symbol = (request.name + "_" + tier.name).str();
  emitFunction(op, request.module, symbol, tier, /*isFinish=*/false);
  if (emission.finishTasks)
    emitFunction(op, request.module, symbol + "_finish", tier, /*isFinish=*/true);
}

void CPUKernelLowering::emitFunction(Operation *op, ModuleOp module, StringRef symbol,
                                     const Tier &tier, bool isFinish) const {
  ModuleOp code = target::tierModule(module, tier.name);
  LLVM::LLVMFuncOp func = target::createKernelFunction(code, op->getLoc(), symbol);
  SmallVector<StringRef> features;
  tier.features.split(features, ',');
  func.setTargetCpu("x86-64");
  func.setTargetFeaturesAttr(LLVM::TargetFeaturesAttr::get(op->getContext(), features));
  if (tier.hasAVX512())
    func.setPreferVectorWidth(StringRef("512"));
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  KernelEmitter e(b, op->getLoc(), tier);
  Value begin = e.asIndex(func.getArgument(1)), end = e.asIndex(func.getArgument(2));
  KernelPointers pointers;
  static_cast<target::KernelPointers &>(pointers) = target::loadPointers(op, e, func);
  isFinish ? emitFinish(op, e, pointers, begin, end) : emitRun(op, e, pointers, begin, end);
  LLVM::ReturnOp::create(b, op->getLoc(), ValueRange{});
}

static LogicalResult checkMode(KernelOpInterface op) {
  return target::rejectModes(op, "a type that CPUs multiply");
}

const target::KernelRegistry &cpu::kernelRegistry() {
  static const target::KernelRegistry registry = [] {
    target::KernelRegistry all({"for CPUs", checkMode, /*readsPacked=*/true});
    addMapLowering(all);
    addGemmLowering(all);
    addConvLowering(all);
    addConvFilterLowering(all);
    addWinogradLowering(all);
    addAttentionLowering(all);
    addAttentionGradLowering(all);
    addReduceLowering(all);
    addRowLowering(all);
    addAssembleLowering(all);
    addPoolLowering(all);
    addPackLowering(all);
    addFusedReductionLowering(all);
    return all;
  }();
  return registry;
}

const CPUKernelLowering *cpu::loweringOf(Operation *op) {
  return static_cast<const CPUKernelLowering *>(kernelRegistry().find(op));
}
