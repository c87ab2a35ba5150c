// Losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_LOSS
#define AMPC_TRAIN_LOSS
include "mlir-dialects/Train/Base.td"

def Train_OneHotOp : Train_Op<"one_hot", Passthrough,
                              [IndexOpInterface,
                               DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "One-hot encoding: 1 where the index in the last dimension equals the label, "
                "else 0";
  let lists = ["propagate-bf16=untouched", "propagate=clear"];
  let range = [{ return Interval{0, 1}; }];
  let arguments = (ins IndexNumbers:$label);
  let results = (outs RealTensor:$result);
  let assemblyFormat = "$label attr-dict custom<TypeTo>(ref($label), type($label), type($result))";
  let example = "%y = train.one_hot %label : tensor<4xi32> to tensor<4x10xf32>";
  let differentiable = 0;
  let hasVerifier = 1;
  let scalar = [{ return b.select(b.equal(b.rowIndex(), x[0]), b.real(1.0), b.real(0.0)); }];
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getLabel(); }
    int64_t getIndexLimit() { return 0; }
  }];
}

def Train_Reduction : I32EnumAttr<"Reduction", "reduction of losses per row or element",
                                  [I32EnumAttrCase<"mean", 0>, I32EnumAttrCase<"sum", 1>,
                                   I32EnumAttrCase<"none", 2>]> {
  let cppNamespace = "::ampc::train";
  let genSpecializedAttr = 0;
}
def Train_ReductionAttr : EnumAttr<TrainDialect, Train_Reduction, "reduction">;
defvar defaultReduction =
    DefaultValuedOptionalAttr<Train_ReductionAttr, "::ampc::train::Reduction::mean">;
defvar lossDoc = [{
    `reduce` is `mean` (the default), `sum` or `none`. The first two give a scalar, leave out rows of the batch from `valid` on, and
    are replaced in `simplify` by the loss without reduction and a reduction. }];

class Train_LossOp<string mnemonic, list<string> scalarMethods = [], list<Trait> traits = []>
    : Train_Op<mnemonic, FullPrecision,
               traits#[InferTypeOpAdaptor, ValidRowsOpInterface,
                       DeclareOpInterfaceMethods<CompositeOpInterface, ["isComposite"]>,
                       DeclareOpInterfaceMethods<ScalarOpInterface, scalarMethods>]>;

def Train_SoftmaxCrossEntropyOp
    : Train_LossOp<"softmax_cross_entropy", ["getSpace", "getOperandMap", "getResultMap"],
                   [IndexOpInterface, AlongOpInterface]> {
  let summary = "Cross entropy of softmax: -sum(target * log softmax(logits)) along a "
                "dimension, the last by default";
  let lists = ["autocast=full", "autocast-cpu=full", "propagate=deny"];
  let doc = !strconcat(lossDoc, [{
    The targets are either classes (integers, one per row) or a distribution (the logits' type and shape). `smoothing` s replaces a target t
    by (1 - s) t + s / classes. Rows of class `ignore` have loss 0 and do not count in the mean; a mean over no row is 0. }]);
  let arguments = (ins RealTensor:$logits,
      RankedTensorOf<[I32, I64, I16, I8, UI8, F64, F32, BF16, F16]>:$target,
      Optional<ValidRows>:$valid, defaultReduction:$reduction, OptionalAttr<IndexValueAttr>:$ignore,
      DefaultValuedAttr<F64Attr, "0.0">:$smoothing, OptionalAttr<SignedI64Attr>:$batch_rows,
      lastByDefault:$dim);
  let assemblyFormat =
      [{$logits `,` $target (`along` custom<Dim>($dim)^)? (`reduce` $reduction^)? (`ignore` custom<Ignore>($ignore)^)? (`smoothing` custom<Smoothing>($smoothing)^)?
    (`valid` $valid^)? attr-dict custom<Types>(ref($logits), type($logits), ref($target), type($target))}];
  let example =
      [{%l = train.softmax_cross_entropy %logits, %label ignore -100 smoothing 0.1 : tensor<4x10xf32>, tensor<4xi32>
    %p = train.softmax_cross_entropy %image, %labels along 1 : tensor<4x10x6x6xf32>, tensor<4x6x6xi32>
    %d = train.softmax_cross_entropy %logits, %target reduce none : tensor<4x10xf32>, tensor<4x10xf32>}];
  let saves = ["0", "1"];
  let reducesRow = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the target holds class indices, one per row; distributions are the alternative.
    bool isSparse() { return ::llvm::isa<::mlir::IntegerType>(getTarget().getType().getElementType()); }
    ::mlir::Value getIndices() { return isSparse() ? getTarget() : ::mlir::Value(); }
    int64_t getIndexLimit() { return getAlongSize(); }
    std::optional<int64_t> getIgnoredIndex() { return getIgnore(); }
  }];
}

