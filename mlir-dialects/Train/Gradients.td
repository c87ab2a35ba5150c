// Gradients inside of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_GRADIENTS
#define AMPC_TRAIN_GRADIENTS
include "mlir-dialects/Train/Base.td"

def Train_GradOp : Op<TrainDialect, "grad", [Pure, InferTypeOpAdaptor]> {
  let summary = "The gradient of a scalar with respect to values that it is computed from";
  let description = [{
    Gives, for every value behind `wrt`, the derivative of `value` with respect to it, in its type: of all that leads from it to `value` in this
    function, calls included. The rows of a batch are independent, so the gradient of their sum has the derivative of each row. The gradient is a value
    like any other: it can be differentiated again, by another `train.grad` or by a step. `train-expand-gradients` replaces the op by the
    backward pass, which begins with 1 whatever the loss scale is. It is an error if `value` does not depend on a source, and 0 if only the
    derivative vanishes.

    Constraints:

    1. `value` is a real scalar.
    2. There is a source, and each is there once.
    3. Sources are real.

    ```mlir
    %dx, %dt = train.grad %sum wrt %x, %t : tensor<f32>, tensor<4x8xf32>, tensor<4x1xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Variadic<AnyRankedTensor>:$sources);
  let results = (outs Variadic<AnyRankedTensor>:$gradients);
  let assemblyFormat = "custom<Differentiated>($value) `wrt` $sources attr-dict "
                       "custom<Types>(ref($value), type($value), ref($sources), type($sources))";
  let hasVerifier = 1;
}
#endif
