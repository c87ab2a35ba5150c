// kernel.fused_reduction: a kernel, and reductions over the stored results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Constraints.h"
#include "mlir-dialects/SourceWalk.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

KernelOpInterface FusedReductionOp::getKernel() {
  return cast<KernelOpInterface>(getLaunch().front().front());
}
/// Checks the launch region: one kernel, which writes the summed tensor.
static LogicalResult verifyLaunch(FusedReductionOp op) {
  Block &launch = op.getLaunch().front();
  auto kernel = dyn_cast<KernelOpInterface>(launch.front());
  if (!kernel || kernel.getOverwritten() || isa<FusedReductionOp>(launch.front()) ||
      launch.getOperations().size() != 2 ||
      llvm::to_vector(launch.getTerminator()->getOperands()) !=
          llvm::to_vector_of<Value>(kernel->getResults())) // 1.
    return op.emitOpError(
        "expected one kernel without overwritten operands, whose results are yielded");
  unsigned count = launch.getNumArguments();
  if (count > op.getInputs().size() ||
      launch.getArgumentTypes() != op.getInputs().take_front(count).getTypes()) // 2.
    return op.emitOpError("expected the kernel's arguments to be the first inputs");
  if (op.getNumResults() < kernel->getNumResults() ||
      kernel->getResultTypes() != op.getOuts().take_front(kernel->getNumResults()).getTypes()) // 3.
    return op.emitOpError("expected the kernel's results to be the first results");
  return success();
}

/// Collects the block arguments on which a value of the body depends.
static void findArguments(Value value, llvm::SmallSetVector<unsigned, 2> &arguments) {
  SourceWalk().visit(value, [&](Value source) {
    if (auto argument = dyn_cast<BlockArgument>(source))
      arguments.insert(argument.getArgNumber());
    return true;
  });
}

LogicalResult FusedReductionOp::verifyRegions() {
  if (failed(verifyLaunch(*this)))
    return failure();
  KernelOpInterface kernel = getKernel();
  Block &body = getBody().front();
  SmallVector<Type> expected;
  for (Type type : kernel->getResultTypes())
    expected.push_back(tensorOf(type).getElementType());
  for (Type type : getInputs().drop_front(getLaunch().getNumArguments()).getTypes()) {
    if (tensorOf(type).getNumElements() != 1) // 4.
      return emitOpError() << "expected a scalar beside the kernel's inputs, but got " << type;
    expected.push_back(tensorOf(type).getElementType());
  }
  if (llvm::to_vector(body.getArgumentTypes()) != expected) // 5.
    return emitOpError("expected a body on one element of every result, then of every scalar");
  if (failed(verifyScalarCode(*this, body))) // 6.
    return failure();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != getNumReductions()) // 7.
    return emitOpError() << "expected a body that yields " << getNumReductions() << " values";
  for (auto [value, type] :
       llvm::zip(yield.getValues(), getOuts().drop_front(kernel->getNumResults()).getTypes())) {
    auto reduced = tensorOf(type);
    if (reduced.getNumElements() != 1 || reduced.getElementType() != value.getType()) // 8.
      return emitOpError() << "expected a reduction of one " << value.getType() << ", but got "
                           << type;
    if (isa<FloatType>(value.getType()) &&
        failed(verifyAccumulator(*this, value.getType(), value.getType()))) // 9.
      return failure();
    llvm::SmallSetVector<unsigned, 2> arguments;
    findArguments(value, arguments);
    arguments.remove_if([&](unsigned i) { return i >= kernel->getNumResults(); });
    if (arguments.size() != 1 || !kernel.canFuseReductions(arguments.front())) // 10.
      return emitOpError() << "expected every reduction to depend on one result that "
                           << kernel->getName() << " writes once";
  }
  return success();
}
