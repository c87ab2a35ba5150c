// Attention in one pass over the keys, and its gradient; no score reaches memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_ATTENTION_OPS
#define AMPC_KERNEL_ATTENTION_OPS

// Sizes, options and indexing maps of both attention ops; `chosen`: arguments that the target
// chooses.
class Kernel_AttentionLikeOp<string mnemonic, dag chosen = (ins)>
    : Kernel_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let arguments = !con((ins Variadic<AnyRankedTensor>:$tensors, TypeAttr:$acc,
                           DenseI64ArrayAttr:$batch, SignedI64Attr:$queries, SignedI64Attr:$keys,
                           SignedI64Attr:$width, F64Attr:$scale, UnitAttr:$causal, UnitAttr:$biased,
                           AffineMapArrayAttr:$operand_maps, AffineMapArrayAttr:$result_maps),
                       chosen);
  let results = (outs Variadic<AnyRankedTensor>:$outs);
  let assemblyFormat =
      [{`(` $tensors `:` type($tensors) `)` `acc` $acc `batch` $batch `queries` $queries `keys` $keys `width` $width
    `scale` $scale (`causal` $causal^)? (`biased` $biased^)? `maps` $operand_maps `->` $result_maps attr-dict `:` type($outs)}];
  let hasVerifier = 1;
}
defvar attentionMaps = [{
    Maps go from (batch..., row, column) to elements: of queries and keys by channel, of a bias by query and key,
    of a logsumexp by its two parts and query. Maps are linear, so that heads and slices of one tensor are read and
    written in place. Sums, softmax and logsumexp are of type `acc`; results are rounded once.

    Constraints:

    1. The sizes are at least 1.
    2. There are as many tensors as the op says, and one map per tensor and result.
    3. A map is linear, without symbols, over the dimensions of its tensor.
    4. A map stays inside the tensor.
    5. Tensors are real; `acc` is a real type of at least 32 bits, and at least as wide as the tensors'.
    6. Every point of a result has an element of its own.
}];
def Kernel_AttentionOp
    : Kernel_AttentionLikeOp<"attention", (ins OptionalAttr<Kernel_AttentionPlanAttr>:$plan,
                                              OptionalAttr<Kernel_AttentionBlockingAttr>:$blocking,
                                              OptionalAttr<Kernel_Blockings>:$blockings)> {
  let summary = "Fused attention: softmax(scale q k^T + bias) v, and the logsumexp per query as "
                "two numbers, if there is a second result";
  let description = !strconcat([{
    Operands: query, key, value and, if `biased`, the bias. With `causal`, query i sees the keys up to i + keys - queries.
    The softmax is formed while keys pass by (Milakov and Gimelshein 2018; Dao et al. 2022). The two numbers of a logsumexp are the
    largest score m and log(sum(exp(scores - m))), which a sum would lose beside a mask of -1e9. A query that sees no key has 0 everywhere.
    GPUs store their choice of algorithm and tile as `plan`, CPUs their tile as `blocking`, and as `blockings` those of
    the products q k^T and weights v of a tile, two per tier with code of its own. }],
                               attentionMaps, [{
    7. There are one or two results.
    8. The logsumexp is of type `acc`.
    9. A plan with tiles has one.

    ```mlir
    %y, %lse = kernel.attention(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) acc f32
      batch [2] queries 8 keys 9 width 4 scale 0.5
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<2x8x4xf32>, tensor<2x2x8xf32>
    ```
  }]);
}
def Kernel_AttentionGradOp
    : Kernel_AttentionLikeOp<"attention_grad",
                             (ins OptionalAttr<Kernel_AttentionPlanAttr>:$plan,
                                 OptionalAttr<Kernel_AttentionBlockingAttr>:$blocking,
                                 OptionalAttr<Kernel_Blockings>:$blockings, Kernel_Parts:$parts,
                                 Kernel_Workspace:$workspace_bytes)> {
  let summary = "Cotangents of query, key, value and, if there is a fourth result, of every score";
  let description = !strconcat([{
    Operands: query, key, value, if `biased` the bias, then the result of the attention, its logsumexp and the
    result's cotangent. A cotangent of queries is the sum of `parts` partial sums over keys, added in order, in the
    workspace: sums do not depend on the number of threads. GPUs store their choice of algorithm and tiles as `plan`, CPUs
    their tile as `blocking`, and as `blockings` those of the products of a tile, five per tier with code of its own:
    scores q k^T, weights dy v^T, then sums of dq, dk and dv. }],
                               attentionMaps, [{
    7. There are three results, or with a bias four.
    8. A plan with tiles has two, or three.

    ```mlir
    %dq, %dk, %dv = kernel.attention_grad(%q, %k, %v, %y, %lse, %dy : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x8x4xf32>,
      tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>,
            affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
      : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
    ```
  }]);
}
#endif
