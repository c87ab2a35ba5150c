// The update of one parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_UPDATE
#define AMPC_TRAIN_UPDATE
include "mlir-dialects/Train/Base.td"

// A tensor of rank 0 and one type.
class NumberOf<I element, string build>
    : Type<And<[0DTensorOf<[element]>.predicate]>, "tensor<"#element.summary#">">,
      BuildableType<"::mlir::RankedTensorType::get({}, "#build#")">;
def StepCount : NumberOf<I64, "$_builder.getI64Type()">;
def Condition : NumberOf<I1, "$_builder.getI1Type()">;

def Train_UpdateOp
    : Train_CompositeOp<"update", Promote,
                        [MadeByPasses, AttrSizedOperandSegments, InferTypeOpAdaptor,
                         AllTypesMatch<["param", "gradient"]>,
                         TypesMatchWith<"a number of the parameter's type", "param", "rate",
                                        "::mlir::RankedTensorType::get({}, "
                                        "::mlir::getElementTypeOrSelf($_self))">]> {
  let summary = "An optimizer's rule on one parameter, or on rows of one";
  let arguments = (ins RealTensor:$param, RealTensor:$gradient, Variadic<RealTensor>:$moments,
      StepCount:$count, 0DTensorOf<[F64, F32, BF16, F16]>:$rate, Optional<Condition>:$skip,
      OptimizerAttrInterface:$rule, OptionalAttr<DenseI32ArrayAttr>:$keys);
  let results = (outs RealTensor:$new_param, Variadic<RealTensor>:$new_moments);
  let assemblyFormat =
      "$param `from` $gradient (`moments` `(` $moments^ `:` type($moments) `)`)? `count` $count "
      "`rate` $rate (`unless` $skip^)? `by` $rule (`keys` $keys^)? attr-dict `:` type($param)";
  let description = "    "#[{
    Gives the new parameter and its new moments. `count` is how many updates there were before, and `rate` the learning rate after the schedule.
    Moments of another type than the parameter's are cast for the rule and back behind it: to bf16 stochastically (see
    `train.stochastic_round`), each with its key. Where `skip` is true the results are what was there before.

    One op stands for the rule's some twenty until kernels are made: a step has one per parameter, and every phase before would walk all of them.

    Constraints:

    1. There are as many moments as the rule names, in the shape that it gives them.
    2. Moments are of one type.
    3. There is a key per moment if moments are rounded stochastically, and else none.

    ```mlir
    %p1, %m1, %v1 = train.update %p from %g moments(%m, %v : tensor<4x8xf32>, tensor<4x8xf32>) count %n rate %lr
        by #train.adamw<lr = 1.0e-3> : tensor<4x8xf32>
    ```
  }]#precisionText#" Not differentiable.\n";
  let extraClassDeclaration = [{
    /// What a result replaces.
    ::mlir::Value getOld(unsigned result) {
      return result == 0 ? getParam() : getMoments()[result - 1];
    }
  }];
  let hasVerifier = 1;
}
#endif
