// Registry of kernel emitters (forms) by kernel op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Forms.h"
#include <vector>

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

template <void (*emit)(Operation *, target::Points &)>
static void threadPerPoint(Operation *op, DeviceCode &code) {
  code.describe("plain: pools have no other code");
  ThreadPerPoint points(code);
  emit(op, points);
}

std::string nvptx::describePlain(StringRef reason) {
  return reason.empty() ? "plain" : "plain: " + reason.str();
}

/// Functions of all kinds of kernels, the same for every chip.
static Forms allForms() {
  Forms forms;
  auto share = [&](StringRef name, auto emit) { forms[name] = {emit}; };
  share(kernel::PoolOp::getOperationName(), threadPerPoint<target::emitPlainPool>);
  share(kernel::PoolGradOp::getOperationName(), threadPerPoint<target::emitPlainPoolGrad>);
  addProductForms(forms);
  addMapForm(forms);
  addMultiMapForm(forms);
  addReduceForm(forms);
  addRowForms(forms);
  addCopyForms(forms);
  addTotalsForm(forms);
  addAttentionForms(forms);
  return forms;
}

const target::KernelRegistry<Form> &nvptx::formRegistry(const Chip &chip) {
  static const std::vector<target::KernelRegistry<Form>> all = [] {
    Forms forms = allForms();
    std::vector<target::KernelRegistry<Form>> registries(chips().size());
    for (auto [registry, chip] : llvm::zip_equal(registries, chips()))
      for (const auto &form : forms)
        registry.add(form.getKey(), std::make_unique<Form>(form.getValue(), chip));
    return registries;
  }();
  return all[&chip - chips().data()];
}
