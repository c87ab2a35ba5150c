// Normalisation over features and over the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_NORM
#define AMPC_TRAIN_NORM
include "mlir-dialects/Train/Base.td"

class Train_RowNormOp<string mnemonic> : Train_Op<mnemonic, FullPrecision,
                                                  [AllTypesMatch<["x", "result"]>, AlongOpInterface,
                                                   DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let doc = [{
    Only operands are saved: the adjoint recomputes the statistics of a row while the row is in the cache, which
    costs less than storing statistics. }];
  let hasVerifier = 1;
}
def Train_LayerNormOp : Train_RowNormOp<"layer_norm"> {
  let summary = "Layer normalisation: (x - mean) / sqrt(variance + eps) * gamma + beta along a "
                "dimension, the last by default (Ba et al. 2016)";
  let lists = ["mincut=normalize", "autocast=full"];
  let range = [{ return ::ampc::Range(::ampc::within(*getNormalizedBound())) * x(1) + x(2); }];
  let extraClassDeclaration = "std::optional<double> getNormalizedBound();";
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, RealTensor:$beta, F64Attr:$eps,
      lastByDefault:$dim);
  let assemblyFormat =
      [{$x `,` $gamma `,` $beta (`along` custom<Dim>($dim)^)? `eps` custom<Eps>($eps) attr-dict
      custom<Types>(ref($x), type($x), ref($gamma), type($gamma), ref($beta), type($beta))}];
  let example = "%y = train.layer_norm %x, %gamma, %beta eps 1.0e-5 : tensor<4x8xf32>, "
                "tensor<8xf32>, tensor<8xf32>";
  let saves = ["0", "1"];
  let scalar = [{
    Value n = b.real(double(getX().getType().getShape().back()));
    Value centred = b.sub(x[0], b.div(b.rowSum(x[0]), n));
    Value variance = b.div(b.rowSum(b.mul(centred, centred)), n);
    Value scale = b.rsqrt(b.add(variance, b.real(getEps().convertToDouble())));
    return b.add(b.mul(b.mul(centred, scale), x[1]), x[2]); }];
}
def Train_RmsNormOp : Train_RowNormOp<"rms_norm"> {
  let summary = "Root mean square normalisation: x / sqrt(mean(x^2) + eps) * gamma along a "
                "dimension, the last by default (Zhang and Sennrich 2019)";
  let lists = ["mincut=normalize", "autocast=full"];
  let range = [{ return ::ampc::Range(::ampc::within(*getNormalizedBound())) * x(1); }];
  let extraClassDeclaration = "std::optional<double> getNormalizedBound();";
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, F64Attr:$eps, lastByDefault:$dim);
  let assemblyFormat =
      "$x `,` $gamma (`along` custom<Dim>($dim)^)? `eps` custom<Eps>($eps) attr-dict custom<Types>(ref($x), type($x), "
      "ref($gamma), type($gamma))";
  let example = "%y = train.rms_norm %x, %gamma eps 1.0e-6 : tensor<4x8xf32>, tensor<8xf32>";
  let saves = ["0", "1"];
  let scalar = [{
    Value n = b.real(double(getX().getType().getShape().back()));
    Value square = b.div(b.rowSum(b.mul(x[0], x[0])), n);
    return b.mul(b.mul(x[0], b.rsqrt(b.add(square, b.real(getEps().convertToDouble())))), x[1]); }];
}

// Adjoint for x in one pass over the rows, together with the statistics for gamma's adjoint.
class Train_RowNormGradOp<string mnemonic>
    : Train_Op<mnemonic, FullPrecision,
               [InferTypeOpAdaptor,
                DeclareOpInterfaceMethods<ScalarOpInterface, ["getResultMap"]>]> {
  let extraClassDeclaration = "bool resultIsStatistic(unsigned index) { return index > 0; }";
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, RealTensor:$g, F64Attr:$eps);
  let assemblyFormat =
      "$x `,` $gamma `,` $g `eps` custom<Eps>($eps) attr-dict "
      "custom<Types>(ref($x), type($x), ref($gamma), type($gamma), ref($g), type($g))";
  let saves = ["0", "1", "2", "result"];
  let reducesRow = 1;
  let hasVerifier = 1;
}
def Train_LayerNormGradOp : Train_RowNormGradOp<"layer_norm_grad"> {
  let summary =
      "Cotangent of layer_norm's operand x, and mean and 1 / sqrt(variance + eps) per row";
  let lists = ["mincut=normalize"];
  let results = (outs RealTensor:$dx, RealTensor:$mean, RealTensor:$scale);
  let example = "%dx, %mean, %scale = train.layer_norm_grad %x, %gamma, %g eps 1.0e-5 : "
                "tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>";
}
def Train_RmsNormGradOp : Train_RowNormGradOp<"rms_norm_grad"> {
  let summary = "Cotangent of rms_norm's operand x, and 1 / sqrt(mean(x^2) + eps) per row";
  let lists = ["mincut=normalize"];
  let results = (outs RealTensor:$dx, RealTensor:$scale);
  let example = "%dx, %scale = train.rms_norm_grad %x, %gamma, %g eps 1.0e-6 : tensor<4x8xf32>, "
                "tensor<8xf32>, tensor<4x8xf32>";
}

