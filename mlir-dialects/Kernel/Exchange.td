// Exchanges between the ranks of a training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_EXCHANGE
#define AMPC_KERNEL_EXCHANGE
include "mlir-dialects/Kernel/Kernel.td"

class Kernel_ExchangeOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<mnemonic, traits#[Pure]> {
  let results = (outs AnyRankedTensor:$out);
}
def Kernel_StartOp : Kernel_ExchangeOp<"start", [KernelOpInterface]> {
  let summary = "Starts an exchange of bytes between all ranks";
  let description = [{
    An all-gather: the result has the tensors of all ranks, rank 0 first. With `scatter` an all-to-all: the tensor
    is cut into one equal piece of consecutive elements per rank, and the result has the pieces that all ranks have
    for this rank, rank 0 first. Engines move bytes and do no arithmetic. The elements of the result are unspecified
    up to the `kernel.wait` of the exchange. Memory of `x` and of the result belongs to the exchange from the start
    to the wait. Exchanges have the order of the program, which is the same on all ranks.

    Constraints:

    1. The result has the elements of all ranks, [ranks, elements]; with `scatter` [ranks, elements / ranks], and
       the number of ranks divides the number of elements.

    ```mlir
    %pending = kernel.start scatter %g : tensor<12x8xf32> to tensor<4x24xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, UnitAttr:$scatter);
  let assemblyFormat = "(`scatter` $scatter^)? $x attr-dict `:` type($x) `to` type($out)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getRanks() { return getType().getDimSize(0); }
    /// Elements that travel from one rank to another.
    int64_t getPieceElements() { return getType().getDimSize(1); }
  }];
}
def Kernel_WaitOp
    : Kernel_ExchangeOp<
          "wait", [AllTypesMatch<["pending", "out"]>,
                   DeclareOpInterfaceMethods<KernelOpInterface, ["getOverwritten"]>]> {
  let summary = "Waits for the end of an exchange";
  let description = [{
    The result is the content of `pending` after the exchange, in the same memory. `x` is the tensor that the
    exchange sends, which therefore stays in memory up to here.

    Constraints:

    1. `pending` is the result of a `kernel.start`, and `x` is the tensor that it sends.

    ```mlir
    %pending = kernel.start scatter %g : tensor<12x8xf32> to tensor<4x24xf32>
    %pieces = kernel.wait %pending sent %g : tensor<4x24xf32>, tensor<12x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$pending, AnyRankedTensor:$x);
  let assemblyFormat = "$pending `sent` $x attr-dict `:` type($pending) `,` type($x)";
  let hasVerifier = 1;
  let extraClassDeclaration = "StartOp getStart();";
}
def Kernel_RankOp : Kernel_ExchangeOp<"rank", [KernelOpInterface]> {
  let summary = "Number of this rank, from 0 on";
  let description = [{
    The runtime writes the number; there is no launch.

    ```mlir
    %rank = kernel.rank : tensor<i32>
    ```
  }];
  let arguments = (ins);
  let assemblyFormat = "attr-dict `:` type($out)";
}
#endif
