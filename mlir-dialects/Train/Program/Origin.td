// Where an op of a step comes from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_ORIGIN
#define AMPC_TRAIN_ORIGIN
include "mlir-dialects/Train/Program/Signature.td"

def Train_Stage : Train_Enum<"Stage", "a part of a step",
                             [I32EnumAttrCase<"Forward", 0, "forward">,
                              I32EnumAttrCase<"Backward", 1, "backward">,
                              I32EnumAttrCase<"Update", 2, "update">]>;

def Train_OriginAttr
    : Train_Attr<"Origin",
                 "origin", [DeclareAttrInterfaceMethods<AnnotationAttrInterface, ["getMeaning"]>]> {
  let summary = "Provenance of an op";
  let description = [{
    The value of `train.origin` on a tensor op, and an element of `train.origins` on a kernel. Ops of a step have
    an origin in any dialect, so these attributes belong to the train dialect in place of each op's definition.
    `train-name-ops` sets the `name` of every op of a model; derived ops (decomposition, adjoint, casts of results)
    keep the name. `stage` is forward, backward or update. `order` counts how often the op was differentiated: an
    adjoint is called `NAME.grad`. `source` is the mnemonic of the composite op whose decomposition contains the
    op, `part` the micro-batch, `segment` the checkpoint that contains the op. `region` is the type of the
    innermost `amp.autocast` around the op of the model, or unit if that disables autocast; `compute` the type that
    the model or an optimizer fixes for the op.

    Constants have no origin. If two equal ops are merged, the first origin is kept (see AnnotationAttrInterface);
    a fused kernel has the origins of all fused ops, in order.

    ```mlir
    %y = train.mul %g, %x {train.origin = #train.origin<"loss/mul#0", stage = backward, order = 1>} : tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
      OrNone<"::ampc::train::Stage", "::ampc::train::Stage::Forward">:$stage,
      OrNone<"int64_t", "0">:$order, OptionalParameter<"::mlir::StringAttr">:$source,
      OrNone<"int64_t", "0">:$part, OptionalParameter<"::mlir::Attribute">:$region,
      OptionalParameter<"::mlir::Type">:$compute, OptionalParameter<"::mlir::StringAttr">:$segment);
  let assemblyFormat =
      "`<` $name (`,` struct($stage, $order, $source, $part, $region, $compute, $segment)^)? `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilderWithInferredContext<
      (ins "::mlir::StringAttr":$name,
          CArg<"::ampc::train::Stage", "::ampc::train::Stage::Forward">:$stage),
      [{
    return $_get(name.getContext(), name, stage, 0, ::mlir::StringAttr(), 0, ::mlir::Attribute(), ::mlir::Type(), ::mlir::StringAttr());
  }]>];
  let extraClassDeclaration = [{
    /// Name of an op for overrides, random keys, `check`, profiles and reports: the name, and
    /// `.grad` once per order.
    std::string getText() const;
    /// Whether two origins stem from a single op, e.g. a decomposed op or an adjoint: name and
    /// order are equal.
    bool isOneWith(OriginAttr other) const { return other && getName() == other.getName() && getOrder() == other.getOrder(); }
    bool isForward() const { return getStage() == Stage::Forward; }
    bool isUpdate() const { return getStage() == Stage::Update; }
    /// Copy with another field; a null origin stays null.
    OriginAttr withName(::llvm::StringRef name) const;
    OriginAttr withStage(Stage stage) const;
    /// Origin of the adjoint: the order increases by 1.
    OriginAttr differentiated() const;
    OriginAttr withSource(::llvm::StringRef mnemonic) const;
    OriginAttr withPart(int64_t part) const;
    OriginAttr withRegion(::mlir::Attribute region) const;
    OriginAttr withCompute(::mlir::Type type) const;
    /// Null: in none.
    OriginAttr withSegment(::mlir::StringAttr segment) const;
  }];
}
#endif
