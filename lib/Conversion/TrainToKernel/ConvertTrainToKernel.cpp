// Pass convert-train-to-kernel: converts programs op by op, and reports all ops without a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Conversion/Passes.h"
#include "lib/Conversion/TrainToKernel/Indexing.h"
#include "lib/Conversion/TrainToKernel/Loops.h"
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
  addExchangeRules(families);
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

/// Whether every value that the op or an op inside reads is known: the op that gives an unknown
/// value has been reported.
static bool hasKnownOperands(Operation *op, const Converter &converter) {
  bool isKnown = true;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      isKnown &=
          op->isAncestor(operand.getParentBlock()->getParentOp()) || converter.known(operand);
  });
  return isKnown;
}

LogicalResult
ampc::convertOps(Block &ops, ConversionRules &rules, Converter &converter,
                 llvm::function_ref<std::optional<LogicalResult>(Operation *)> special) {
  LogicalResult status = success();
  Block *body = converter.builder.getBlock();
  for (Operation &op : ops.without_terminator()) {
    if (!hasKnownOperands(&op, converter))
      continue;
    Operation *last = body->empty() ? nullptr : &body->back();
    std::optional<LogicalResult> done = special ? special(&op) : std::nullopt;
    if (auto scan = dyn_cast<train::ScanOp>(op))
      done = convertLoop(scan, rules, converter);
    if (!done)
      done = rules.convert(&op, converter)
                 ? success()
                 : LogicalResult(op.emitError() << "expected a kernel for " << op.getName());
    status = success(succeeded(*done) && succeeded(status));
    copyProvenance(&op, body, last);
  }
  return status;
}

/// Converts a program.
static LogicalResult convertProgram(train::FuncOp func, ConversionRules &families,
                                    OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  kernel::ProgramOp program = createProgram(func, builder);
  Converter converter(builder);
  Updates updates(families, converter);
  Block *body = builder.createBlock(&program.getBody());
  for (BlockArgument arg : func.getArguments())
    converter.set(arg, body->addArgument(arg.getType(), arg.getLoc()));
  Block &ops = func.getBody().front();
  LogicalResult status =
      convertOps(ops, families, converter, [&](Operation *op) -> std::optional<LogicalResult> {
        auto update = dyn_cast<train::UpdateOp>(op);
        return update ? std::optional(updates.convert(update)) : std::nullopt;
      });
  Operation *end = ops.getTerminator();
  if (!hasKnownOperands(end, converter))
    return failure();
  Operation *last = body->empty() ? nullptr : &body->back();
  auto values =
      llvm::map_to_vector(end->getOperands(), [&](Value v) { return converter.tensor(v); });
  kernel::ReturnOp::create(builder, end->getLoc(), values);
  copyProvenance(end, body, last);
  return status;
}

namespace {
struct ConvertTrainToKernel : ampc::impl::ConvertTrainToKernelBase<ConvertTrainToKernel> {
  void runOnOperation() override {
    if (mlir::failed(checkHasOnlyLoops(getOperation(), getArgument())))
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
