// Modules: models inside a model, used under names of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_MODULES
#define AMPC_TRAIN_MODULES
include "mlir-dialects/Train/Base.td"

def Train_UseOp : Op<TrainDialect, "use"> {
  let summary = "A module under a name of its own";
  let description = [{
    A `train.model` inside a model is a module: parameters, buffers, functions and modules of its own. `train.use` makes one of it. Its
    parameters become `NAME.PARAMETER`, and with `times n` they become `NAME.0.PARAMETER` to `NAME.n-1.PARAMETER`. Sizes in parentheses take the place
    of those that the module declares. There can be 1 to 10000 of it. Parameters of a `frozen` one are frozen. `train-expand-modules` replaces it by its
    parameters.

    Constraints:

    1. It stands in a `train.model`.
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
  let summary = "Runs a function of a module in use";
  let description = [{
    The callee is a name that `train.use` gave. The function is `@apply`, or the one of its module that `::` names. Of a module that is there n
    times the functions run one after the other, each on the results of the one before. With `checkpoint`, what goes into each of them is kept for the
    backward pass, which makes the values inside again. `train-expand-modules` puts the ops of the function in its place.

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
