// Gradients inside of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_GRADIENTS
#define AMPC_TRAIN_GRADIENTS
include "mlir-dialects/Train/Base.td"

def Train_GradOp : Op<TrainDialect, "grad", [Pure, InferTypeOpAdaptor]> {
  let summary = "The gradient of a scalar with respect to values on which the scalar depends";
  let description = [{
    Returns, for every value behind `wrt`, the derivative of `value` with respect to that value, in the value's
    type: along all paths from the source to `value` in this function, calls included. The rows of a batch are
    independent, so the gradient of their sum has the derivative of each row. The gradient can be differentiated
    again, by another `train.grad` or by a step. `train-expand-gradients` replaces the op by the backward pass,
    with a seed of 1 regardless of the loss scale. If `value` does not depend on a source, an error is emitted; a
    derivative that merely vanishes is 0.

    Constraints:

    1. `value` is a real scalar.
    2. There is a source, and no source is repeated.
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
