// Contractions: sums of products, with the accumulator's type as the result's type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_CONTRACTION
#define AMPC_TRAIN_CONTRACTION
include "mlir-dialects/Train/Base.td"

def Train_MatmulOp : Train_Op<"matmul", LowPrecision,
                              [DeclareOpInterfaceMethods<BatchedOpInterface>,
                               DeclareOpInterfaceMethods<FanOpInterface>,
                               DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>]> {
  let summary = "Matrix product of the last two dimensions, batched over the leading dimensions";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  // |sum a b| <= K max|a| max|b|; the accumulator is f32, and only the store can overflow.
  let range = [{
    auto a = x(0), b = x(1);
    if (!a || !b)
      return std::nullopt;
    auto shape = getLhs().getType().getShape();
    double terms = shape[shape.size() - (getTransposeLhs() ? 2 : 1)];
    return ::ampc::within(terms * a->magnitude() * b->magnitude()); }];
  let doc = [{
    The result's element type is the accumulator's: operands of 16 bits need a result in f32. Leading dimensions
    broadcast, as in NumPy; `simplify` repeats operands first, unless the leading dimensions are equal or absent in
    one operand.

    ```mlir
    %0 = train.matmul %a, %b transpose_rhs : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins RealTensor:$lhs, RealTensor:$rhs, UnitAttr:$transpose_lhs,
      UnitAttr:$transpose_rhs);
  let assemblyFormat =
      [{$lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? attr-dict
      custom<ProductTypes>(ref($lhs), type($lhs), ref($rhs), type($rhs), type($result))}];
  let saves = ["0", "1"];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = "int64_t getFlops();";
}

def Train_LinearOp
    : Train_CompositeOp<"linear", LowPrecision,
                        [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>,
                         DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Linear layer: x W + bias over the last dimension of x";
  let doc = "W is [in, out]. The leading dimensions of x are merged, so that W's gradient is a "
            "single matrix product.";
  let arguments = (ins RealTensor:$x, RealTensor:$weight, Optional<RealTensor>:$bias);
  let assemblyFormat = [{$x `,` $weight (`,` $bias^)? attr-dict
      custom<Types>(ref($x), type($x), ref($weight), type($weight), ref($bias), type($bias))}];
  let example =
      "%y = train.linear %x, %w, %b : tensor<4x8x16xf32>, tensor<16x32xf32>, tensor<32xf32>";
  let parts = "`train.matmul` and `train.add`";
}
#endif