// Elementwise loss of two operands of one type.
class Train_ElementLossOp<string mnemonic> : Train_LossOp<mnemonic> {
  let doc = lossDoc;
  let arguments = (ins RealTensor:$x, RealTensor:$target, Optional<ValidRows>:$valid,
      defaultReduction:$reduction, OptionalAttr<SignedI64Attr>:$batch_rows);
  let assemblyFormat =
      [{$x `,` $target (`reduce` $reduction^)? (`valid` $valid^)? attr-dict custom<Types>(ref($x), type($x), ref($target), type($target))}];
  let example =
      "%l = train."#mnemonic#" %x, %target reduce sum : tensor<4x10xf32>, tensor<4x10xf32>";
  let saves = ["0", "1"];
  let hasVerifier = 1;
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor a, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferElementLoss(loc, a.getX().getType(), a.getTarget().getType(),
                                      ::ampc::reduces(a.getProperties().reduction), types);
    }
  }];
}
def Train_BceWithLogitsOp : Train_ElementLossOp<"bce_with_logits"> {
  let summary = "Binary cross entropy of sigmoid(x): softplus(x) - x * target, without overflow or "
                "cancellation";
  let lists = ["autocast=full", "autocast-cpu=full"];
  // Two positive terms for a target in [0, 1], so that a small loss keeps its digits.
  let scalar = [{
    Value size = b.abs(x[0]), wrong = b.select(b.greater(x[0], b.real(0.0)), b.sub(b.real(1.0), x[1]), x[1]);
    return b.add(b.mul(size, wrong), b.log1p(b.exp(b.neg(size)))); }];
}
def Train_MseOp : Train_ElementLossOp<"mse"> {
  let summary = "Squared error: (x - target)^2";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let scalar = [{ Value d = b.sub(x[0], x[1]); return b.mul(d, d); }];
  let adjoint = [{
    Value d = b.mul(b.mul(g, b.real(2.0, g)), b.sub(getX(), getTarget()));
    return {d, b.neg(d)}; }];
}
def Train_L1Op : Train_ElementLossOp<"l1"> {
  let summary = "L1 loss: |x - target|; the adjoint is 0 for equal operands";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let scalar = [{ return b.abs(b.sub(x[0], x[1])); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), d = b.sub(getX(), getTarget());
    Value s = b.select(b.greater(d, zero), g, b.select(b.greater(zero, d), b.neg(g), zero));
    return {s, b.neg(s)}; }];
}
def Train_SmoothL1Op : Train_ElementLossOp<"smooth_l1"> {
  let summary = "Smooth L1 loss: d^2 / (2 beta) where d = |x - target| < beta, else d - beta / "
                "2 (Girshick 2015)";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let arguments = (ins RealTensor:$x, RealTensor:$target, Optional<ValidRows>:$valid,
      defaultReduction:$reduction, F64Attr:$beta, OptionalAttr<SignedI64Attr>:$batch_rows);
  let assemblyFormat =
      [{$x `,` $target `beta` custom<Beta>($beta) (`reduce` $reduction^)? (`valid` $valid^)? attr-dict
                         custom<Types>(ref($x), type($x), ref($target), type($target))}];
  let example = "%l = train.smooth_l1 %x, %target beta 1.0 : tensor<4x10xf32>, tensor<4x10xf32>";
  let scalar = [{
    Value d = b.abs(b.sub(x[0], x[1])), beta = b.real(getBeta().convertToDouble()), half = b.real(0.5);
    Value square = b.div(b.mul(half, b.mul(d, d)), beta);
    return b.select(b.greater(beta, d), square, b.sub(d, b.mul(half, beta))); }];
  let adjoint = [{
    Value slope = b.op<ClampOp>(b.div(b.sub(getX(), getTarget()), b.real(getBeta().convertToDouble(), g)),
                                ::llvm::APFloat(-1.0), ::llvm::APFloat(1.0));
    Value s = b.mul(g, slope);
    return {s, b.neg(s)}; }];
}
def Train_HuberOp : Train_ElementLossOp<"huber"> {
  let summary = "Huber loss: d^2 / 2 where d = |x - target| <= delta, else delta (d - delta / "
                "2) (Huber 1964)";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let arguments = (ins RealTensor:$x, RealTensor:$target, Optional<ValidRows>:$valid,
      defaultReduction:$reduction, F64Attr:$delta, OptionalAttr<SignedI64Attr>:$batch_rows);
  let assemblyFormat =
      [{$x `,` $target `delta` custom<Delta>($delta) (`reduce` $reduction^)? (`valid` $valid^)? attr-dict
                         custom<Types>(ref($x), type($x), ref($target), type($target))}];
  let example = "%l = train.huber %x, %target delta 1.0 : tensor<4x10xf32>, tensor<4x10xf32>";
  let scalar = [{
    Value d = b.abs(b.sub(x[0], x[1])), delta = b.real(getDelta().convertToDouble()), half = b.real(0.5);
    Value line = b.mul(delta, b.sub(d, b.mul(half, delta)));
    return b.select(b.greater(d, delta), line, b.mul(half, b.mul(d, d))); }];
  let adjoint = [{
    double delta = getDelta().convertToDouble();
    Value s = b.mul(g, b.op<ClampOp>(b.sub(getX(), getTarget()), ::llvm::APFloat(-delta), ::llvm::APFloat(delta)));
    return {s, b.neg(s)}; }];
}
def Train_KlDivOp : Train_ElementLossOp<"kl_div"> {
  let summary = "Kullback-Leibler divergence: target (log(target) - x), with x a logarithm of a "
                "probability";
  let doc = !strconcat(lossDoc, [{
    A target of 0 has loss 0, and no gradient of its own. The divergence of distributions, each a row, is the sum
    divided by the number of rows. }]);
  let lists = ["autocast=full", "autocast-cpu=full"];
  let scalar = [{
    Value loss = b.mul(x[1], b.sub(b.log(x[1]), x[0]));
    return b.select(b.equal(x[1], b.real(0.0)), b.real(0.0), loss); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), t = getTarget(), isZero = b.compare(ComparePredicate::eq, t, zero);
    Value slope = b.sub(b.add(b.op<LogOp>(b.select(isZero, b.real(1.0, g), t)), b.real(1.0, g)), getX());
    return {b.neg(b.mul(g, t)), b.select(isZero, zero, b.mul(g, slope))}; }];
}
def Train_HingeOp : Train_ElementLossOp<"hinge"> {
  let summary = "Hinge loss: max(0, 1 - target x), for targets -1 and 1; the adjoint is 0 at "
                "the hinge";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let scalar = [{ return b.max(b.sub(b.real(1.0), b.mul(x[1], x[0])), b.real(0.0)); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), misses = b.greater(b.real(1.0, g), b.mul(getTarget(), getX()));
    Value s = b.select(misses, b.neg(g), zero);
    return {b.mul(s, getTarget()), b.mul(s, getX())}; }];
}
def Train_PoissonNllOp : Train_ElementLossOp<"poisson_nll"> {
  let summary = "Poisson loss of counts: exp(x) - target x, with x the logarithm of the mean";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let scalar = [{ return b.sub(b.exp(x[0]), b.mul(x[1], x[0])); }];
  let adjoint =
      [{ return {b.mul(g, b.sub(b.exp(getX()), getTarget())), b.neg(b.mul(g, getX()))}; }];
}