def Train_BatchNormOp
    : Op<TrainDialect, "batch_norm",
         [AllTypesMatch<["x", "result"]>, Pure, DeclareOpInterfaceMethods<PrecisionOpInterface>,
          DeclareOpInterfaceMethods<ModalOpInterface>, ValidRowsOpInterface, AlongOpInterface,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Batch normalisation of every channel (last dimension, or another) over the "
                "batch and the image (Ioffe and Szegedy 2015)";
  let description = [{
    In training, `simplify` replaces the op by the statistics of the batch, `train.batch_normalize`, and writes of
    the running statistics: running = (1 - momentum) * running + momentum * batch, with the unbiased variance
    (divisor n - 1), as in PyTorch, or with `population` the biased variance (divisor n), as in ONNX. In inference,
    the running statistics are read. Rows beyond `valid` are left out of the statistics. A step that applies one
    norm twice updates the running statistics twice, in the order of the text.

    ```mlir
    %y = train.batch_norm %x, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
      : tensor<8x4x4x3xf32>, tensor<3xf32>, tensor<3xf32>
    ```

    Precision category: `FullPrecision`. Modal: its forms bring the adjoint.
  }];
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, RealTensor:$beta,
      Optional<ValidRows>:$valid, FlatSymbolRefAttr:$running_mean,
      FlatSymbolRefAttr:$running_variance, F64Attr:$momentum, F64Attr:$eps,
      OptionalAttr<SignedI64Attr>:$batch_rows, lastByDefault:$dim, UnitAttr:$population);
  let results = (outs RealTensor:$result);
  let assemblyFormat =
      [{$x `,` $gamma `,` $beta (`along` custom<Dim>($dim)^)? (`valid` $valid^)? `running` $running_mean `,` $running_variance
    `momentum` custom<Momentum>($momentum) `eps` custom<Eps>($eps) (`population` $population^)? attr-dict
    custom<Types>(ref($x), type($x), ref($gamma), type($gamma), ref($beta), type($beta))}];
  let hasVerifier = 1;
  let extraClassDefinition =
      "::ampc::Category $cppClass::getCategory() { return ::ampc::Category::FullPrecision; }";
}
def Train_BatchNormalizeOp
    : Train_Op<"batch_normalize", FullPrecision,
               [AllTypesMatch<["x", "result"]>, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Batch normalisation with given statistics: (x - mean) * scale * gamma + beta "
                "per channel";
  let lists = ["mincut=normalize", "propagate=infer"];
  let doc = [{
    `count` elements per channel went into the statistics. The adjoint includes the dependence of the statistics on
    x, which therefore have no separate cotangents. Rows that are not `valid` get no cotangent. }];
  let arguments = (ins RealTensor:$x, RealTensor:$mean, RealTensor:$scale, RealTensor:$gamma,
      RealTensor:$beta, RealTensor:$count, Optional<ValidRows>:$valid,
      OptionalAttr<SignedI64Attr>:$batch_rows);
  let assemblyFormat =
      [{$x `mean` $mean `scale` $scale `gamma` $gamma `beta` $beta `count` $count (`valid` $valid^)?
    attr-dict `:` type($x) `,` type($mean) `,` type($scale) `,` type($gamma) `,` type($beta) `,` type($count)}];
  let example = [{%y = train.batch_normalize %x mean %m scale %s gamma %g beta %b count %n
        : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>}];
  let saves = ["0", "1", "2", "3", "5", "6"];
  let scalar = [{ return b.add(b.mul(b.mul(b.sub(x[0], x[1]), x[2]), x[3]), x[4]); }];
  let hasVerifier = 1;
}
#endif
