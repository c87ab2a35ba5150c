// Random numbers: functions of a state, a key and the number of the element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_RANDOM
#define AMPC_TRAIN_RANDOM
include "mlir-dialects/Train/Base.td"

defvar randomDoc = [{
    Philox4x32-10 (Salmon et al. 2011) of seed and counter, which are the two elements of the state, of `key`, and
    of the element's row-major number. Models omit state and key; `simplify` adds both. }];
defvar stateFormat = "(`state` `(` $state^ `)`)? (`key` $key^)? attr-dict ";

class Train_RandomOp<string mnemonic>
    : Train_Op<mnemonic, Passthrough,
               [DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>,
                RandomOpInterface]> {
  let doc = randomDoc;
  let results = (outs RealTensor:$result);
  let differentiable = 0;
  let hasVerifier = 1;
}
def Train_RandomUniformOp : Train_RandomOp<"random_uniform"> {
  let summary = "Uniform on [low, high), in steps of (high - low) / 2^24";
  let arguments = (ins Variadic<RandomState>:$state, F64Attr:$low, F64Attr:$high,
      DefaultValuedAttr<SignedI32Attr, "0">:$key);
  let assemblyFormat = !strconcat("`from` custom<Low>($low) `to` custom<High>($high) ", stateFormat,
                                  "`:` custom<ResultType>(type($result))");
  let example = "%u = train.random_uniform from -1.0 to 1.0 : tensor<4x8xf32>";
}
def Train_RandomNormalOp : Train_RandomOp<"random_normal"> {
  let summary = "Normal with the given mean and standard deviation (Box and Muller 1958)";
  let arguments = (ins Variadic<RandomState>:$state, F64Attr:$mean, F64Attr:$std,
      DefaultValuedAttr<SignedI32Attr, "0">:$key);
  let assemblyFormat = !strconcat("`mean` custom<Mean>($mean) `std` custom<Std>($std) ",
                                  stateFormat, "`:` custom<ResultType>(type($result))");
  let example = "%n = train.random_normal mean 0.0 std 1.0 : tensor<4x8xf32>";
}
def Train_RandomBernoulliOp : Train_RandomOp<"random_bernoulli"> {
  let summary = "Bernoulli distribution: 1 with the given probability, else 0";
  let range = [{ return Interval{0, 1}; }];
  let arguments = (ins Variadic<RandomState>:$state, F64Attr:$probability,
      DefaultValuedAttr<SignedI32Attr, "0">:$key);
  let assemblyFormat = !strconcat("custom<Probability>($probability) ", stateFormat,
                                  "`:` custom<ResultType>(type($result))");
  let example = "%m = train.random_bernoulli 0.5 : tensor<4x8xf32>";
}
def Train_DropoutOp : Train_Op<"dropout", Passthrough,
                               [AllTypesMatch<["x", "result"]>,
                                DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>,
                                RandomOpInterface, DeclareOpInterfaceMethods<ModalOpInterface>]> {
  let summary = "Dropout: 0 with probability `rate`, else x / (1 - rate) (Srivastava et al. 2014)";
  let doc = !strconcat(
      randomDoc,
      [{The identity in inference. The adjoint draws the same numbers again: no mask is saved. }]);
  let arguments = (ins RealTensor:$x, Variadic<RandomState>:$state, F64Attr:$rate,
      DefaultValuedAttr<SignedI32Attr, "0">:$key);
  let assemblyFormat =
      !strconcat("$x `rate` custom<Rate>($rate) ", stateFormat, "custom<Types>(ref($x), type($x))");
  let example = "%y = train.dropout %x rate 0.1 : tensor<4x8xf32>";
  let saves = ["1", "2"];
  let adjoint = [{
    return {b.op<DropoutOp>(g, getState(), getRate(), getKey()), Value(), Value()}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_StochasticRoundOp
    : Train_Op<"stochastic_round", Passthrough,
               [DeclareOpInterfaceMethods<ScalarOpInterface>,
                TypesMatchWith<"the operand in bf16", "x", "result",
                               "::llvm::cast<::mlir::RankedTensorType>($_self).clone(::mlir::"
                               "BFloat16Type::get($_self.getContext()))">]> {
  let summary = "Stochastic rounding to bf16: the mean over all draws is x";
  let doc = [{
    The probability of a neighbour falls linearly with distance, in steps of 2^-16: small additions to a large sum
    are not lost, unlike with rounding to nearest (Gupta et al. 2015). Random bits are Philox4x32-10 of `count`,
    `key` and the element's row-major index. Non-finite numbers, and numbers exact in bf16, are unchanged. }];
  let arguments = (ins RealTensor:$x, 0DTensorOf<[I64]>:$count, SignedI32Attr:$key);
  let assemblyFormat = "$x `count` $count `key` $key attr-dict `:` type($x) `,` type($count)";
  let example = "%y = train.stochastic_round %x count %n key 7 : tensor<4x8xf32>, tensor<i64>";
  let differentiable = 0;
}
#endif
