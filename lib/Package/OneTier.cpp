// A model as one tier needs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/OneTier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace ampc;

void ampc::keepTier(ModelInfo &model, int32_t tier) {
  model.tiers = 1u << tier;
  for (KernelInfo &kernel : model.kernels)
    for (int32_t t = 0; t < AMPC_TIERS; ++t)
      if (t != tier) {
        kernel.run[t].clear();
        kernel.finish[t].clear();
      }
}

bool ampc::keepNamed(llvm::Module &code, const ModelInfo &model) {
  llvm::StringSet<> named;
  for (const KernelInfo &kernel : model.kernels)
    for (auto symbols : {&kernel.run, &kernel.finish})
      named.insert(symbols->begin(), symbols->end());
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
