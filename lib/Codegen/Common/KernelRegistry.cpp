// Checks and emission of kernels, as far as targets agree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/KernelRegistry.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

KernelPlanner::~KernelPlanner() = default;

static LogicalResult checkUnpacked(KernelOpInterface op) {
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    if (kernel::packingOf(type))
      return op->emitOpError() << "expected tensors that are not packed, but got " << type;
  return success();
}

static WalkResult checkOne(KernelOpInterface op, const KernelChecks &checks) {
  const KernelPlanner *planner = checks.find(op);
  if (!planner)
    return op->emitOpError() << "has no code " << checks.target;
  return failure((!checks.readsPacked && failed(checkUnpacked(op))) || failed(checks.check(op)) ||
                 failed(planner->checkPlan(op)));
}

LogicalResult target::checkKernel(Operation *kernel, const KernelChecks &checks) {
  WalkResult result = kernel->walk([&](KernelOpInterface op) { return checkOne(op, checks); });
  if (result.wasInterrupted())
    return failure();
  int64_t needed = checks.find(kernel)->workspaceBytes(kernel);
  int64_t given = cast<KernelOpInterface>(kernel).getWorkspaceBytes();
  if (given < needed)
    return kernel->emitOpError() << "expected a workspace of at least " << needed
                                 << " bytes, but got " << given;
  return success();
}

LogicalResult target::emitKernels(
    ModuleOp module, StringRef prefix, bool knowsAlignment,
    llvm::function_ref<FailureOr<Attribute>(const DistinctKernel &, StringRef)> emit) {
  std::string start = symbolPrefix(module, prefix);
  SmallVector<Attribute> table;
  for (auto [i, kernel] : llvm::enumerate(shareKernels(module, knowsAlignment))) {
    FailureOr<Attribute> row = emit(kernel, start + "_k" + std::to_string(i));
    if (failed(row))
      return failure();
    table.push_back(*row);
  }
  module->setAttr("kernel.functions", ArrayAttr::get(module.getContext(), table));
  return success();
}
