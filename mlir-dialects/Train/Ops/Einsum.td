// Sums of products of tensors by the letters of their dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_EINSUM
#define AMPC_TRAIN_EINSUM
include "mlir-dialects/Train/Base.td"
include "mlir-dialects/Train/Program/BatchDimension.td"

def Train_EinsumOp
    : Train_CompositeOp<"einsum", LowPrecision,
                        [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>,
                         DeclareOpInterfaceMethods<BatchDimensionOpInterface, ["keepsBlocks"]>,
                         DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Einstein summation: sum of products of the operands over letters absent from "
                "the result";
  let doc = [{
    The equation has a letter per dimension of every operand, and of the result behind `->`; without `->`, the
    result has the letters that occur once, in alphabetical order. A repeated letter of an operand takes the
    diagonal. `...` stands for dimensions that broadcast, as in NumPy. Operands are multiplied from left to right,
    each time as one batched matrix product. Example: "bi,io->bo" is a linear layer. }];
  let arguments = (ins StrAttr:$equation, Variadic<RealTensor>:$operands);
  let assemblyFormat =
      "$equation $operands attr-dict custom<Types>(ref($operands), type($operands))";
  let example = "%y = train.einsum \"bij,bjk->bik\" %a, %b : tensor<2x4x8xf32>, tensor<2x8x3xf32>";
  let parts = "`train.transpose`, `train.matmul` and `train.reduce_sum`";
}
#endif
