// Reduction of a model to a single tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/OneTier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace ampc;

void ampc::keepTier(ModelInfo &model, int32_t tier) {
  model.tiers = 1u << tier;
  int32_t kept = tier - model.target->getTiers().front().isa;
  for (KernelInfo &kernel : model.kernels)
    for (auto [number, code] : llvm::enumerate(kernel.code))
      if (int32_t(number) != kept) {
        code.run.clear();
        code.finish.clear();
      }
}

bool ampc::keepNamed(llvm::Module &code, const ModelInfo &model) {
  llvm::StringSet<> named;
  for (const KernelInfo &kernel : model.kernels)
    for (const CodeInfo &tier : kernel.code) {
      named.insert(tier.run);
      named.insert(tier.finish);
    }
  bool any = false;
  for (llvm::Function &function : code)
    if (!function.isDeclaration()) {
      if (named.contains(function.getName()))
        any = true;
      else
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  llvm::ModuleAnalysisManager analyses;
  llvm::GlobalDCEPass().run(code, analyses);
  return any;
}
