// Verification of kernel.multi_map, and access to its members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/MultiMap.h"
#include "mlir-dialects/Kernel/Constraints.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

#define GET_OP_CLASSES
#include "mlir-dialects/Kernel/MultiMapOps.cpp.inc"

OperandRange MultiMapOp::inputsOf(unsigned member) {
  unsigned count = getInputs().size() / getMembers();
  return getInputs().slice(member * count, count);
}
ResultRange MultiMapOp::resultsOf(unsigned member) {
  unsigned count = getOuts().size() / getMembers();
  return getOuts().slice(member * count, count);
}
int64_t MultiMapOp::pointsOf(unsigned member) {
  return tensorOf(resultsOf(member).front()).getNumElements();
}
unsigned MultiMapOp::memberOf(OpResult result) {
  return result.getResultNumber() / (getOuts().size() / getMembers());
}
unsigned MultiMapOp::memberOf(OpOperand &input) {
  return (input.getOperandNumber() - getShared().size()) / (getInputs().size() / getMembers());
}

static bool hasElementTypes(ValueRange tensors, TypeRange types) {
  return llvm::all_of(llvm::zip_equal(tensors, types), [](auto pair) {
    return tensorOf(std::get<0>(pair)).getElementType() == std::get<1>(pair);
  });
}

static LogicalResult verifyMember(MultiMapOp op, unsigned member) {
  OperandRange inputs = op.inputsOf(member);
  ResultRange results = op.resultsOf(member);
  int64_t points = op.pointsOf(member);
  for (Value tensor :
       llvm::concat<Value>(llvm::to_vector_of<Value>(inputs), llvm::to_vector_of<Value>(results)))
    if (tensorOf(tensor).getNumElements() != points) // 3.
      return op.emitOpError() << "expected tensors of " << points << " elements in member "
                              << member << ", but got " << tensor.getType();
  Block &body = op.getBody().front();
  TypeRange arguments = body.getArgumentTypes();
  if (!hasElementTypes(op.getShared(), arguments.take_front(op.getShared().size())) ||
      !hasElementTypes(inputs, arguments.drop_front(op.getShared().size()))) // 4.
    return op.emitOpError() << "expected a body's argument of the elements' type for each shared "
                               "tensor and each input of member "
                            << member << ", but got " << arguments;
  if (!hasElementTypes(results, body.getTerminator()->getOperandTypes())) // 6.
    return op.emitOpError() << "expected results of the yielded types in member " << member
                            << ", but got " << results.getTypes();
  return success();
}

LogicalResult MultiMapOp::verify() {
  uint64_t members = getMembers();
  if (members < 2 || getInputs().size() % members || getOuts().empty() ||
      getOuts().size() % members) // 1.
    return emitOpError() << "expected at least two members, with equally many inputs and at least "
                            "one result each, but got "
                         << members << " members of " << getInputs().size() << " inputs and "
                         << getOuts().size() << " results";
  for (Value tensor : getShared())
    if (tensorOf(tensor).getNumElements() != 1) // 2.
      return emitOpError() << "expected shared tensors of one element, but got "
                           << tensor.getType();
  Block &body = getBody().front();
  if (body.getNumArguments() != getShared().size() + inputsOf(0).size()) // 4.
    return emitOpError() << "expected a body of " << getShared().size() + inputsOf(0).size()
                         << " arguments, but got " << body.getNumArguments();
  if (failed(verifyScalarCode(*this, body))) // 5.
    return failure();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield->getNumOperands() != resultsOf(0).size()) // 6.
    return emitOpError() << "expected a body that yields " << resultsOf(0).size() << " values";
  for (unsigned member = 0; member < members; ++member)
    if (failed(verifyMember(*this, member)))
      return failure();
  return success();
}
