// Which form writes which kernel op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/Common/ConvPhases.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

template <void (*emit)(Operation *, target::Points &)>
static void threadPerPoint(Operation *op, DeviceCode &code) {
  ThreadPerPoint points(code);
  emit(op, points);
}

static int64_t filterWorkspace(Operation *operation) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  int64_t sums = ShapedType::getNumElements(op.getSpace());
  return op.getParts() == 1 ? 0 : op.getParts() * sums * target::elementBytes(op.getAcc());
}
static void configureFilter(Operation *operation) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  op.setParts(target::chooseFilterParts(op));
  op.setWorkspaceBytes(filterWorkspace(op));
}

const Form *nvptx::findForm(Operation *op) {
  static const Forms all = [] {
    Forms forms;
    auto share = [&](StringRef name, auto emit) { forms[name] = {emit}; };
    forms[kernel::ConvFilterOp::getOperationName()] = {threadPerPoint<target::emitPlainConvFilter>,
                                                       configureFilter, filterWorkspace};
    share(kernel::PoolOp::getOperationName(), threadPerPoint<target::emitPlainPool>);
    share(kernel::PoolGradOp::getOperationName(), threadPerPoint<target::emitPlainPoolGrad>);
    share(kernel::GatherOp::getOperationName(), threadPerPoint<target::emitPlainGather>);
    share(kernel::SumRowsOp::getOperationName(), threadPerPoint<target::emitPlainSumRows>);
    share(kernel::PutRowsOp::getOperationName(), threadPerPoint<target::emitPlainPutRows>);
    share(kernel::AssembleOp::getOperationName(), threadPerPoint<target::emitPlainAssemble>);
    addProductForms(forms);
    addMapForm(forms);
    addReduceForm(forms);
    addRowForms(forms);
    addTotalsForm(forms);
    addAttentionForms(forms);
    return forms;
  }();
  auto found = all.find(op->getName().getStringRef());
  return found == all.end() ? nullptr : &found->second;
}
