// kernel.multi_map as a kernel.map per member.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/IR/IRMapping.h"
#include "test/lib/KernelRun/Interpreter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

static Type flatType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return RankedTensorType::get({type.getNumElements()}, type.getElementType());
}

/// Map of a member. Arguments of `block` are the operands: shared tensors [1], then inputs
/// [points].
static kernel::MapOp createMap(kernel::MultiMapOp op, unsigned member, Block &block) {
  OpBuilder b(op.getContext());
  b.setInsertionPointToEnd(&block);
  auto every = b.getMultiDimIdentityMap(1);
  auto first = AffineMap::get(1, 0, b.getAffineConstantExpr(0));
  SmallVector<AffineMap> inputMaps(op.getShared().size(), first);
  inputMaps.append(op.inputsOf(member).size(), every);
  for (Value tensor : op.getShared())
    block.addArgument(flatType(tensor), op.getLoc());
  for (Value tensor : op.inputsOf(member))
    block.addArgument(flatType(tensor), op.getLoc());
  SmallVector<Type> types;
  for (Value result : op.resultsOf(member))
    types.push_back(flatType(result));
  auto map = kernel::MapOp::create(
      b, op.getLoc(), types, block.getArguments(), b.getDenseI64ArrayAttr(op.pointsOf(member)),
      b.getAffineMapArrayAttr(inputMaps),
      b.getAffineMapArrayAttr(SmallVector<AffineMap>(types.size(), every)));
  IRMapping mapping;
  op.getBody().cloneInto(&map.getBody(), mapping);
  return map;
}

bool test::interpretMembers(kernel::MultiMapOp op, ArrayRef<Elements> inputs,
                            std::vector<Elements> &results) {
  results.clear();
  unsigned shared = op.getShared().size();
  for (unsigned member = 0; member < op.getMembers(); ++member) {
    unsigned count = op.inputsOf(member).size();
    std::vector<Elements> own(inputs.begin(), inputs.begin() + shared), outs;
    llvm::append_range(own, inputs.slice(shared + member * count, count));
    Block block;
    if (!interpret(createMap(op, member, block), own, outs))
      return false;
    llvm::append_range(results, outs);
  }
  return true;
}
