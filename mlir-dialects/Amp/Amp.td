// Precision of ops, and the loss scale that keeps 16-bit gradients in range.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_AMP
#define AMPC_AMP
include "mlir-dialects/Train/Base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def AmpDialect : Dialect {
  let name = "amp";
  let cppNamespace = "::ampc::amp";
  let summary = "Regions of a precision, scaled gradients and the loss scale";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let description = [{
    The precision phases attach attributes of this dialect to ops of any dialect, whose definitions need not
    declare the attributes; each is verified:

    * `amp.decision`, a `#amp.decision`: reason for a tensor op's compute types, or for an inserted cast;
    * `amp.compute`, two types: the compute types of a contraction's operands, if different from the operand types
      (tf32, fp8);
    * `amp.recompute`: the op is a recomputed copy for the backward pass, and must not be merged with the original;
    * `amp.in_parts`: the op runs for a chunk of rows at a time, in the chunk loop of a loss, without residuals;
    * on programs: `amp.scaler`, the loss scale that the model names; `amp.scale`, the state that holds the scale,
      or `amp.no_scaling`, the reason for its absence; `amp.weight_rounding`, `"nearest"` or `"stochastic"`, the
      rounding of new values of parameters in 16 bits, if the step specifies the rounding; `amp.saved_bytes`, bytes
      of residuals; `amp.checkpoints`, bytes of residuals without checkpoints, operations of the step, and
      operations added by recomputation; `amp.budget`, the activation budget in bytes, the peak, and the peak
      without a budget; `amp.costs`, bytes that each policy would move.
  }];
}
class Amp_Op<string mnemonic, list<Trait> traits = []> : Op<AmpDialect, mnemonic, traits>;

