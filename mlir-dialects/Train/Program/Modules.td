// Modules: models inside a model, used under names of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_MODULES
#define AMPC_TRAIN_MODULES
include "mlir-dialects/Train/Base.td"

def Train_UseOp : Op<TrainDialect, "use"> {
  let summary = "Instance of a module";
  let description = [{
    A `train.model` inside a model is a module, with its own parameters, buffers, functions and modules.
    `train.use` instantiates a module. Parameters become `NAME.PARAMETER`, and with `times n`, `NAME.0.PARAMETER`
    to `NAME.n-1.PARAMETER`, with n from 1 to 10000. Sizes in parentheses override the sizes that the module
    declares. Parameters of a `frozen` instance are frozen. `train-expand-modules` replaces the op by the
    instance's parameters.

    Constraints:

    1. The op is in a `train.model`.
    2. Sizes are given by formulas.

    ```mlir
    train.use @block as @deep (rows = 4) times 3 frozen
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$module, StrAttr:$instance,
      OptionalAttr<DictionaryAttr>:$given, OptionalAttr<StrAttr>:$times, UnitAttr:$frozen);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def Train_ApplyOp : Op<TrainDialect, "apply"> {
  let summary = "Runs a function of a module instance";
  let description = [{
    The callee is the name of a `train.use`. The function is `@apply`, or the function of the module that `::`
    names. For a module with n instances, the functions run in sequence, each on the results of the previous
    function. With `checkpoint`, only the inputs of each function are kept for the backward pass, which recomputes
    the values inside. `train-expand-modules` replaces the op by the ops of the function.

    ```mlir
    %y = train.apply @layer(%x) checkpoint : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$operands,
      UnitAttr:$checkpoint);
  let results = (outs Variadic<AnyRankedTensor>:$outs);
  let assemblyFormat =
      "$callee `(` $operands `)` (`checkpoint` $checkpoint^)? attr-dict "
      "custom<ApplyTypes>(ref($callee), ref($operands), type($operands), type($outs))";
}
#endif
