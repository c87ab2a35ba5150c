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
    Query, key and value are [..., positions, width], with equal leading dimensions (batch, heads). Values may have a width of their own, which
    is that of the result; `simplify` then adds zeros to what is narrower. With `causal`, a query sees the keys
    up to its own position, counted from the last of both. The bias is added to the scores and broadcasts to them; a mask is a
    bias of 0 and minus infinity. A query that sees no key gets 0. `scale` is 1 / sqrt(width of the query) by default.

    Models write it with one result. `simplify` adds a second one, and the results are in the type of the accumulator: the logsumexp of the
    scores as the sum of two numbers that stay apart, [..., 2, queries], the largest score m and log(sum(exp(scores - m))). The adjoint makes
    the weights again from them, tile by tile (Dao et al. 2022): no score is stored. Their sum would lose the logarithm beside a mask of -1e9,
    and so make weights that do not add up to 1. A query that sees no key has 0 in both. A bias and the second result stay in f32 whatever the
    op computes in.
  }];
  let arguments = (ins RealTensor:$query, RealTensor:$key, RealTensor:$value,
      Optional<RealTensor>:$bias, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs RealTensor:$result, Optional<RealTensor>:$lse);
  // The types of the operands and, with a logsumexp, `-> type($result), type($lse)`.
  let assemblyFormat =
      [{$query `,` $key `,` $value (`bias` $bias^)? (`causal` $causal^)? (`scale` custom<Number>($scale)^)? attr-dict
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
  let summary = "Cotangents of attention's query, key, value and, if wanted, bias";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  let description = [{
    From the operands of `train.attention`, its two results and the cotangent `g` of the first: with P = exp((scores - lse[0]) - lse[1]),
    dv = P^T g, ds = P (g v^T - rowsum(g o)), dq = scale ds k, dk = scale ds^T q. The bias's cotangent has the shape of the scores.

    ```mlir
    %dq, %dk, %dv = train.attention_grad %q, %k, %v from %o, %lse, %g causal
        : (tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x2x8xf32>, tensor<4x8x16xbf16>)
        -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    ```}]#precisionText#[{ Differentiated as the products and the softmax that it is made of.
  }];
  let arguments = (ins RealTensor:$query, RealTensor:$key, RealTensor:$value,
      Optional<RealTensor>:$bias, RealTensor:$o, RealTensor:$lse, RealTensor:$g, UnitAttr:$causal,
      OptionalAttr<F64Attr>:$scale);
  let results = (outs RealTensor:$dq, RealTensor:$dk, RealTensor:$dv, Optional<RealTensor>:$dbias);
  let assemblyFormat =
      [{$query `,` $key `,` $value (`bias` $bias^)? `from` $o `,` $lse `,` $g (`causal` $causal^)? (`scale` custom<Number>($scale)^)?
                         attr-dict `:` functional-type(operands, results)}];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    bool operandStaysFull(unsigned index) { return getOperand(index) == getLse() || getOperand(index) == getBias(); }
    int64_t getFlops();
  }];
  let extraClassDefinition = precisionCode;
}
#endif
