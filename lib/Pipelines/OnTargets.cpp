// Passes that run once per target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Pipelines/OnTargets.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Support/Text.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace ampc;

std::string ampc::targetNames() {
  return llvm::join(
      llvm::map_range(allTargets(), [](const Target *target) { return target->getName(); }), ", ");
}

std::string ampc::expectedTargets(ArrayRef<std::string> names) {
  auto isKnown = [](StringRef name) {
    return llvm::any_of(allTargets(),
                        [&](const Target *target) { return target->getName() == name; });
  };
  for (auto [i, name] : llvm::enumerate(names))
    if (!isKnown(name) || llvm::is_contained(names.take_front(i), name))
      return "distinct names of " + targetNames() + ", but got " + shown(name);
  return names.empty() ? "some of " + targetNames() + ", but got none" : "";
}

std::string ampc::expectedTiers(ArrayRef<std::string> tiers, ArrayRef<std::string> targets) {
  SmallVector<StringRef> known;
  for (const Target *target : allTargets())
    if (llvm::is_contained(targets, target->getName()))
      for (const TargetTier &tier : target->getTiers())
        known.push_back(tier.name);
  for (auto [i, tier] : llvm::enumerate(tiers))
    if (!llvm::is_contained(known, tier) || llvm::is_contained(tiers.take_front(i), tier))
      return "distinct names of " + llvm::join(known, ", ") + ", but got " + shown(tier);
  return "";
}

namespace {
struct SplitByTarget : PassWrapper<SplitByTarget, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitByTarget)
  explicit SplitByTarget(ArrayRef<std::string> targets) : targets(targets) {}
  StringRef getName() const override { return "SplitByTarget"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (std::string expected = expectedTargets(targets); !expected.empty()) {
      module.emitError() << "expected targets to be " << expected;
      return signalPassFailure();
    }
    if (targets.size() == 1)
      return note(module, targets.front());
    auto ops = llvm::map_to_vector(*module.getBody(), [](Operation &op) { return &op; });
    for (const std::string &target : targets) {
      OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
      auto copy = ModuleOp::create(builder, module.getLoc(), target);
      note(copy, target);
      builder.setInsertionPointToEnd(copy.getBody());
      for (Operation *op : ops)
        builder.clone(*op);
    }
    for (Operation *op : ops)
      op->erase();
  }
  void note(ModuleOp module, StringRef target) {
    module->setAttr("kernel.target", StringAttr::get(&getContext(), target));
  }

  SmallVector<std::string> targets;
};

struct RunOnTargets : PassWrapper<RunOnTargets, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunOnTargets)
  RunOnTargets(AddTargetPasses add, const CompileOptions &options) : add(add), options(options) {}
  StringRef getName() const override { return "RunOnTargets"; }

  // All dialects: the nested passes are known only when the module's targets are.
  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }
  void runOnOperation() override {
    std::vector<std::string> targets;
    for (ModuleOp module : targetModules(getOperation()))
      if (const Target *target = targetOf(module))
        targets.push_back(target->getName().str());
    // An unknown name would select no tier, which means all of them.
    if (std::string expected = expectedTiers(options.tiers, targets); !expected.empty()) {
      getOperation().emitError() << "expected tiers to be " << expected;
      return signalPassFailure();
    }
    for (ModuleOp module : targetModules(getOperation())) {
      const Target *target = targetOf(module);
      if (!target)
        return signalPassFailure();
      OpPassManager pm(ModuleOp::getOperationName());
      add(pm, *target, options);
      if (failed(runPipeline(pm, module)))
        return signalPassFailure();
    }
  }

  AddTargetPasses add;
  CompileOptions options;
};
} // namespace

std::unique_ptr<Pass> ampc::createSplitByTarget(ArrayRef<std::string> targets) {
  return std::make_unique<SplitByTarget>(targets);
}
std::unique_ptr<Pass> ampc::createRunOnTargets(AddTargetPasses add, const CompileOptions &options) {
  return std::make_unique<RunOnTargets>(add, options);
}
