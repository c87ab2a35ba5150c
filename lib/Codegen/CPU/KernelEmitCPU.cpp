// One function per distinct kernel and tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/CPU/Passes.h"
#include "ampc/Support/Text.h"
#include "lib/Codegen/CPU/KernelTemplate.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELEMITCPU
#include "ampc/Codegen/CPU/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
/// Emission of one kernel on all tiers.
struct KernelRecord {
  std::array<KernelEmission, numTiers> emissions;
  std::array<StringRef, numTiers> tiers; // tier whose function each tier runs
};

struct KernelEmitCPUPass : ampc::impl::KernelEmitCPUBase<KernelEmitCPUPass> {
  using KernelEmitCPUBase::KernelEmitCPUBase;

  void runOnOperation() override {
    if (failed(findTiers()))
      return signalPassFailure();
    LogicalResult result = target::emitKernels(
        getOperation(), prefix, /*knowsAlignment=*/false,
        [&](const target::DistinctKernel &kernel, StringRef name) -> FailureOr<Attribute> {
          auto record = emitKernel(kernel.op, name);
          if (failed(record))
            return failure();
          return target::describeKernel(kernel, name, record->emissions, record->tiers);
        });
    if (failed(result))
      signalPassFailure();
  }

private:
  LogicalResult findTiers() {
    if (only.empty())
      for (const Tier &tier : tiers())
        wanted.push_back(&tier);
    for (const std::string &name : only) {
      const Tier *tier = findTier(name);
      if (!tier)
        return getOperation()->emitError()
               << "expected a tier plain, avx2, avx512, avx512bf16, amx or amxfp16, but got "
               << shown(name);
      wanted.push_back(tier);
    }
    return success();
  }

  /// Refuses modes of contractions.
  static LogicalResult checkMode(KernelOpInterface op) {
    auto mode = op->getAttrOfType<ArrayAttr>("compute");
    if (!mode)
      return success();
    return op->emitError() << "expected a contraction in a type that CPUs multiply, but got the "
                              "mode "
                           << mode << " of GPUs";
  }

  FailureOr<KernelRecord> emitKernel(Operation *op, StringRef name) {
    auto find = [](Operation *op) { return templateRegistry().find(op); };
    if (failed(target::checkKernel(op, {find, "for CPUs", checkMode, /*readsPacked=*/true})))
      return failure();
    const KernelTemplate *writer = templateRegistry().find(op);
    KernelRecord record;
    llvm::SmallPtrSet<const Tier *, numTiers> isEmitted;
    for (const Tier *tier : wanted) {
      unsigned number = unsigned(tier->kind);
      const Tier *source = tier;
      while (!writer->hasOwnCode(op, *source))
        --source;
      FailureOr<KernelEmission> emission = writer->plan(op, *source);
      if (failed(emission))
        return failure();
      record.emissions[number] = *emission;
      record.tiers[number] = source->name;
      if (isEmitted.insert(source).second)
        emitFunctions(op, name, *writer, *source, *emission);
    }
    return record;
  }

  void emitFunctions(Operation *op, StringRef name, const KernelTemplate &writer, const Tier &tier,
                     const KernelEmission &emission) {
    std::string symbol = (name + "_" + tier.name).str();
    emitFunction(op, symbol, writer, tier, /*isFinish=*/false);
    if (emission.finishTasks)
      emitFunction(op, symbol + "_finish", writer, tier, /*isFinish=*/true);
  }
  void emitFunction(Operation *op, StringRef symbol, const KernelTemplate &writer, const Tier &tier,
                    bool isFinish) {
    ModuleOp code = target::tierModule(getOperation(), tier.name);
    LLVM::LLVMFuncOp func = target::createKernelFunction(code, op->getLoc(), symbol);
    SmallVector<StringRef> features;
    tier.features.split(features, ',');
    func.setTargetCpu("x86-64");
    func.setTargetFeaturesAttr(LLVM::TargetFeaturesAttr::get(&getContext(), features));
    if (tier.hasAVX512())
      func.setPreferVectorWidth(StringRef("512"));
    OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
    KernelEmitter e(b, op->getLoc(), tier);
    Value begin = e.asIndex(func.getArgument(1)), end = e.asIndex(func.getArgument(2));
    KernelPointers pointers;
    static_cast<target::KernelPointers &>(pointers) = target::loadPointers(op, e, func);
    TaskCode tasks = {e, pointers, begin, end, isFinish};
    writer.emit(op, tasks);
    LLVM::ReturnOp::create(b, op->getLoc(), ValueRange{});
  }

  SmallVector<const Tier *> wanted;
};
} // namespace
