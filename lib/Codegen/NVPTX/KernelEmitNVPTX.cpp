// Pass kernel-emit-nvptx: emits the device functions of every distinct kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/NVPTX/Passes.h"
#include "ampc/Support/Text.h"
#include "lib/Codegen/NVPTX/Forms.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELEMITNVPTX
#include "ampc/Codegen/NVPTX/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Accumulator types of a kernel. A nested kernel is checked separately.
static SmallVector<Type> accumulatorsOf(KernelOpInterface op) {
  SmallVector<Type> types;
  if (auto acc = op->getAttrOfType<TypeAttr>("acc"))
    types.push_back(acc.getValue());
  if (isa<kernel::ReduceOp, kernel::ScatterAddOp, kernel::SumRowsOp>(*op))
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
  if (auto totals = dyn_cast<kernel::WithTotalsOp>(*op))
    llvm::append_range(types, totals.getBody().front().getTerminator()->getOperandTypes());
  if (auto fused = dyn_cast<FusedKernelOpInterface>(*op))
    for (auto reduce : fused.getBody().getOps<kernel::RowReduceOp>())
      types.push_back(reduce.getType());
  return types;
}

/// Rejects 16-bit accumulators, which lose small addends; GPUs would execute such sums without
/// complaint.
static LogicalResult checkAccumulators(KernelOpInterface op) {
  for (Type type : accumulatorsOf(op))
    if (isa<FloatType>(type) && !type.isF32() && !type.isF64())
      return op->emitOpError() << "expected accumulators of f32 or f64, but got " << type;
  return success();
}

/// Rejects compute modes without device code: f32 operands may be rounded to tf32, but no code
/// exists for narrower modes yet.
static LogicalResult checkMode(Operation *op) {
  auto modes = op->getAttrOfType<ArrayAttr>("compute");
  for (unsigned side = 0; modes && side < modes.size(); ++side) {
    Type mode = cast<TypeAttr>(modes[side]).getValue();
    Type storage = getElementTypeOrSelf(op->getOperand(side));
    if (!isa<FloatTF32Type>(mode) || !storage.isF32())
      return op->emitOpError() << "expected a mode that GPUs have code for, which is tf32 of f32, "
                                  "but got "
                               << mode << " of " << storage;
  }
  return success();
}

static LogicalResult check(Operation *kernel, const Chip &chip) {
  auto find = [&](Operation *op) { return formRegistry(chip).find(op); };
  auto checkTypes = [](KernelOpInterface op) {
    return failure(failed(checkAccumulators(op)) || failed(checkMode(op)));
  };
  return target::checkKernel(kernel, {find, "for GPUs", checkTypes});
}

namespace {
struct KernelEmitNVPTXPass : ampc::impl::KernelEmitNVPTXBase<KernelEmitNVPTXPass> {
  using KernelEmitNVPTXBase::KernelEmitNVPTXBase;

  void runOnOperation() override {
    const Chip *found = findChip(chip);
    if (!found) {
      getOperation().emitError() << "expected a chip that ampc knows, but got " << shown(chip);
      return signalPassFailure();
    }
    ModuleOp code = target::tierModule(getOperation(), found->name);
    auto emit = [&](const target::DistinctKernel &kernel, StringRef name) -> FailureOr<Attribute> {
      if (failed(check(kernel.op, *found)))
        return failure();
      DeviceCode functions(code, kernel.op, *found, (name + "_" + found->name).str());
      formRegistry(*found).find(kernel.op)->emit(kernel.op, functions);
      if (failed(functions.getResult()))
        return failure();
      return describe(kernel, name, functions);
    };
    if (failed(target::emitKernels(getOperation(), prefix, /*knowsAlignment=*/true, emit)))
      signalPassFailure();
  }

private:
  Attribute describe(const target::DistinctKernel &kernel, StringRef name, const DeviceCode &code) {
    Builder b(&getContext());
    return kernel.describe({b.getNamedAttr("name", b.getStringAttr(name)),
                            b.getNamedAttr("form", b.getStringAttr(code.getDescription())),
                            b.getNamedAttr("launches", b.getArrayAttr(code.getLaunches())),
                            b.getNamedAttr("tiers", b.getStrArrayAttr({code.chip.name}))});
  }
};
} // namespace
