// Emits a function per distinct kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Reference/Passes.h"
#include "lib/Codegen/Reference/Writers.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELEMITREFERENCE
#include "ampc/Codegen/Reference/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;

static constexpr llvm::StringLiteral tier = "reference";

/// Checks a kernel, and the kernel inside `kernel.with_totals`.
static LogicalResult check(Operation *kernel) {
  WalkResult result = kernel->walk([](KernelOpInterface op) -> WalkResult {
    if (!findWriter(op))
      return op->emitOpError("has no code of plain loops");
    for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                        llvm::to_vector(op->getResultTypes())))
      if (kernel::packingOf(type))
        return op->emitOpError() << "expected tensors that are not packed, but got " << type;
    if (auto mode = op->getAttrOfType<ArrayAttr>("compute"))
      return op->emitOpError() << "expected a contraction in the type of its accumulator, but got "
                                  "the mode "
                               << mode << " of GPUs";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct KernelEmitReference : ampc::impl::KernelEmitReferenceBase<KernelEmitReference> {
  using KernelEmitReferenceBase::KernelEmitReferenceBase;

  void runOnOperation() override {
    std::string start = target::symbolPrefix(getOperation(), prefix);
    SmallVector<Attribute> table;
    for (auto [i, kernel] : llvm::enumerate(target::shareKernels(getOperation()))) {
      Operation *op = kernel.op;
      std::string name = start + "_k" + std::to_string(i);
      if (failed(check(op)))
        return signalPassFailure();
      const Writer *writer = findWriter(op);
      target::KernelEmission emission;
      emission.scratchBytes = writer->scratchBytes ? writer->scratchBytes(op) : 0;
      emit(op, *writer, name + "_" + tier.str());
      table.push_back(target::describeKernel(kernel, name, emission, {tier}));
    }
    getOperation()->setAttr("kernel.functions", ArrayAttr::get(&getContext(), table));
  }

private:
  void emit(Operation *op, const Writer &writer, StringRef symbol) {
    ModuleOp code = target::tierModule(getOperation(), tier);
    LLVM::LLVMFuncOp func = target::createKernelFunction(code, op->getLoc(), symbol);
    func.setTargetCpu("x86-64");
    OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
    LoopEmitter e(b, op->getLoc());
    writer.emit(op, e, target::loadPointers(op, e, func));
    LLVM::ReturnOp::create(b, op->getLoc(), ValueRange{});
  }
};
} // namespace
