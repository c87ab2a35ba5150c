// The kernels of a file, with reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/IR/IRMapping.h"
#include "test/lib/KernelRun/Case.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

/// Fused reductions of an element x: 1, x^2 in f64, and 0 unless x is not finite. Example: 3 -> 1,
/// 9, 0.
static void buildTotals(OpBuilder &b, Location loc, Value element, SmallVectorImpl<Value> &sums) {
  auto type = cast<FloatType>(element.getType());
  Type wide = type.getWidth() < 32 ? b.getF32Type() : Type(type);
  if (type != wide)
    element = arith::ExtFOp::create(b, loc, wide, element);
  auto constant = [&](double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, value));
  };
  Value none = arith::MulFOp::create(b, loc, element, constant(0));
  Value exact = type.isF64() ? element : arith::ExtFOp::create(b, loc, b.getF64Type(), element);
  sums.push_back(arith::AddFOp::create(b, loc, none, constant(1)));
  sums.push_back(arith::MulFOp::create(b, loc, exact, exact));
  sums.push_back(none);
}

/// Adds reductions to a kernel that supports reductions.
void test::addReductions(KernelOpInterface kernel) {
  auto elementAt = [&](unsigned k) { return elementOf(kernel->getResult(k).getType()); };
  auto wanted =
      llvm::filter_to_vector(llvm::seq<unsigned>(0, kernel->getNumResults()), [&](unsigned k) {
        return kernel.canFuseReductions(k) && isa<FloatType>(elementAt(k));
      });
  if (wanted.empty())
    return;
  Location loc = kernel->getLoc();
  Region launch, body;
  OpBuilder b(kernel);
  Block *block = b.createBlock(&launch);
  IRMapping map;
  for (Value operand : kernel->getOperands())
    if (!map.contains(operand))
      map.map(operand, block->addArgument(operand.getType(), loc));
  auto inputs = llvm::to_vector(SetVector<Value>(kernel->operand_begin(), kernel->operand_end()));
  kernel::YieldOp::create(b, loc, b.clone(*kernel, map)->getResults());
  b.createBlock(&body);
  SmallVector<Value> sums;
  for (unsigned k = 0; k < kernel->getNumResults(); ++k)
    body.addArgument(elementAt(k), loc);
  for (unsigned k : wanted)
    buildTotals(b, loc, body.getArgument(k), sums);
  kernel::YieldOp::create(b, loc, sums);
  SmallVector<Type> types(kernel->getResultTypes());
  for (Value sum : sums)
    types.push_back(RankedTensorType::get({}, sum.getType()));
  b.setInsertionPoint(kernel);
  auto op = kernel::FusedReductionOp::create(b, loc, types, inputs, /*parts=*/1);
  op->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  op.getLaunch().takeBody(launch);
  op.getBody().takeBody(body);
  kernel->replaceAllUsesWith(op->getResults().take_front(kernel->getNumResults()));
  kernel->erase();
}
