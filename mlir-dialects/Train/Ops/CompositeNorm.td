// Norms made of other ops: of groups and windows of channels, of vectors, and of weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_COMPOSITENORM
#define AMPC_TRAIN_COMPOSITENORM
include "mlir-dialects/Train/Base.td"

class Train_CompositeNormOp<string mnemonic, list<Trait> traits = []>
    : Train_CompositeOp<mnemonic, FullPrecision,
                        traits#[AllTypesMatch<["x", "result"]>,
                                DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let lists = ["autocast=full"];
  let hasVerifier = 1;
}
class Train_ChannelNormOp<string mnemonic> : Train_CompositeNormOp<mnemonic, [AlongOpInterface]> {
  let example =
      "%y = train."#mnemonic#" %x, %gamma, %beta eps 1.0e-5 : tensor<4x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>";
  let parts = "means, `train.rsqrt` and products";
}
def Train_GroupNormOp : Train_ChannelNormOp<"group_norm"> {
  let summary = "Group normalisation: (x - mean) / sqrt(variance + eps) * gamma + beta within "
                "groups of channels of a row (Wu and He 2018)";
  let doc = [{
    Channels are the last dimension, or dimension `along`; consecutive channels form a group. Mean and variance of
    a group are over all dimensions but the first. }];
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, RealTensor:$beta, SignedI64Attr:$groups,
      F64Attr:$eps, lastByDefault:$dim);
  let assemblyFormat =
      [{$x `,` $gamma `,` $beta (`along` custom<Dim>($dim)^)? `groups` custom<Groups>($groups) `eps` custom<Eps>($eps) attr-dict
      custom<Types>(ref($x), type($x), ref($gamma), type($gamma), ref($beta), type($beta))}];
  let example = "%y = train.group_norm %x, %gamma, %beta groups 4 eps 1.0e-5 : "
                "tensor<4x6x6x8xf32>, tensor<8xf32>, tensor<8xf32>";
}
def Train_InstanceNormOp : Train_ChannelNormOp<"instance_norm"> {
  let summary = "Instance normalisation: (x - mean) / sqrt(variance + eps) * gamma + beta "
                "within a channel of a row (Ulyanov et al. 2016)";
  let doc = [{
    Channels are the last dimension, or dimension `along`. Mean and variance are over all other dimensions except
    the first. }];
  let arguments = (ins RealTensor:$x, RealTensor:$gamma, RealTensor:$beta, F64Attr:$eps,
      lastByDefault:$dim);
  let assemblyFormat =
      [{$x `,` $gamma `,` $beta (`along` custom<Dim>($dim)^)? `eps` custom<Eps>($eps) attr-dict
      custom<Types>(ref($x), type($x), ref($gamma), type($gamma), ref($beta), type($beta))}];
}
def Train_LrnOp : Train_CompositeNormOp<"lrn", [AlongOpInterface]> {
  let summary = "Local response normalisation: x / (bias + alpha / size * sum of x^2 over "
                "`size` neighbouring channels)^beta (Krizhevsky et al. 2012)";
  let doc = [{
    Channels are the last dimension, or dimension `along`. A window of an even number of channels has one more
    channel behind than in front. Windows are cut off at the first and last channel. }];
  let arguments = (ins RealTensor:$x, SignedI64Attr:$size,
      DefaultValuedAttr<F64Attr, "1.0e-4">:$alpha, DefaultValuedAttr<F64Attr, "0.75">:$beta,
      DefaultValuedAttr<F64Attr, "1.0">:$bias, lastByDefault:$dim);
  let assemblyFormat =
      [{$x (`along` custom<Dim>($dim)^)? `size` custom<LrnSize>($size) (`alpha` custom<Alpha>($alpha)^)? (`beta` custom<Beta>($beta)^)? (`bias` custom<Bias>($bias)^)?
      attr-dict custom<Types>(ref($x), type($x))}];
  let example = "%y = train.lrn %x size 5 alpha 1.0e-4 : tensor<4x6x6x8xf32>";
  let parts = "slices of `train.square`, and `train.pow`";
}
def Train_NormalizeOp : Train_CompositeNormOp<"normalize"> {
  let summary = "Normalisation to unit length: x / max(|x|, eps) of vectors along a dimension";
  let doc = [{
    The length is (sum of |x|^p)^(1/p) with p 1 or 2. }];
  let arguments = (ins RealTensor:$x, SignedI64Attr:$dim, DefaultValuedAttr<F64Attr, "2.0">:$p,
      DefaultValuedAttr<F64Attr, "1.0e-12">:$eps);
  let assemblyFormat =
      [{$x `along` custom<Dim>($dim) (`p` custom<P>($p)^)? (`eps` custom<Eps>($eps)^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%y = train.normalize %x along 1 : tensor<4x8xf32>";
  let parts = "`train.reduce_l2` or `train.reduce_l1`, and a quotient";
}
def Train_WeightNormOp : Train_CompositeNormOp<"weight_norm"> {
  let summary = "Weight normalisation: x * g / |x|, a weight as length and direction (Salimans "
                "and Kingma 2016)";
  let doc = [{
    g has a length per element of a dimension, and |x| is over all other dimensions. }];
  let arguments = (ins RealTensor:$x, RealTensor:$g, SignedI64Attr:$dim);
  let assemblyFormat =
      "$x `,` $g `along` custom<Dim>($dim) attr-dict custom<Types>(ref($x), type($x), ref($g), type($g))";
  let example = "%w = train.weight_norm %v, %g along 1 : tensor<8x16xf32>, tensor<16xf32>";
  let parts = "`train.reduce_l2` and a quotient";
}
def Train_SpectralNormOp
    : Train_CompositeOp<
          "spectral_norm",
          FullPrecision, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Spectral normalisation: x / sigma, with sigma an estimate of the largest "
                "singular value (Miyato et al. 2018)";
  let doc = [{
    x is a matrix with a row per element of dimension `dim`; all other dimensions are columns. `u` has an element
    per row. Power iteration: every iteration computes v = x^T u and u = x v, normalized to length 1 (lengths are
    bounded below by `eps`); sigma is u^T x v. The second result is the new u, which a step keeps in a buffer. u
    and v have no gradient. Without iterations, as in evaluation, u is unchanged. }];
  let lists = ["autocast=full"];
  let arguments = (ins RealTensor:$x, RealTensor:$u, SignedI64Attr:$dim,
      DefaultValuedAttr<SignedI64Attr, "1">:$iterations,
      DefaultValuedAttr<F64Attr, "1.0e-12">:$eps);
  let results = (outs RealTensor:$result, RealTensor:$new_u);
  let assemblyFormat =
      [{$x `,` $u `along` custom<Dim>($dim) (`iterations` custom<Iterations>($iterations)^)? (`eps` custom<Eps>($eps)^)? attr-dict
      custom<Types>(ref($x), type($x), ref($u), type($u))}];
  let example = "%w, %u1 = train.spectral_norm %v, %u along 1 : tensor<8x16xf32>, tensor<16xf32>";
  let parts = "products with vectors and a quotient";
  let hasVerifier = 1;
}
#endif
