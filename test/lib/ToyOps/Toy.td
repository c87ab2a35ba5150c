// A dialect outside of ampc with an op of every kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOY
#define TOY
include "mlir-dialects/Train/Base.td"

def ToyDialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
  let summary = "Ops that a user of ampc might add";
}

// Pointwise: the entry is all there is.
def Toy_SquareplusOp : RealUnaryTensorOp<ToyDialect, "squareplus", Passthrough> {
  let summary = "(x + sqrt(x^2 + 4)) / 2, a smooth relu (Barron 2021)";
  let saves = ["0"];
  let scalar =
      [{ return b.mul(b.real(0.5), b.add(x[0], b.sqrt(b.add(b.mul(x[0], x[0]), b.real(4.0))))); }];
  let adjoint = [{
    Value root = b.sqrt(b.add(b.square(getX()), b.real(4.0, g)));
    return {b.mul(g, b.mul(b.real(0.5, g), b.add(b.real(1.0, g), b.div(getX(), root))))}; }];
  // Monotone in x.
  let range = [{
    auto of = [](double x) { return (x + std::sqrt(x * x + 4)) / 2; };
    auto operand = x(0);
    return operand ? ::ampc::Range({of(operand->low), of(operand->high)}) : std::nullopt; }];
  let lists = ["autocast=full", "propagate=infer"];
}

// Row-wise: reductions along the last dimension in the scalar code.
def Toy_CenterOp : RealUnaryTensorOp<ToyDialect, "center", FullPrecision> {
  let summary = "x minus its mean along the last dimension";
  let scalar = [{ return b.sub(x[0], b.div(b.rowSum(x[0]), b.real(b.rowLength))); }];
  let adjoint = [{ return {b.op<CenterOp>(g)}; }];
  let lists = ["mincut=normalize"];
}

// Composite: `simplify` replaces the op by an expression.
def Toy_GatedUnitOp
    : CompositeTensorOp<ToyDialect, "gated_unit", LowPrecision,
                        [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>,
                         DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "squareplus(x gate) * (x up) (Shazeer 2020)";
  let arguments = (ins RealTensor:$x, RealTensor:$gate, RealTensor:$up);
  let assemblyFormat = [{$x `,` $gate `,` $up attr-dict
      custom<Types>(ref($x), type($x), ref($gate), type($gate), ref($up), type($up))}];
  let example =
      "%y = toy.gated_unit %x, %gate, %up : tensor<4x8xf32>, tensor<8x5xf32>, tensor<8x5xf32>";
  let parts = "two `train.matmul`, `toy.squareplus` and `train.mul`";
}

// Hand-written gradient: a separate op, with an adjoint of its own.
class Toy_SnakeBase<string mnemonic, list<Trait> traits = []>
    : TensorOp<ToyDialect, mnemonic, FullPrecision,
               traits#[DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let hasVerifier = 1;
}
def Toy_SnakeOp : Toy_SnakeBase<"snake", [AllTypesMatch<["x", "result"]>]> {
  let summary = "x + sin(a x)^2 / a, for what is periodic (Ziyin et al. 2020)";
  let arguments = (ins RealTensor:$x, F64Attr:$a);
  let assemblyFormat = "$x `a` $a attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = toy.snake %x a 2.0 : tensor<4x8xf32>";
  let saves = ["0"];
}
def Toy_SnakeGradOp : Toy_SnakeBase<"snake_grad", [AllTypesMatch<["x", "g", "result"]>]> {
  let summary = "g (1 + sin(2 a x)), the cotangent of toy.snake's operand";
  let arguments = (ins RealTensor:$x, RealTensor:$g, F64Attr:$a);
  let assemblyFormat = "$x `,` $g `a` $a attr-dict custom<Types>(ref($x), type($x))";
  let example = "%dx = toy.snake_grad %x, %g a 2.0 : tensor<4x8xf32>";
  let saves = ["0", "1"];
}
#endif
