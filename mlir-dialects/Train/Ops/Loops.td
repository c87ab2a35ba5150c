// Loops of a fixed number of rounds inside functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_LOOPS
#define AMPC_TRAIN_LOOPS
include "mlir-dialects/Train/Base.td"

def Train_ScanOp
    : Op<TrainDialect, "scan", [AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A loop over the rows of tensors, which carries values from round to round";
  let description = [{
    Runs the block once per row. `carry %h = %h0`: `%h` is `%h0` in the first round, and in every other round the
    value that the round before has passed to `train.next`. `over %x = %xs`: `%x` is a row of `%xs` along the leading
    dimension. `train.next` ends a round, with the next carried values and, behind `each`, the values to keep of every
    round. Results: the carried values after the last round, then per kept value the tensor of all rounds,
    `[rounds, ...]`. Values from outside are used by their names.

    * `times n`: the number of rounds; required without `over`.
    * `reverse`: from the last row to the first. The kept values of a round lie where the round's row lies.
    * `index %i`: the number of the row, an i32 of rank 0; in both directions 0 is the first row.
    * `checkpoint`: the backward pass recomputes the values of a round from the round's carried values and row;
      `checkpoint every k`: of k rounds at a time, from the carried values of the first. Differentiation makes of it
      a loop over blocks of k rounds, with the attribute `train.blocks`, around a loop of k rounds.

    Random numbers differ from round to round, and are the same for a longer loop. `train-unroll-scans` replaces the
    op by its rounds.

    Constraints:

    1. The number of rounds is 1 to 2^24.
    2. Tensors behind `over` have a row per round.
    3. A checkpoint has at least one round.
    4. Loops are nested at most 8 deep.
    5. The block's arguments are the index if there is one, the carried values, and the rows, in their types.
    6. The block ends with `train.next`.
    7. As many values are carried on as were carried in, of the same types.
    8. The results have the types of the carried values, then of the kept values with a leading dimension of rounds.
    9. The op has a result.
    10. The block, loops inside included, has no `train.write`, `train.seed` and `train.gradient`.

    ```mlir
    %last, %all = train.scan carry %h = %h0 over %x = %xs : tensor<4x8xf32>, tensor<35x4x8xf32> {
      %0 = train.add %h, %x : tensor<4x8xf32>, tensor<4x8xf32>
      %1 = train.tanh %0 : tensor<4x8xf32>
      train.next %1 each %1 : tensor<4x8xf32>, tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inits, Variadic<AnyRankedTensor>:$sequences,
      OptionalAttr<SignedI64Attr>:$times, UnitAttr:$reverse, UnitAttr:$indexed,
      OptionalAttr<SignedI64Attr>:$checkpoint);
  let results = (outs Variadic<AnyRankedTensor>:$outs);
  let regions = (region SizedRegion<1>:$body);
  let hasCanonicalizer = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t mostRounds = int64_t(1) << 24, mostNested = 8;
    /// Number of rounds: `times`, or the rows of the first sequence; 0 if neither tells.
    int64_t getRounds();
    /// The block's arguments: index (null if there is none), carried values, rows.
    ::mlir::Value getIndex();
    ::mlir::ValueRange getCarried();
    ::mlir::ValueRange getRows();
    NextOp getNext();
  }];
}
def Train_NextOp
    : Op<TrainDialect, "next", [AttrSizedOperandSegments, Pure, Terminator, HasParent<"ScanOp">]> {
  let summary = "Ends a round of a loop";
  let description = [{
    First the carried values of the next round, then the values that are kept of every round.

    ```mlir
    train.next %h each %y : tensor<4x8xf32>, tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$carried, Variadic<AnyRankedTensor>:$each);
  let assemblyFormat = "($carried^)? (`each` $each^)? attr-dict "
                       "custom<Types>(ref($carried), type($carried), ref($each), type($each))";
}
#endif
