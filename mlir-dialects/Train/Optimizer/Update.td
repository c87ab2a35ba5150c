// The update of one parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_UPDATE
#define AMPC_TRAIN_UPDATE
include "mlir-dialects/Train/Base.td"

def Train_UpdateOp
    : Op<TrainDialect, "update",
         [Pure, MadeByPasses, AttrSizedOperandSegments, InferTypeOpAdaptor,
          TypesMatchWith<"the parameter's shape in the type of its rule", "param", "gradient",
                         "::ampc::typeOfRule($_self)">,
          TypesMatchWith<"a number of the type of the rule", "param", "rate",
                         "::mlir::RankedTensorType::get({}, "
                         "::mlir::getElementTypeOrSelf(::ampc::typeOfRule($_self)))">,
          DeclareOpInterfaceMethods<PrecisionOpInterface, precisionMethods>,
          DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>]>,
      TensorOpFacts<Promote> {
  let summary = "An optimizer's update rule on a parameter, or on rows of a parameter";
  let arguments = (ins RealTensor:$param, RealTensor:$gradient, Variadic<RealTensor>:$moments,
      0DTensorOf<[I64]>:$count, 0DTensorOf<[F64, F32, BF16, F16]>:$rate,
      Variadic<0DTensorOf<[F64, F32, BF16, F16]>>:$numbers, Optional<0DTensorOf<[I1]>>:$skip,
      OptimizerAttrInterface:$rule, OptionalAttr<StrArrayAttr>:$names,
      OptionalAttr<DenseI32ArrayAttr>:$keys, OptionalAttr<SignedI32Attr>:$param_key,
      OptionalAttr<TypeAttr>:$products);
  let results = (outs RealTensor:$new_param, Variadic<RealTensor>:$new_moments);
  let assemblyFormat = [{
    $param `by` $rule `from` $gradient (`moments` `(` $moments^ `)`)? `count` $count `rate` $rate (`numbers` $names^ `(` $numbers `)`)? (`unless` $skip^)? (`keys` $keys^)?
      (`param_key` $param_key^)? (`products` $products^)? attr-dict custom<UpdateTypes>(ref($param), type($param), ref($gradient), type($gradient), ref($moments), type($moments),
                                    ref($count), type($count), ref($rate), type($rate), ref($numbers), type($numbers), ref($skip), type($skip))}];
  let description = "    "#[{
    Returns the new parameter and the new moments. `count` is the number of previous updates, and `rate` the
    learning rate after the schedule. `numbers` are values in place of the rule's numbers of these `names`, from knobs
    or a schedule: `numbers ["momentum"] (%m)`. A rule computes in f64 on a parameter of f64, and in f32 on all other types: an eps of 1e-8 and the square of a small
    gradient are 0 in f16. Matrix products of the rule round operands to `products`, and sum in the rule's type.
    Parameters and moments of another type are cast for the rule and back behind it: moments to bf16 stochastically
    (see `train.stochastic_round`), each with its key, a parameter in 16 bits to the nearest, or by
    `train.round_weight` with `param_key`. If `skip` is true, the results are the old values.

    A single op represents the rule's twenty or so ops until kernels are created: a step has an update per
    parameter, and every earlier phase would walk all ops of all rules.

    Constraints:

    1. There are as many moments as the rule names.
    2. Moments are of one type, in the shapes that the rule defines.
    3. There is a key per moment if moments are rounded stochastically, else no key.
    4. Each of `numbers` has a name of its own, of a number of the rule that may vary, and the rate's type.
    5. Only a rule that multiplies matrices has `products`, which are bf16 or f16.
    6. Only a parameter in bf16 or f16 has a `param_key`.

    ```mlir
    %p1, %v1 = train.update %p by #train.sgd<lr = 1.0e-3, momentum = 0.9> from %g moments(%v) count %n rate %lr : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>
    ```
  }]#precisionText#" Not differentiable.\n";
  let extraClassDeclaration = [{
    /// Names of the numbers of the rule that have values in their place.
    ::llvm::SmallVector<::llvm::StringRef> getNumberNames();
    /// Old value of a result: the parameter, or a moment.
    ::mlir::Value getOld(unsigned result) {
      return result == 0 ? getParam() : getMoments()[result - 1];
    }
  }];
  let extraClassDefinition =
      precisionCode#"bool $cppClass::isComposite() { return false; } // it has kernels\n";
  let hasVerifier = 1;
}
def Train_RoundWeightOp
    : Train_Op<"round_weight", Passthrough,
               [DeclareOpInterfaceMethods<ScalarOpInterface>, AllShapesMatch<["x", "result"]>]> {
  let summary = "Stochastic rounding to bf16 or f16: the mean over all draws is x";
  let doc = [{
    The new value of a parameter in 16 bits, where the step says `weight_rounding = "stochastic"`. As
    `train.stochastic_round`, in either type: the probability of a neighbour falls linearly with distance, in steps
    of 2^-16 in bf16, of 2^-13 in f16, and of 2^-24 among the denormal numbers of f16. Random bits are
    Philox4x32-10 of `count`, `key` and the element's row-major index. Non-finite numbers, and numbers exact in the
    type, are unchanged. Beyond 65504 f16 has no neighbour: numbers round to 65504 below 65520, and to infinity
    from 65520 on, as with rounding to nearest. }];
  let arguments = (ins RealTensor:$x, 0DTensorOf<[I64]>:$count, SignedI32Attr:$key);
  let results = (outs RankedTensorOf<[BF16, F16]>:$result);
  let assemblyFormat =
      "$x `count` $count `key` $key attr-dict `:` type($x) `,` type($count) `to` type($result)";
  let example = "%y = train.round_weight %x count %n key 7 : tensor<4x8xf32>, tensor<i64> to "
                "tensor<4x8xf16>";
  let differentiable = 0;
}
#endif
