// Pass convert-train-to-kernel: converts programs op by op, and reports all ops without a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Conversion/Passes.h"
#include "lib/Conversion/TrainToKernel/Indexing.h"
#include "lib/Conversion/TrainToKernel/Updates.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/TrainFlat.h"

namespace ampc {
#define GEN_PASS_DEF_CONVERTTRAINTOKERNEL
#include "ampc/Conversion/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Rules in order of precedence: special cases first, since data movement is no scalar code.
static ConversionRules allFamilies() {
  ConversionRules families;
  addShapeRules(families);
  addMarkRules(families);
  addMoveRules(families);
  addIndexingRules(families);
  addReductionRules(families);
  addContractionRules(families);
  addConvolutionRules(families);
  addAttentionRules(families);
  addScalarRules(families);
  return families;
}

static kernel::ProgramOp createProgram(train::FuncOp func, OpBuilder &builder) {
  auto program =
      kernel::ProgramOp::create(builder, func.getLoc(), func.getSymName(), func.getFunctionType());
  // Both ops have the same attributes.
  for (NamedAttribute attr : func->getAttrs())
    program->setAttr(attr.getName(), attr.getValue());
  return program;
}

/// Copies provenance to the kernels between `last` and the end of the block; a kernel of a
/// recomputed op is marked as recomputed, too.
static void copyProvenance(Operation *op, Block *body, Operation *last) {
  Operation *first = last ? last->getNextNode() : body->empty() ? nullptr : &body->front();
  for (Operation *made = first; made; made = made->getNextNode()) {
    if (train::OriginAttr origin = originOf(op);
        origin && isa<KernelOpInterface>(made) && originsOf(made).empty())
      setOrigins(made, origin);
    if (op->hasAttr("amp.recompute") && isa<KernelOpInterface>(made))
      made->setAttr("kernel.recompute", UnitAttr::get(op->getContext()));
  }
}

/// Converts a program. The loop continues after an op without a kernel, so that a single run
/// reports all such ops.
static LogicalResult convertProgram(train::FuncOp func, const ConversionRules &families,
                                    OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  kernel::ProgramOp program = createProgram(func, builder);
  Converter converter(builder);
  Updates updates(families, converter);
  Block *body = builder.createBlock(&program.getBody());
  for (BlockArgument arg : func.getArguments())
    converter.set(arg, body->addArgument(arg.getType(), arg.getLoc()));
  LogicalResult status = success();
  for (Operation &op : func.getBody().front()) {
    if (!llvm::all_of(op.getOperands(), [&](Value v) { return converter.known(v); }))
      continue;
    Operation *last = body->empty() ? nullptr : &body->back();
    if (isa<train::ReturnOp>(op)) {
      auto values =
          llvm::map_to_vector(op.getOperands(), [&](Value v) { return converter.tensor(v); });
      kernel::ReturnOp::create(builder, op.getLoc(), values);
    } else if (auto update = dyn_cast<train::UpdateOp>(op)) {
      status = success(succeeded(updates.convert(update)) && succeeded(status));
    } else if (!families.convert(&op, converter)) {
      status = op.emitError() << "expected a kernel for " << op.getName();
    }
    copyProvenance(&op, body, last);
  }
  return status;
}

namespace {
struct ConvertTrainToKernel : ampc::impl::ConvertTrainToKernelBase<ConvertTrainToKernel> {
  void runOnOperation() override {
    if (mlir::failed(checkIsFlat(getOperation(), getArgument())))
      return signalPassFailure();
    ConversionRules families = allFamilies();
    OpBuilder builder(&getContext());
    bool failed = false;
    for (auto model : llvm::to_vector(getOperation().getOps<train::ModelOp>())) {
      builder.setInsertionPointAfter(model);
      for (auto func : llvm::make_early_inc_range(model.getOps<train::FuncOp>())) {
        if (func.getRole())
          failed |= mlir::failed(convertProgram(func, families, builder));
        func.erase();
      }
    }
    if (failed)
      signalPassFailure();
  }
};
} // namespace
