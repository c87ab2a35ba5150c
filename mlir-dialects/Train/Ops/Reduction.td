// Reductions and ops along the last dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_REDUCTION
#define AMPC_TRAIN_REDUCTION
include "mlir-dialects/Train/Base.td"

defvar inferReducedType = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferReduce(loc, adaptor.getX().getType(), adaptor.getDims(), types);
    }
}];
class Train_ReduceOp<string mnemonic, list<Trait> traits = []>
    : Train_Op<mnemonic, FullPrecision,
               [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]#traits> {
  let arguments = (ins NumberTensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `over` custom<Dims>($dims) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train."#mnemonic#" %x over [0, 2] : tensor<4x8x3xf32>";
  let extraDefinition = inferReducedType;
}
// `combine` names a case of kernel.combine.
class Train_CombineOp<string mnemonic, string combine>
    : Train_ReduceOp<mnemonic, [ReduceOpInterface]> {
  let extraClassDeclaration = "static ::llvm::StringRef getCombine() { return \""#combine#"\"; }";
}
def Train_ReduceSumOp : Train_CombineOp<"reduce_sum", "sum"> {
  let summary = "Sum over dimensions, which are dropped";
  let lists = ["autocast=full", "propagate-bf16=infer", "propagate=deny"];
  let adjoint =
      [{ return {b.broadcastTo(b.reshape(g, b.withOnes(getX().getType(), getDims())), getX().getType())}; }];
}
def Train_ReduceMeanOp
    : Train_ReduceOp<"reduce_mean", [DeclareOpInterfaceMethods<CompositeOpInterface>]> {
  let summary = "Mean over dimensions, which are dropped";
  let lists = ["autocast=pass"];
  let doc = "`simplify` replaces the op by a sum and a product.";
  let arguments = (ins RealTensor:$x, DenseI64ArrayAttr:$dims);
  let adjoint = [{
    Value share = b.mul(g, b.real(double(getType().getNumElements()) / getX().getType().getNumElements(), g));
    return {b.broadcastTo(b.reshape(share, b.withOnes(getX().getType(), getDims())), getX().getType())}; }];
}
class Train_ReduceExtremumOp<string mnemonic, string combine> : Train_CombineOp<mnemonic, combine> {
  let range = [{ return x(0); }];
  let doc = "Elements that share the extremum share its cotangent equally.";
  let saves = ["0", "result"];
  let adjoint = [{ return {::ampc::reduceExtremumAdjoint(b, g, getX(), getResult(), getDims())}; }];
}
def Train_ReduceMaxOp : Train_ReduceExtremumOp<"reduce_max", "max"> {
  let summary = "Maximum over dimensions, which are dropped";
  let lists = ["mincut=pass", "propagate=clear"];
}
def Train_ReduceMinOp : Train_ReduceExtremumOp<"reduce_min", "min"> {
  let summary = "Minimum over dimensions, which are dropped";
  let lists = ["mincut=pass", "propagate=clear"];
}

def Train_LogSumExpOp
    : Train_ReduceOp<"logsumexp", [DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>,
                                   DeclareOpInterfaceMethods<
                                       ScalarOpInterface, ["getSpace", "getResultMap"]>]> {
  let summary = "Logarithm of the sum of exponentials over dimensions, which are dropped";
  let lists = ["autocast=full"];
  let doc = [{
    Kernels work along the last dimension; `simplify` transposes other dimensions. If all elements are -inf, the
    result is -inf with gradient 0; if an element is +inf, the result is +inf with gradient NaN. }];
  let arguments = (ins RealTensor:$x, DenseI64ArrayAttr:$dims);
  let saves = ["0", "result"];
  // An infinite maximum is not taken away: inf - inf is NaN.
  let scalar = [{
    Value m = b.rowMax(x[0]), isInfinite = b.equal(b.abs(m), b.real(INFINITY)), shift = b.select(isInfinite, b.real(0.0), m);
    return b.add(shift, b.log(b.rowSum(b.exp(b.sub(x[0], shift))))); }];
  // Softmax in place of exp(x - y): with a maximum of 1e9, y has lost the logarithm of the sum, and
  // exp(x - y) is wrong by the factor of the sum.
  let adjoint = [{
    auto column = b.withOnes(getX().getType(), getDims());
    Value y = b.reshape(getResult(), column), zero = b.real(0.0, y);
    Value isNothing = b.compare(ComparePredicate::eq, y, b.real(-INFINITY, y));
    Value shares = b.op<SoftmaxOp>(b.select(isNothing, zero, getX())), gy = b.reshape(g, column);
    return {::ampc::unlessZero(b, gy, b.mul(gy, b.select(isNothing, zero, shares)))}; }];
}

