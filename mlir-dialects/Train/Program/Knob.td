// Knobs: numbers of the state that callers change between calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_KNOB
#define AMPC_TRAIN_KNOB
include "mlir-dialects/Train/Base.td"

def Train_KnobOp : Op<TrainDialect, "knob",
                      [Symbol, HasParent<"ModelOp">, StateOpInterface,
                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Number of the state that callers change between calls, within a range";
  let description = [{
    A scalar that functions read and `train.write` does not change: `ampc train --knob`, `NAME_set` of the library
    and checkpoints set the number without another compilation, and refuse a number outside of [low, high]. `%temperature` is the
    value inside of functions, and `@temperature` stands in place of an operand wherever a number does. All
    iterations, micro-batches and ranks of one call read one number. The type is f32 unless the text says f64:
    `train.knob @t : f64[] = 1.0 in [0, 10]`.

    With `schedule ... of @fit` the value in step n of @fit is the first value times the factor of the schedule at n,
    limited to the range; the step writes the value, which later evaluations read. train-expand-step removes the
    schedule.

    Constraints:

    1. The knob is a scalar of f32 or f64.
    2. The bounds are finite numbers of the type, the lower one below the upper one.
    3. The first value is `#train.fill`, a number in the range.
    4. A schedule is of a step of the model.

    ```mlir
    train.knob @temperature = 1.0 in [0.0, 10.0]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type,
      InitAttrInterface:$init, F64Attr:$low, F64Attr:$high,
      OptionalAttr<ScheduleAttrInterface>:$schedule, OptionalAttr<FlatSymbolRefAttr>:$step);
  let assemblyFormat =
      "$sym_name custom<Knob>($type, $init, $low, $high) `` custom<KnobSchedule>($schedule, $step) attr-dict";
  let hasVerifier = 1;
}
#endif
