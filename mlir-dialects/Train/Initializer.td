// Initialisers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_INITIALIZER
#define AMPC_TRAIN_INITIALIZER
include "mlir-dialects/Train/Base.td"

// `fan_in` is the first dimension of a matrix, or KH*KW*I of an OHWI filter.
class Train_InitAttr<string cppName, string keyword>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<InitAttrInterface>]>;

def Train_ZerosAttr : Train_InitAttr<"Zeros", "zeros"> { let summary = "All elements 0"; }
def Train_OnesAttr : Train_InitAttr<"Ones", "ones"> { let summary = "All elements 1"; }
def Train_FillAttr : Train_InitAttr<"Fill", "fill"> {
  let summary = "All elements equal to `value`";
  let parameters = (ins Real:$value);
  let assemblyFormat = "`<` $value `>`";
}
def Train_DataAttr : Train_InitAttr<"Data", "data"> {
  let summary = "A tensor of a file of safetensors: of the name of the parameter, or of `name`";
  let description = [{
    `file` is relative to the model's file. The tensor has the shape of what it is the first value of; its numbers are rounded to that type.
    The compiler reads them when it writes the library, and the text never holds them.
  }];
  let parameters = (ins "::mlir::StringAttr":$file, OptionalParameter<"::mlir::StringAttr">:$name);
  let assemblyFormat = "`<` $file (`,` $name^)? `>`";
  let genVerifyDecl = 1;
}
def Train_UniformAttr : Train_InitAttr<"Uniform", "uniform"> {
  let summary = "Uniform on [low, high)";
  let parameters = (ins Real:$low, Real:$high);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_NormalAttr : Train_InitAttr<"Normal", "normal"> {
  let summary = "Normal with the given mean and standard deviation";
  let parameters = (ins RealOr<"0.0">:$mean, RealOr<"1.0">:$std);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_TruncatedNormalAttr : Train_InitAttr<"TruncatedNormal", "truncated_normal"> {
  let summary = "Normal, drawn again outside two standard deviations";
  let parameters = (ins RealOr<"0.0">:$mean, RealOr<"1.0">:$std);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_XavierUniformAttr : Train_InitAttr<"XavierUniform", "xavier_uniform"> {
  let summary = "Uniform with bound sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)";
}
def Train_XavierNormalAttr : Train_InitAttr<"XavierNormal", "xavier_normal"> {
  let summary = "Normal with variance 2 / (fan_in + fan_out) (Glorot and Bengio 2010)";
}
def Train_KaimingUniformAttr : Train_InitAttr<"KaimingUniform", "kaiming_uniform"> {
  let summary = "Uniform with bound sqrt(6 / fan_in) (He et al. 2015)";
}
def Train_KaimingNormalAttr : Train_InitAttr<"KaimingNormal", "kaiming_normal"> {
  let summary = "Normal with variance 2 / fan_in (He et al. 2015)";
}
#endif
