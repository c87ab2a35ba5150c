// Followers: copies and moving averages of parameters that a model reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_FOLLOW
#define AMPC_TRAIN_FOLLOW
include "mlir-dialects/Train/Base.td"

def Train_FollowOp : Op<TrainDialect, "follow", [HasParent<"ModelOp">]> {
  let summary = "Copy or moving average of parameters, updated behind a step: target networks, "
                "teachers";
  let description = [{
    `@target` and `@source` are parameters, or instances of one module. The parameters of the target have the first
    values of the source, are frozen, and follow the source behind every update of the step that trains the source:

        target = decay * target + (1 - decay) * source      with `decay`, as in Polyak averaging
        target = source                                     without

    With `every n` the target changes behind the updates n, 2n, 3n, ... of the step only. Real buffers of the target that
    no function of the step writes follow in the same way, and integer buffers are copied. A skipped step changes no
    target. `after @step` names the step where several steps train the source. Arithmetic is that of optimizers: f32, or
    f64 for parameters of f64.

    `train-expand-modules` replaces an op on instances by one op per parameter and buffer, and `train-expand-step` by
    the updates.

    Constraints:

    1. The op has a decay, an interval, or both.
    2. The decay is a number in [0, 1].
    3. The interval is at least 1.
    4. Target and source have different names.

    ```mlir
    train.follow @target of @online decay 0.995
    train.follow @frozen of @online every 1000 after @fit
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$target, FlatSymbolRefAttr:$source,
      OptionalAttr<F64Attr>:$decay, OptionalAttr<SignedI64Attr>:$every,
      OptionalAttr<FlatSymbolRefAttr>:$step);
  let assemblyFormat = [{$target `of` $source (`decay` custom<Decay>($decay)^)?
    (`every` custom<Every>($every)^)? (`after` $step^)? attr-dict}];
  let hasVerifier = 1;
}
#endif
