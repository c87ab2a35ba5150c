// Ops of one scalar expression per element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_POINTWISE_OPS
#define AMPC_TRAIN_POINTWISE_OPS
include "mlir-dialects/Train/TrainBase.td"

def Train_AddOp : Train_BinaryOp<"add", Promote, [Commutative]> {
  let summary = "Sum";
  let scalar  = [{ return b.add(x[0], x[1]); }];
  let adjoint = [{ return {g, g}; }];
}
def Train_SubOp : Train_BinaryOp<"sub", Promote> {
  let summary = "Difference";
  let scalar  = [{ return b.sub(x[0], x[1]); }];
  let adjoint = [{ return {g, b.neg(g)}; }];
}
def Train_MulOp : Train_BinaryOp<"mul", Promote, [Commutative]> {
  let summary = "Product";
  let saves   = ["0", "1"];
  let scalar  = [{ return b.mul(x[0], x[1]); }];
  let adjoint = [{ return {b.mul(g, getRhs()), b.mul(g, getLhs())}; }];
}
def Train_DivOp : Train_BinaryOp<"div", Promote> {
  let summary = "Quotient";
  let saves   = ["1", "result"];
  let scalar  = [{ return b.div(x[0], x[1]); }];
  let adjoint = [{ Value d = b.div(g, getRhs()); return {d, b.neg(b.mul(d, getResult()))}; }];
}
def Train_NegOp : Train_UnaryOp<"neg", Passthrough> {
  let summary = "Negation";
  let scalar  = [{ return b.neg(x[0]); }];
  let adjoint = [{ return {b.neg(g)}; }];
}
def Train_ReluOp : Train_UnaryOp<"relu", Passthrough> {
  let summary = "max(x, 0)";
  let saves   = ["result"];
  let scalar  = [{ return b.max(x[0], b.real(0.0)); }];
  // A select, not a product with 0 or 1: inf * 0 would be NaN.
  let adjoint = [{ return {b.select(b.greater(getResult(), b.real(0.0, g)), g, b.real(0.0, g))}; }];
}
def Train_TanhOp : Train_UnaryOp<"tanh", Passthrough> {
  let summary = "Hyperbolic tangent";
  let saves   = ["result"];
  let scalar  = [{ return b.tanh(x[0]); }];
  let adjoint = [{ return {b.mul(g, b.sub(b.real(1.0, g), b.square(getResult())))}; }];
}
def Train_ExpOp : Train_UnaryOp<"exp", FullPrecision> {
  let summary = "Exponential";
  let saves   = ["result"];
  let scalar  = [{ return b.exp(x[0]); }];
  let adjoint = [{ return {b.mul(g, getResult())}; }];
}
def Train_SqrtOp : Train_UnaryOp<"sqrt", FullPrecision> {
  let summary = "Square root; the adjoint is 0 at 0";
  let saves   = ["result"];
  let scalar  = [{ return b.sqrt(x[0]); }];
  let adjoint = [{
    Value y = getResult(), zero = b.real(0.0, g);
    return {b.select(b.greater(y, zero), b.div(b.mul(g, b.real(0.5, g)), y), zero)}; }];
}
def Train_SquareOp : Train_UnaryOp<"square", FullPrecision> {
  let summary = "x * x";
  let saves   = ["0"];
  let scalar  = [{ return b.mul(x[0], x[0]); }];
  let adjoint = [{ return {b.mul(g, b.mul(b.real(2.0, g), getX()))}; }];
}
def Train_SinOp : Train_UnaryOp<"sin", FullPrecision> {
  let summary = "Sine";
  let saves   = ["0"];
  let scalar  = [{ return b.sin(x[0]); }];
  let adjoint = [{ return {b.mul(g, b.cos(getX()))}; }];
}
def Train_CosOp : Train_UnaryOp<"cos", FullPrecision> {
  let summary = "Cosine";
  let saves   = ["0"];
  let scalar  = [{ return b.cos(x[0]); }];
  let adjoint = [{ return {b.neg(b.mul(g, b.op<SinOp>(getX())))}; }];
}
def Train_FloorOp : Train_UnaryOp<"floor", Passthrough> {
  let summary = "The largest integer that is not larger";
  let differentiable = 0;
  let scalar  = [{ return b.floor(x[0]); }];
}
def Train_SelectOp : Train_Op<"select", Passthrough,
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Where `condition` holds `a`, else `c`, with numpy broadcasting";
  let arguments = (ins AnyRankedTensor:$condition, AnyRankedTensor:$a, AnyRankedTensor:$c);
  let assemblyFormat = "$condition `,` $a `,` $c attr-dict `:` type($condition) `,` type($a) `,` type($c)";
  let saves   = ["0"];
  let scalar  = [{ return b.select(x[0], x[1], x[2]); }];
  let adjoint = [{
    Value zero = b.real(0.0, g);
    return {Value(), b.select(getCondition(), g, zero), b.select(getCondition(), zero, g)}; }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferSelect(loc, adaptor.getOperands(), types);
    }
  }];
}

def Train_ComparePredicate : I32EnumAttr<"ComparePredicate", "an order relation", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::ampc::train";
  let genSpecializedAttr = 0;
}
def Train_ComparePredicateAttr : EnumAttr<TrainDialect, Train_ComparePredicate, "predicate">;
def Train_CompareOp : Train_Op<"compare", Promote,
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Order relation, as i1; comparisons with NaN are false except `ne`";
  let arguments = (ins Train_ComparePredicateAttr:$predicate, AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let differentiable = 0;
  let scalar = [{ return b.compare(getPredicate(), x[0], x[1]); }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      if (failed(::ampc::inferBroadcast(loc, adaptor.getLhs().getType(), adaptor.getRhs().getType(), types)))
        return ::mlir::failure();
      types[0] = ::llvm::cast<::mlir::RankedTensorType>(types[0]).clone(::mlir::IntegerType::get(context, 1));
      return ::mlir::success();
    }
  }];
}
def Train_CastOp : Train_Op<"cast", Passthrough, [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Another element type; float to float rounds to nearest even";
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let scalar  = [{ return b.castTo(x[0], getType().getElementType()); }];
  let adjoint = [{ return {b.castTo(g, getX().getType().getElementType())}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
#endif