// ---- Composite reductions ----
class Train_CompositeReduceOp<string mnemonic>
    : Train_CompositeOp<
          mnemonic,
          FullPrecision, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let lists = ["autocast=full"];
  let doc = "Computed in the accumulator's type.";
  let arguments = (ins RealTensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `over` custom<Dims>($dims) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train."#mnemonic#" %x over [0, 2] : tensor<4x8x3xf32>";
  let extraDefinition = inferReducedType;
}
def Train_ReduceProdOp : Train_CompositeReduceOp<"reduce_prod"> {
  let summary = "Product over dimensions, which are dropped";
  let arguments = (ins NumberTensor:$x, DenseI64ArrayAttr:$dims);
  let doc = "A tree of pairwise products: zeros have the gradient that they "
            "should. Computed in the accumulator's type.";
  let parts = "`train.slice` and `train.mul`";
}
def Train_ReduceL1Op : Train_CompositeReduceOp<"reduce_l1"> {
  let summary = "Sum of absolute values over dimensions, which are dropped";
  let parts = "`train.abs` and `train.reduce_sum`";
}
def Train_ReduceL2Op : Train_CompositeReduceOp<"reduce_l2"> {
  let summary = "Root of the sum of squares over dimensions, which are dropped; the adjoint at "
                "0 is 0";
  let parts = "`train.square`, `train.reduce_sum` and `train.sqrt`";
}
def Train_ReduceLogSumOp : Train_CompositeReduceOp<"reduce_log_sum"> {
  let summary = "Logarithm of the sum over dimensions, which are dropped";
  let parts = "`train.reduce_sum` and `train.log`";
}

class Train_RowUnaryOp<string mnemonic>
    : Train_RealUnaryOp<mnemonic, FullPrecision, [AlongOpInterface]> {
  let arguments = (ins RealTensor:$x, lastByDefault:$dim);
  let assemblyFormat =
      "$x (`along` custom<Dim>($dim)^)? attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train."#mnemonic#" %x along 1 : tensor<4x8x6xf32>";
}
def Train_SoftmaxOp : Train_RowUnaryOp<"softmax"> {
  let summary = "Softmax along a dimension, the last by default";
  let lists = ["mincut=normalize", "autocast=full", "propagate=infer"];
  let range = [{ return Interval{0, 1}; }];
  let saves = ["result"];
  // One division per row; the sum is in [1, number of columns].
  let scalar = [{
    Value e = b.exp(b.sub(x[0], b.rowMax(x[0])));
    return b.mul(e, b.div(b.real(1.0), b.rowSum(e))); }];
  let adjoint =
      [{ Value gy = b.mul(g, getResult()); return {b.sub(gy, b.mul(getResult(), b.rowSum(gy)))}; }];
}
def Train_LogSoftmaxOp : Train_RowUnaryOp<"log_softmax"> {
  let summary = "Logarithm of softmax along a dimension, the last by default";
  let lists = ["autocast=full", "propagate=infer"];
  let saves = ["result"];
  let scalar =
      [{ Value d = b.sub(x[0], b.rowMax(x[0])); return b.sub(d, b.log(b.rowSum(b.exp(d)))); }];
  let adjoint = [{ return {b.sub(g, b.mul(b.exp(getResult()), b.rowSum(g)))}; }];
}
def Train_ArgmaxOp
    : Train_Op<"argmax", FullPrecision,
               [InferTypeOpAdaptor, AlongOpInterface,
                DeclareOpInterfaceMethods<ScalarOpInterface, ["getSpace", "getResultMap"]>]> {
  let summary = "Index of the first maximum along a dimension, the last by default, as i32";
  let lists = ["mincut=pass", "propagate=clear"];
  let doc = "The dimension is dropped. A NaN among the elements gives the last position.";
  let example = "%i = train.argmax %x along 1 : tensor<4x8x6xf32>";
  let arguments = (ins RealTensor:$x, lastByDefault:$dim);
  let assemblyFormat =
      "$x (`along` custom<Dim>($dim)^)? attr-dict custom<Types>(ref($x), type($x))";
  let differentiable = 0;
  // Positions are reduced as reals of the compute type, which are exact below 2^24; the verifier
  // checks this bound.
  let scalar = [{
    Value last = b.real(double(getX().getType().getShape().back() - 1));
    Value here = b.castTo(b.rowIndex(), b.compute);
    Value best = b.rowMin(b.select(b.equal(x[0], b.rowMax(x[0])), here, last));
    return b.castTo(best, b.builder.getI32Type()); }];
}
#endif
