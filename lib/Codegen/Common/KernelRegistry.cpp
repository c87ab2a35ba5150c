// Checks and emission of kernels, as far as targets agree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/KernelRegistry.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

KernelLowering::~KernelLowering() = default;

LogicalResult target::rejectModes(KernelOpInterface op, StringRef type) {
  auto mode = op->getAttrOfType<ArrayAttr>("compute");
  if (!mode)
    return success();
  return op->emitError() << "expected a contraction in " << type << ", but got the mode " << mode
                         << " of GPUs";
}

const KernelLowering *KernelRegistry::find(Operation *op) const {
  auto found = lowerings.find(op->getName().getStringRef());
  return found == lowerings.end() ? nullptr : found->second.get();
}

LogicalResult KernelRegistry::configure(Operation *op) const {
  const KernelLowering *lowering = find(op);
  return lowering ? lowering->configure(op) : success();
}

static LogicalResult checkUnpacked(KernelOpInterface op) {
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    if (kernel::packingOf(type))
      return op->emitOpError() << "expected tensors that are not packed, but got " << type;
  return success();
}

WalkResult KernelRegistry::checkOne(KernelOpInterface op) const {
  const KernelLowering *lowering = find(op);
  if (!lowering)
    return op->emitOpError() << "has no code " << rules.target;
  return failure((!rules.readsPacked && failed(checkUnpacked(op))) || failed(rules.check(op)) ||
                 failed(lowering->checkPlan(op)));
}

/// Checks the kernel and the kernels nested inside, then that the workspace suffices.
LogicalResult KernelRegistry::check(Operation *kernel) const {
  WalkResult result = kernel->walk([&](KernelOpInterface op) { return checkOne(op); });
  if (result.wasInterrupted())
    return failure();
  int64_t needed = find(kernel)->workspaceBytes(kernel);
  int64_t given = cast<KernelOpInterface>(kernel).getWorkspaceBytes();
  if (given < needed)
    return kernel->emitOpError() << "expected a workspace of at least " << needed
                                 << " bytes, but got " << given;
  return success();
}

LogicalResult KernelRegistry::emit(ModuleOp module, StringRef prefix,
                                   ArrayRef<StringRef> tiers) const {
  std::string start = symbolPrefix(module, prefix);
  SmallVector<Attribute> table;
  for (auto [i, kernel] : llvm::enumerate(shareKernels(module, rules.knowsAlignment))) {
    if (failed(check(kernel.op)))
      return failure();
    FailureOr<Attribute> row =
        find(kernel.op)->emit(kernel, {module, start + "_k" + std::to_string(i), tiers});
    if (failed(row))
      return failure();
    table.push_back(*row);
  }
  module->setAttr("kernel.functions", ArrayAttr::get(module.getContext(), table));
  return success();
}