def Train_NllOp : Train_LossOp<"nll", ["getSpace", "getOperandMap", "getResultMap"],
                               [IndexOpInterface, AlongOpInterface]> {
  let summary = "Negative log likelihood: -x[label] along a dimension, the last by default, "
                "with x logarithms of probabilities";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let doc = !strconcat(lossDoc, [{
    Rows of class `ignore` have loss 0 and do not count in the mean; a mean over no row is 0. }]);
  let arguments = (ins RealTensor:$x, RowNumbers:$label, Optional<ValidRows>:$valid,
      defaultReduction:$reduction, OptionalAttr<IndexValueAttr>:$ignore,
      OptionalAttr<SignedI64Attr>:$batch_rows, lastByDefault:$dim);
  let assemblyFormat =
      [{$x `,` $label (`along` custom<Dim>($dim)^)? (`reduce` $reduction^)? (`ignore` custom<Ignore>($ignore)^)? (`valid` $valid^)? attr-dict
    custom<Types>(ref($x), type($x), ref($label), type($label))}];
  let reducesRow = 1;
  let example = "%l = train.nll %x, %label ignore -100 : tensor<4x10xf32>, tensor<4xi32>";
  let saves = ["1"];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getLabel(); }
    int64_t getIndexLimit() { return getAlongSize(); }
    std::optional<int64_t> getIgnoredIndex() { return getIgnore(); }
  }];
}
#endif
