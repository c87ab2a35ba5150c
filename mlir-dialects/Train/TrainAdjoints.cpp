// Adjoints longer than three lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

// C = op(A) op(B): dA = dC op(B)^T and dB = op(A)^T dC, transposed where the operand is. An operand
// without batch dimensions gets its sum over the batch from reduceTo.
SmallVector<Value> MatmulOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  bool ta = getTransposeLhs(), tb = getTransposeRhs();
  return {ta ? b.matmul(getRhs(), g, tb, true) : b.matmul(g, getRhs(), false, !tb),
          tb ? b.matmul(g, getLhs(), true, ta) : b.matmul(getLhs(), g, !ta, false)};
}
