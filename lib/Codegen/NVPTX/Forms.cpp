// Registry of kernel emitters (forms) by kernel op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Forms.h"

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

const Form *nvptx::findForm(Operation *op) {
  static const Forms all = [] {
    Forms forms;
    auto share = [&](StringRef name, auto emit) { forms[name] = {emit}; };
    share(kernel::PoolOp::getOperationName(), threadPerPoint<target::emitPlainPool>);
    share(kernel::PoolGradOp::getOperationName(), threadPerPoint<target::emitPlainPoolGrad>);
    addProductForms(forms);
    addMapForm(forms);
    addReduceForm(forms);
    addRowForms(forms);
    addCopyForms(forms);
    addTotalsForm(forms);
    addAttentionForms(forms);
    return forms;
  }();
  auto found = all.find(op->getName().getStringRef());
  return found == all.end() ? nullptr : &found->second;
}
