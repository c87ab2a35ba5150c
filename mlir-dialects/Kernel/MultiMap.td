// One pointwise body over several lists of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_MULTI_MAP
#define AMPC_KERNEL_MULTI_MAP
include "mlir-dialects/Kernel/Exchange.td" // the reference of the dialect is made from this file

def Kernel_MultiMapOp : Kernel_Op<"multi_map", [Pure, KernelOpInterface, IsolatedFromAbove,
                                                AttrSizedOperandSegments]> {
  let summary = "One pointwise body over several lists of tensors, in one launch";
  let description = [{
    Horizontal fusion of `kernel.map`s with equal bodies, e.g. of the update rule of all parameters ("multi-tensor
    apply"). A member is a list of inputs and results with the same number of elements, which may differ from the
    number of another member. Element i of a result is what the body yields for elements i of the member's inputs,
    in row-major order, whatever the shapes. `shared` tensors have one element, which every point of every member
    reads. Operands are in the order member 0, member 1, and so are results. A result has the bits that a
    `kernel.map` of its member has.

    Constraints:

    1. There are at least two members, with equally many inputs and at least one result each.
    2. A shared tensor has one element.
    3. All tensors of a member have the same number of elements.
    4. The body has an argument per shared tensor, then one per input of a member, and the elements of these
       tensors have the argument's type.
    5. The body is made of ops of arith and math that work element by element, on scalars.
    6. The body ends by a `kernel.yield` of one value per result of a member, of the type of the result's elements.

    ```mlir
    %p1, %q1 = kernel.multi_map shared() members 2 (%p, %g, %q, %h : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<1x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.subf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<4x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$shared, Variadic<AnyRankedTensor>:$inputs,
      ConfinedAttr<SignedI64Attr, [IntPositive]>:$members);
  let results = (outs Variadic<AnyRankedTensor>:$outs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `shared` `(` ($shared^ `:` type($shared))? `)` `members` $members `(` ($inputs^ `:` type($inputs))? `)`
    attr-dict-with-keyword $body `:` type($outs)}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Inputs of a member.
    mlir::OperandRange inputsOf(unsigned member);
    /// Results of a member.
    mlir::ResultRange resultsOf(unsigned member);
    /// Elements of each tensor of a member.
    int64_t pointsOf(unsigned member);
    /// Member that a result, or an operand of `inputs`, belongs to.
    unsigned memberOf(mlir::OpResult result);
    unsigned memberOf(mlir::OpOperand &input);
  }];
}
#endif
