// Losses made of other ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_COMPOSITELOSS
#define AMPC_TRAIN_COMPOSITELOSS
include "mlir-dialects/Train/Ops/Loss.td"

class Train_CompositeLossOp<string mnemonic, list<Trait> traits = []>
    : Train_CompositeOp<mnemonic, FullPrecision,
                        traits#[InferTypeOpAdaptor, ValidRowsOpInterface]> {
  let lists = ["autocast=full", "autocast-cpu=full"];
  let doc = lossDoc;
  let hasVerifier = 1;
}

def Train_WeightedCrossEntropyOp
    : Train_CompositeLossOp<"weighted_cross_entropy", [IndexOpInterface, AlongOpInterface]> {
  let summary = "Weighted cross entropy of softmax: -sum(weight * target * log softmax(logits)) "
                "along a dimension, the last by default";
  let doc = !strconcat(lossDoc, [{
    train.softmax_cross_entropy with a factor per class; `smoothing` is applied before the factor. The mean over
    classes divides by the sum of the classes' factors, the mean over distributions by the number of rows, as in
    PyTorch. }]);
  let arguments = (ins RealTensor:$logits, RankedTensorOf<[I32, F64, F32, BF16, F16]>:$target,
      RealTensor:$weight, Optional<ValidRows>:$valid, defaultReduction:$reduction,
      OptionalAttr<IndexValueAttr>:$ignore, DefaultValuedAttr<F64Attr, "0.0">:$smoothing,
      OptionalAttr<SignedI64Attr>:$batch_rows, lastByDefault:$dim);
  let assemblyFormat =
      [{$logits `,` $target `,` $weight (`along` custom<Dim>($dim)^)? (`reduce` $reduction^)? (`ignore` custom<Ignore>($ignore)^)? (`smoothing` custom<Smoothing>($smoothing)^)?
    (`valid` $valid^)? attr-dict custom<Types>(ref($logits), type($logits), ref($target), type($target), ref($weight), type($weight))}];
  let example = "%l = train.weighted_cross_entropy %logits, %label, %w : tensor<4x10xf32>, "
                "tensor<4xi32>, tensor<10xf32>";
  let parts = "`train.softmax_cross_entropy` with a distribution";
  let extraClassDeclaration = [{
    /// Whether the target holds class indices, one per row; distributions are the alternative.
    bool isSparse() { return getTarget().getType().getElementType().isInteger(32); }
    ::mlir::Value getIndices() { return isSparse() ? getTarget() : ::mlir::Value(); }
    int64_t getIndexLimit() { return getAlongSize(); }
    std::optional<int64_t> getIgnoredIndex() { return getIgnore(); }
  }];
}

def Train_FocalOp : Train_CompositeLossOp<"focal"> {
  let summary = "Focal loss: binary cross entropy of sigmoid(x), times (1 - p)^gamma of the "
                "target's probability p (Lin et al. 2017)";
  let doc = !strconcat(lossDoc, [{
    `alpha` is the weight of target 1, and 1 - alpha the weight of target 0; without alpha both are 1. }]);
  let arguments = (ins RealTensor:$x, RealTensor:$target, Optional<ValidRows>:$valid,
      defaultReduction:$reduction, F64Attr:$gamma, OptionalAttr<F64Attr>:$alpha,
      OptionalAttr<SignedI64Attr>:$batch_rows);
  let assemblyFormat =
      [{$x `,` $target `gamma` custom<Gamma>($gamma) (`alpha` custom<Alpha>($alpha)^)? (`reduce` $reduction^)? (`valid` $valid^)?
    attr-dict custom<Types>(ref($x), type($x), ref($target), type($target))}];
  let example =
      "%l = train.focal %x, %target gamma 2.0 alpha 0.25 : tensor<4x10xf32>, tensor<4x10xf32>";
  let parts = "`train.bce_with_logits` and a factor";
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor a, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferElementLoss(loc, a.getX().getType(), a.getTarget().getType(),
                                      ::ampc::reduces(a.getProperties().reduction), types);
    }
  }];
}

class Train_RowLossOp<string mnemonic> : Train_CompositeLossOp<mnemonic, [AlongOpInterface]> {
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor a, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      auto operands = ::mlir::ValueRange(a.getOperands()).drop_back(a.getValid() ? 1 : 0);
      return ::ampc::inferRowLoss(loc, operands.getTypes(), a.getProperties().dim,
                                  ::ampc::reduces(a.getProperties().reduction), types);
    }
  }];
}
def Train_CosineLossOp : Train_RowLossOp<"cosine_loss"> {
  let summary = "Cosine loss: 1 - x y / (|x| |y|) of rows along a dimension, the last by default";
  let doc = !strconcat(lossDoc, [{
    The product of the lengths is taken as at least `eps`. }]);
  let arguments = (ins RealTensor:$x, RealTensor:$target, Optional<ValidRows>:$valid,
      defaultReduction:$reduction, F64Attr:$eps, OptionalAttr<SignedI64Attr>:$batch_rows,
      lastByDefault:$dim);
  let assemblyFormat =
      [{$x `,` $target (`along` custom<Dim>($dim)^)? `eps` custom<Eps>($eps) (`reduce` $reduction^)? (`valid` $valid^)? attr-dict
    custom<Types>(ref($x), type($x), ref($target), type($target))}];
  let example =
      "%l = train.cosine_loss %x, %target eps 1.0e-8 : tensor<4x10xf32>, tensor<4x10xf32>";
  let parts = "sums along rows";
}
def Train_TripletOp : Train_RowLossOp<"triplet"> {
  let summary = "Triplet loss: max(0, |anchor - positive| - |anchor - negative| + margin) of "
                "rows, along a dimension, the last by default (Schroff et al. 2015)";
  let doc = !strconcat(lossDoc, [{
    1e-6 is added to every difference, as in PyTorch, so that rows at distance 0 have a gradient. }]);
  let arguments = (ins RealTensor:$anchor, RealTensor:$positive, RealTensor:$negative,
      Optional<ValidRows>:$valid, defaultReduction:$reduction, F64Attr:$margin,
      OptionalAttr<SignedI64Attr>:$batch_rows, lastByDefault:$dim);
  let assemblyFormat =
      [{$anchor `,` $positive `,` $negative (`along` custom<Dim>($dim)^)? `margin` custom<Margin>($margin) (`reduce` $reduction^)? (`valid` $valid^)? attr-dict
    custom<Types>(ref($anchor), type($anchor), ref($positive), type($positive), ref($negative), type($negative))}];
  let example = "%l = train.triplet %a, %p, %n margin 1.0 : tensor<4x10xf32>, tensor<4x10xf32>, "
                "tensor<4x10xf32>";
  let parts = "sums along rows";
}
#endif
