// Contractions: sums of products, with the accumulator's type as the result's type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_CONTRACTION_OPS
#define AMPC_TRAIN_CONTRACTION_OPS
include "mlir-dialects/Train/TrainBase.td"

def Train_MatmulOp : Train_Op<"matmul", LowPrecision> {
  let summary = "Matrix product of the last two dimensions, batched over the leading ones";
  let doc = [{
    The result's element type is the accumulator's: operands of 16 bits need a result in f32. Leading
    dimensions are equal, or one operand has none.

    ```mlir
    %0 = train.matmul %a, %b transpose_rhs : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let assemblyFormat = [{$lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? attr-dict
                         `:` functional-type(operands, results)}];
  let saves = ["0", "1"];
  let hasVerifier = 1;
}
#endif