def Amp_ScaledType : TypeDef<AmpDialect, "Scaled"> {
  let mnemonic = "scaled";
  let summary = "Gradient times the loss scale";
  let description = [{
    No train op accepts this type: a gradient must pass `amp.unscale` before clipping, weight decay or an update.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` $type `>`";
  let genVerifyDecl = 1;
}
// Buildable tensor types, e.g. tensor<i1>: 0DTensorOf is not buildable, and assembly formats could
// not omit the type.
def Amp_Flag : Type<0DTensorOf<[I1]>.predicate, "tensor<i1>">,
               BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI1Type())">;
def Amp_Scale : Type<0DTensorOf<[F32]>.predicate, "tensor<f32>">,
                BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;
def Amp_Elements : Type<0DTensorOf<[I64]>.predicate, "tensor<i64>">,
                   BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;
def Amp_Count : Type<0DTensorOf<[I32]>.predicate, "tensor<i32>">,
                BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI32Type())">;

def Amp_DecisionAttr : AttrDef<AmpDialect, "Decision", [AnnotationAttrInterface]> {
  let mnemonic = "decision";
  let summary = "Reason for the compute types of an op";
  let description = [{
    `rule` is the kind of reason (`range`, `override`, `cut`, ...), by which reports sort; `inserted` marks a cast
    that a pass has inserted.

    ```mlir
    %y = train.cast %x {amp.decision = #amp.decision<"inserted", "train.matmul at loss/matmul#0 computes in bf16">} : tensor<8xf32> to tensor<8xbf16>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$rule, "::mlir::StringAttr":$reason);
  let assemblyFormat = "`<` $rule `,` $reason `>`";
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral inserted = "inserted", key = "amp.decision";
    bool isInserted() const { return getRule().getValue() == inserted; }
  }];
}

// ---- Regions ----
def Amp_AutocastOp : Amp_Op<"autocast", [SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "Autocast region: ops in a 16-bit type, or with autocast disabled";
  let description = [{
    The innermost region counts. `disabled` leaves ops in the types of their operands under the policy `autocast`,
    and in f32 under all other policies. `simplify` dissolves regions; the ops, and all ops later derived from the
    ops, keep the type.

    Constraints:

    1. The type is bf16, f16 or f32.
    2. The region yields values of the results' types.

    ```mlir
    %y = amp.autocast bf16 -> tensor<8x4xf32> {
      %0 = train.matmul %x, %w : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
      amp.yield %0 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<TypeAttr>:$type);
  let results = (outs Variadic<AnyRankedTensor>:$outs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($type^):(`disabled`)? (`->` type($outs)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}
def Amp_YieldOp : Amp_Op<"yield", [Pure, Terminator, HasParent<"AutocastOp">]> {
  let summary = "Ends a region";
  let description = [{
    ```mlir
    %y = amp.autocast disabled -> tensor<8x3xf32> {
      %0 = train.exp %x : tensor<8x3xf32>
      amp.yield %0 : tensor<8x3xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ custom<Types>(ref($values), type($values)))? attr-dict";
}

// ---- The loss scale ----
def Amp_ScalingAttr : AttrDef<AmpDialect, "Scaling"> {
  let mnemonic = "scaling";
  let summary = "Parameters of dynamic loss scaling";
  let description = [{
    After `interval` good steps the scale grows by `growth`, to at most `cap` (0: no cap; growth to infinity is
    suppressed). A step with a non-finite gradient is skipped; after `hysteresis` consecutive skipped steps, every
    further skipped step multiplies the scale by `backoff`, down to `floor`. With `dynamic = false` the scale is
    constant; steps are skipped nevertheless. Every parameter has torch's default.

    A scale and its reciprocal are normal numbers of f32: `initial`, and `floor` and `cap` if nonzero, lie in
    [2^-126, 2^126], and `floor` <= `initial` <= `cap`. `growth` is at least 1, `backoff` lies between 0 and 1 in
    f32, `interval` and `hysteresis` in [1, 2^31).

    The scaler skips without a limit. The caller limits consecutive skipped steps: `skip_limit` of `ampc_options`,
    and `ampc train`, which fails if the last 100 steps were all skipped.
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "true">:$dynamic, RealOr<"65536.0">:$initial,
      RealOr<"2.0">:$growth, DefaultValuedParameter<"int64_t", "2000">:$interval,
      RealOr<"0.5">:$backoff, RealOr<"0.0">:$floor, RealOr<"0.0">:$cap,
      DefaultValuedParameter<"int64_t", "1">:$hysteresis);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Names of presets: `torch`, `tf` (Keras), `apex` and `paddle`.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getPresetNames();
    /// Scale in [floor, cap] that is nearest to `scale`.
    double withinLimits(double scale) const;
    /// Constants of a preset; null for an unknown name.
    static ScalingAttr getPreset(::mlir::MLIRContext *context, ::llvm::StringRef name);
  }];
}
def Amp_ScalerOp : Amp_Op<"scaler", [Symbol, HasParent<"::ampc::train::ModelOp">]> {
  let summary = "A loss scale";
  let description = [{
    A step names its scaler by the attribute `amp.scaler = @NAME`; a step without the attribute gets a scaler from
    the compiler's options. Steps that share a scaler share the scale: the scale backs off if any of the steps is
    skipped, and is updated once after each of the steps has run.

    ```mlir
    amp.scaler @scale = #amp.scaling<initial = 128.0, interval = 100>
    amp.scaler @like_keras = tf
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Amp_ScalingAttr:$scaling);
  let assemblyFormat = "$sym_name `=` custom<Scaling>($scaling) attr-dict";
}
def Amp_MarkScaledOp
    : Amp_Op<"mark_scaled", [Pure,
                             TypesMatchWith<"the scaled form of the operand", "x", "result",
                                            "::ampc::amp::ScaledType::get($_self.getContext(), "
                                            "::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "Marks a gradient of the scaled loss";
  let description = [{
    Values inside the backward pass are plain tensors; this op is at the end of the backward pass.

    ```mlir
    %scaled = amp.mark_scaled %g : tensor<4xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs Amp_ScaledType:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def Amp_UnscaleOp : Amp_Op<"unscale", [Pure]> {
  let summary =
      "Unscaled gradient in f32 or f64, times 1 / scale, and the number of non-finite elements";
  let description = [{
    Constraints:

    1. The result has the gradient's shape, in f64 if the gradient is f64, else in f32.
    2. A gradient is unscaled once.

    ```mlir
    %scaled = amp.mark_scaled %g : tensor<4xf16>
    %y, %bad = amp.unscale %scaled by %scale : !amp.scaled<tensor<4xf16>> to tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_ScaledType:$x, Amp_Scale:$scale);
  let results = (outs AnyRankedTensor:$result, Amp_Elements:$nonfinite);
  let assemblyFormat = "$x `by` $scale attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
}
def Amp_NonFiniteOp : Amp_Op<"non_finite", [Pure]> {
  let summary = "Number of elements that are infinite or NaN";
  let description = [{
    ```mlir
    %bad = amp.non_finite %g : tensor<4xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs Amp_Elements:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def Amp_UpdateScaleOp : Amp_Op<"update_scale", [Pure]> {
  let summary = "Update of the loss scale after a step";
  let description = [{
    `good_steps` counts good steps since the last change of the scale; `left` counts the skipped steps that are
    tolerated before the scale backs off. A step has at most one `amp.update_scale`.

    Constraints:

    1. A scale is updated once in a step.

    ```mlir
    %new_scale, %new_good_steps, %new_left = amp.update_scale %scale, %good_steps, %left found_inf %found_inf with <initial = 128.0>
    ```
  }];
  let arguments = (ins Amp_Scale:$scale, Amp_Count:$good_steps, Amp_Count:$left,
      Amp_Flag:$found_inf, Amp_ScalingAttr:$scaling);
  let results = (outs Amp_Scale:$new_scale, Amp_Count:$new_good_steps, Amp_Count:$new_left);
  let assemblyFormat =
      "$scale `,` $good_steps `,` $left `found_inf` $found_inf `with` $scaling attr-dict";
  let hasVerifier = 1;
}
#endif
