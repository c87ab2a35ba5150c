// Attention and its gradient as single ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_ATTENTION
#define AMPC_TRAIN_ATTENTION
include "mlir-dialects/Train/Base.td"

def Train_AttentionOp
    : Train_Op<"attention", LowPrecision,
               [DeclareOpInterfaceMethods<BatchedOpInterface>,
                DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>]> {
  let summary = "Scaled dot product attention: softmax(scale q k^T + bias) v";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  // Means of the rows of the values.
  let range = [{ return x(2); }];
  let doc = [{
    Query, key and value are [..., positions, width], with equal leading dimensions (batch, heads). The values'
    width may differ, and is the result's width; `simplify` then pads the narrower tensors with zeros. With
    `causal`, a query attends to keys up to its own position, with positions aligned at the end of queries and
    keys. The bias is added to the scores, to which the bias broadcasts; a mask is a bias of 0 and minus infinity.
    A query without any visible key gets 0. `scale` is 1 / sqrt(width of the query) by default.

    In models, the op has one result. `simplify` adds a second result, and the results have the accumulator's type:
    the logsumexp of the scores, [..., 2, queries], as the pair of the largest score m and log(sum(exp(scores -
    m))), whose sum is not formed. The adjoint recomputes the attention weights from the pair, tile by tile (Dao et
    al. 2022): no score is stored. The sum of the pair would lose the logarithm beside a mask of -1e9, and the
    weights would not sum to 1. A query without any visible key has 0 in both. The bias and the second result stay
    in f32 in every precision.
  }];
  let arguments = (ins RealTensor:$query, RealTensor:$key, RealTensor:$value,
      Optional<RealTensor>:$bias, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs RealTensor:$result, Optional<RealTensor>:$lse);
  // The types of the operands and, with a logsumexp, `-> type($result), type($lse)`.
  let assemblyFormat =
      [{$query `,` $key `,` $value (`bias` $bias^)? (`causal` $causal^)? (`scale` custom<Scale>($scale)^)? attr-dict
      custom<AttentionTypes>(ref($query), type($query), ref($key), type($key), ref($value), type($value), ref($bias), type($bias), type($result), type($lse))}];
  let example = "%o = train.attention %q, %k, %v causal : tensor<2x4x8x16xf32>, "
                "tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>";
  let saves = ["0", "1", "2", "3", "result"];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool operandStaysFull(unsigned index) { return index == 3; }
    bool resultStaysFull(unsigned index) { return index == 1; }
    int64_t getFlops();
  }];
}
def Train_AttentionGradOp
    : Op<TrainDialect, "attention_grad",
         [Pure, DeclareOpInterfaceMethods<PrecisionOpInterface, precisionMethods>,
          DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>]>,
      TensorOpFacts<LowPrecision> {
  let summary = "Cotangents of attention's query, key, value and, optionally, bias";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  let description = [{
    Cotangents from the operands of `train.attention`, its two results and the cotangent `g` of the first: with P =
    exp((scores - lse[0]) - lse[1]), dv = P^T g, ds = P (g v^T - rowsum(g o)), dq = scale ds k, dk = scale ds^T q.
    The bias's cotangent has the shape of the scores.

    ```mlir
    %dq, %dk, %dv = train.attention_grad %q, %k, %v from %o, %lse, %g causal
        : (tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x2x8xf32>, tensor<4x8x16xbf16>)
        -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    ```}]#precisionText#[{
    Differentiated as the decomposition into products and softmax.
  }];
  let arguments = (ins RealTensor:$query, RealTensor:$key, RealTensor:$value,
      Optional<RealTensor>:$bias, RealTensor:$o, RealTensor:$lse, RealTensor:$g, UnitAttr:$causal,
      OptionalAttr<F64Attr>:$scale);
  let results = (outs RealTensor:$dq, RealTensor:$dk, RealTensor:$dv, Optional<RealTensor>:$dbias);
  let assemblyFormat =
      [{$query `,` $key `,` $value (`bias` $bias^)? `from` $o `,` $lse `,` $g (`causal` $causal^)? (`scale` custom<Scale>($scale)^)?
                         attr-dict `:` functional-type(operands, results)}];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    // The bias, and behind the output the logsumexp. A bias may be the values, too.
    bool operandStaysFull(unsigned index) {
      unsigned bias = 3, lse = getBias() ? 5 : 4;
      return (getBias() && index == bias) || index == lse;
    }
    int64_t getFlops();
  }];
  let extraClassDefinition = precisionCode;
}
#endif
