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

/// Refuses modes of contractions.
static LogicalResult checkMode(KernelOpInterface op) {
  auto mode = op->getAttrOfType<ArrayAttr>("compute");
  if (!mode)
    return success();
  return op->emitOpError() << "expected a contraction in the type of its accumulator, but got the "
                              "mode "
                           << mode << " of GPUs";
}

static LogicalResult check(Operation *kernel) {
  auto find = [](Operation *op) { return writerRegistry().find(op); };
  return target::checkKernel(kernel, {find, "of plain loops", checkMode});
}

namespace {
struct KernelEmitReference : ampc::impl::KernelEmitReferenceBase<KernelEmitReference> {
  using KernelEmitReferenceBase::KernelEmitReferenceBase;

  void runOnOperation() override {
    auto emitOne = [&](const target::DistinctKernel &kernel,
                       StringRef name) -> FailureOr<Attribute> {
      if (failed(check(kernel.op)))
        return failure();
      const Writer &writer = *writerRegistry().find(kernel.op);
      target::KernelEmission emission;
      emission.scratchBytes = writer.scratchBytes(kernel.op);
      emit(kernel.op, writer, (name + "_" + tier).str());
      return target::describeKernel(kernel, name, emission, {tier});
    };
    if (failed(target::emitKernels(getOperation(), prefix, /*knowsAlignment=*/false, emitOne)))
      signalPassFailure();
  }

private:
  void emit(Operation *op, const Writer &writer, StringRef symbol) {
    ModuleOp code = target::tierModule(getOperation(), tier);
    LLVM::LLVMFuncOp func = target::createKernelFunction(code, op->getLoc(), symbol);
    func.setTargetCpu("x86-64");
    OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
    LoopEmitter e(b, op->getLoc());
    KernelPointers pointers = target::loadPointers(op, e, func);
    PlainCode plain = {e, pointers};
    writer.emit(op, plain);
    LLVM::ReturnOp::create(b, op->getLoc(), ValueRange{});
  }
};
} // namespace
