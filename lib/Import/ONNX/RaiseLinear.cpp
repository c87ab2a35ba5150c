// Restoration of linear layers from product and bias: autocast runs a linear layer, bias included,
// in 16 bits, but a separate addition in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Whether `product` is x [..., in] times a weight [in, out], without other consumers.
static bool isLayer(Value product) {
  if (!product.hasOneUse())
    return false;
  if (auto linear = product.getDefiningOp<train::LinearOp>())
    return !linear.getBias();
  auto matmul = product.getDefiningOp<train::MatmulOp>();
  return matmul && !matmul.getTransposeLhs() && !matmul.getTransposeRhs() &&
         tensorOf(matmul.getRhs()).getRank() == 2;
}

Operation *ampc::onnx::raiseLinear(Operation *root) {
  if (!isa<train::AddOp>(root))
    return nullptr;
  auto type = tensorOf(root->getResult(0));
  for (unsigned i : {0, 1}) {
    Value product = root->getOperand(i), bias = root->getOperand(1 - i);
    if (isLayer(product) && product.getType() == type &&
        tensorOf(bias).getShape() == type.getShape().take_back())
      return makeBefore(
          root, train::LinearOp::getOperationName(),
          {product.getDefiningOp()->getOperand(0), product.getDefiningOp()->getOperand(1), bias},
          {}, type);
  }
  return nullptr;
}
