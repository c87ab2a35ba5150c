// Fused reductions: sums over whole gradients are formed by the kernels that write the gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELFUSEREDUCTIONS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
/// A kernel whose only purpose is to sum over result number `result` of the gradient's kernel.
struct FusibleReduction {
  FusedKernelOpInterface op;
  unsigned result;
  GradientReduction sum;
};

class ReductionFusion {
public:
  ReductionFusion(BlockRewriter &rewriter, KernelOpInterface kernel, bool explain)
      : rewriter(rewriter), kernel(kernel), explain(explain) {}
  void run();

private:
  void findConsumers(Value value, unsigned result);
  void explainSeparatePass(Operation *consumer, const Twine &why);
  /// Whether the scalars that the reader uses are known when the kernel runs.
  bool scalarsAreAvailable(const FusibleReduction &consumer);
  kernel::FusedReductionOp create();
  void addTerms(OpBuilder &builder, kernel::FusedReductionOp op);

  BlockRewriter &rewriter;
  KernelOpInterface kernel;
  bool explain;
  SmallVector<FusibleReduction> consumers;
  SetVector<Value> scalars; ///< operands of the readers beside the gradients
};
} // namespace

void ReductionFusion::explainSeparatePass(Operation *consumer, const Twine &why) {
  if (explain)
    consumer->emitRemark() << "adds up a gradient in a separate pass: " << why;
}

void ReductionFusion::findConsumers(Value value, unsigned result) {
  for (Operation *user : value.getUsers()) {
    if (auto view = dyn_cast<kernel::ViewOp>(user)) {
      findConsumers(view, result);
      continue;
    }
    if (auto sum = GradientReduction::of(rewriter, user))
      consumers.push_back({cast<FusedKernelOpInterface>(user), result, *sum});
    else if (elements(shapeOf(value)) > 1 && isSum(user) && !leadsToLoss(rewriter, user))
      explainSeparatePass(user,
                          !kernel.canFuseReductions(result)
                              ? kernel->getName().getStringRef() + " cannot add up its results"
                          : GradientReduction::inAnyOrder(rewriter, user)
                              ? "bits depend on the order of the sum"
                              : "the op does more than add up");
  }
}

/// Moves the ops that compute a scalar before `position`. False if the scalar depends on
/// `position`.
static bool computeBefore(BlockRewriter &rewriter, Value scalar, Operation *position) {
  bool isPossible = true;
  auto comesLater = [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (!isPossible || !source || rewriter.isBefore(source, position))
      return false;
    isPossible = source != position && elements(shapeOf(value)) == 1;
    return isPossible;
  };
  SourceWalk().visit(scalar, comesLater, [&](Value value) {
    if (isPossible)
      rewriter.moveOpBefore(value.getDefiningOp(), position);
  });
  return isPossible;
}

bool ReductionFusion::scalarsAreAvailable(const FusibleReduction &consumer) {
  return llvm::all_of(consumer.op->getOperands(), [&](Value operand) {
    return operand == consumer.sum.gradient->get() || computeBefore(rewriter, operand, kernel);
  });
}

/// Creates the kernel with a fused reduction per term of its readers.
kernel::FusedReductionOp ReductionFusion::create() {
  OpBuilder builder(kernel);
  SetVector<Value> own(kernel->operand_begin(), kernel->operand_end());
  SmallVector<Type> types(kernel->getResultTypes());
  SmallVector<Operation *> parts{kernel};
  for (FusibleReduction &consumer : consumers) {
    for (Value operand : consumer.op->getOperands())
      if (operand != consumer.sum.gradient->get())
        scalars.insert(operand);
    llvm::append_range(types, consumer.op->getResultTypes());
    parts.push_back(consumer.op);
  }
  auto inputs = llvm::to_vector(llvm::concat<const Value>(own, scalars));
  auto locations = llvm::map_to_vector(parts, [](Operation *part) { return part->getLoc(); });
  auto op = kernel::FusedReductionOp::create(builder, builder.getFusedLoc(locations), types, inputs,
                                             /*parts=*/1);
  op->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  joinOrigins(op, parts);
  IRMapping arguments;
  Block *launch = builder.createBlock(&op.getLaunch());
  for (Value value : own)
    arguments.map(value, launch->addArgument(value.getType(), value.getLoc()));
  Operation *inner = builder.clone(*kernel, arguments);
  inner->setDiscardableAttrs(builder.getDictionaryAttr({}));
  kernel::YieldOp::create(builder, kernel->getLoc(), inner->getResults());
  Block *body = builder.createBlock(&op.getBody());
  for (Value value : llvm::concat<Value>(llvm::to_vector_of<Value>(kernel->getResults()),
                                         llvm::to_vector(scalars)))
    body->addArgument(getElementTypeOrSelf(value), value.getLoc());
  addTerms(builder, op);
  return op;
}

/// Clones the terms of the readers' sums onto the elements of the kernel's results.
void ReductionFusion::addTerms(OpBuilder &builder, kernel::FusedReductionOp op) {
  Block &body = op.getBody().front();
  auto argumentOf = [&](const FusibleReduction &consumer, OpOperand &operand) {
    return body.getArgument(&operand == consumer.sum.gradient
                                ? consumer.result
                                : kernel->getNumResults() +
                                      (llvm::find(scalars, operand.get()) - scalars.begin()));
  };
  SmallVector<Value> terms;
  for (FusibleReduction &consumer : consumers) {
    IRMapping values;
    Block &from = consumer.op.getBody().front();
    for (auto [operand, argument] : llvm::zip(consumer.op->getOpOperands(), from.getArguments()))
      values.map(argument, argumentOf(consumer, operand));
    for (Operation &term : from.without_terminator())
      if (!isa<kernel::RowReduceOp>(term))
        builder.clone(term, values);
    for (Value term : consumer.sum.terms)
      terms.push_back(values.lookup(term));
  }
  kernel::YieldOp::create(builder, op.getLoc(), terms);
}

void ReductionFusion::run() {
  for (OpResult result : kernel->getResults())
    findConsumers(result, result.getResultNumber());
  llvm::sort(consumers, [&](const FusibleReduction &a, const FusibleReduction &b) {
    return rewriter.isBefore(a.op, b.op);
  });
  llvm::erase_if(consumers, [&](const FusibleReduction &consumer) {
    if (scalarsAreAvailable(consumer))
      return false;
    explainSeparatePass(consumer.op,
                        "a factor of the elements is not known when the gradient is written");
    return true;
  });
  if (consumers.empty())
    return;
  kernel::FusedReductionOp op = create();
  unsigned number = kernel->getNumResults();
  for (FusibleReduction &consumer : consumers)
    for (Value result : consumer.op->getResults())
      result.replaceAllUsesWith(op.getResult(number++));
  for (FusibleReduction &consumer : consumers)
    rewriter.eraseOp(consumer.op);
  kernel->replaceAllUsesWith(op->getResults().take_front(kernel->getNumResults()));
  rewriter.eraseOp(kernel);
}

namespace {
struct KernelFuseReductions : ampc::impl::KernelFuseReductionsBase<KernelFuseReductions> {
  using KernelFuseReductionsBase::KernelFuseReductionsBase;
  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>()) {
      BlockRewriter rewriter(&getContext());
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(program.getBody().front())))
        if (op.hasAttr("kernel.barrier"))
          ReductionFusion(rewriter, cast<KernelOpInterface>(op), explain).run();
    }
  }
};
} // namespace
