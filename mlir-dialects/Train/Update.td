// The update of one parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_UPDATE
#define AMPC_TRAIN_UPDATE
include "mlir-dialects/Train/Base.td"

def Train_UpdateOp
    : Op<TrainDialect, "update",
         [Pure, MadeByPasses, AttrSizedOperandSegments, InferTypeOpAdaptor,
          AllTypesMatch<["param", "gradient"]>,
          TypesMatchWith<"a number of the parameter's type", "param", "rate",
                         "::mlir::RankedTensorType::get({}, ::mlir::getElementTypeOrSelf($_self))">,
          DeclareOpInterfaceMethods<PrecisionOpInterface, precisionMethods>,
          DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>]>,
      TensorOpFacts<Promote> {
  let summary = "An optimizer's rule on one parameter, or on rows of one";
  let arguments = (ins RealTensor:$param, RealTensor:$gradient, Variadic<RealTensor>:$moments,
      0DTensorOf<[I64]>:$count, 0DTensorOf<[F64, F32, BF16, F16]>:$rate,
      Optional<0DTensorOf<[F64, F32, BF16, F16]>>:$momentum, Optional<0DTensorOf<[I1]>>:$skip,
      OptimizerAttrInterface:$rule, OptionalAttr<DenseI32ArrayAttr>:$keys,
      OptionalAttr<TypeAttr>:$products);
  let results = (outs RealTensor:$new_param, Variadic<RealTensor>:$new_moments);
  let assemblyFormat = [{
    $param `by` $rule `from` $gradient (`moments` `(` $moments^ `)`)? `count` $count `rate` $rate (`momentum` $momentum^)? (`unless` $skip^)? (`keys` $keys^)?
      (`products` $products^)? attr-dict custom<UpdateTypes>(ref($param), type($param), ref($gradient), type($gradient), ref($moments), type($moments),
                                    ref($count), type($count), ref($rate), type($rate), ref($momentum), type($momentum), ref($skip), type($skip))}];
  let description = "    "#[{
    Gives the new parameter and its new moments. `count` is how many updates there were before, and `rate` the learning rate after the schedule. `momentum` takes the place of
    the rule's momentum or first decay rate. Where the rule multiplies matrices, it does so with operands rounded to `products` and sums in the parameter's type.
    Moments of another type than the parameter's are cast for the rule and back behind it: to bf16 stochastically (see
    `train.stochastic_round`), each with its key. Where `skip` is true the results are what was there before.

    One op stands for the rule's some twenty until kernels are made: a step has one per parameter, and every phase before would walk all of them.

    Constraints:

    1. There are as many moments as the rule names.
    2. They are of one type, in the shape that the rule gives them.
    3. There is a key per moment if moments are rounded stochastically, and else none.
    4. Only a rule that takes a momentum is given one, of the rate's type.
    5. Only a rule that multiplies matrices has `products`, which are bf16 or f16.

    ```mlir
    %p1, %v1 = train.update %p by #train.sgd<lr = 1.0e-3, momentum = 0.9> from %g moments(%v) count %n rate %lr : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>
    ```
  }]#precisionText#" Not differentiable.\n";
  let extraClassDeclaration = [{
    /// What a result replaces.
    ::mlir::Value getOld(unsigned result) {
      return result == 0 ? getParam() : getMoments()[result - 1];
    }
  }];
  let extraClassDefinition =
      precisionCode#"bool $cppClass::isComposite() { return false; } // it has kernels\n";
  let hasVerifier = 1;
}
#endif
