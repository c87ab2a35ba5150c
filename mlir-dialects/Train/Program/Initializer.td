// Initialisers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_INITIALIZER
#define AMPC_TRAIN_INITIALIZER
include "mlir-dialects/Train/Base.td"

class Train_InitAttr<string cppName, string keyword, list<string> methods = []>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<InitAttrInterface, methods>]>;

defvar fanDoc = [{
    An omitted fan is the fan of the op that multiplies data by the tensor, which the pass `train-resolve-fans`
    finds through moves, casts, calls and ops of equal shape. An error is emitted if no op has fans, if two ops
    have different fans, or if the tensor is multiplied by other weights before data.

    | op | fan_in | fan_out |
    |---|---|---|
    | `matmul`, `linear`, `einsum` | product of the dimensions that are summed over | product of the other dimensions, except dimensions that the data has, too: a batch, or experts with separate rows |
    | convolution, filter [O, K..., I] | K... I | K... O, with groups as well |
    | `conv_transpose`, filter [O, K..., I], with I channels of the result | K... I | K... O |
    | `embedding`, `embedding_bag`, `gather`, table [rows, width] | width | rows |

    Windows and tables have the fans of `torch.nn.init`, where a transposed convolution has the fans of the
    convolution whose adjoint it is.
}];
class Train_FanAttr<string cppName, string keyword, dag fans>
    : Train_InitAttr<cppName, keyword, ["getMissingFans", "withFans"]> {
  let description = fanDoc;
  let parameters = fans;
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
}
def Fan : Whole<"a whole number, by default the fan of the op that reads the tensor"> {
  let defaultValue = "::ampc::Fans::open";
}

def Train_ZerosAttr : Train_InitAttr<"Zeros", "zeros"> { let summary = "All elements 0"; }
def Train_OnesAttr : Train_InitAttr<"Ones", "ones"> { let summary = "All elements 1"; }
def Train_FillAttr : Train_InitAttr<"Fill", "fill"> {
  let summary = "All elements equal to `value`";
  let parameters = (ins Real:$value);
  let assemblyFormat = "`<` $value `>`";
}
def Train_DataAttr : Train_InitAttr<"Data", "data"> {
  let summary = "Data of a safetensors file: the tensor with the parameter's name, or `name`";
  let description = [{
    `file` is relative to the model's file. The tensor must have the shape of the initialized state; the numbers
    are rounded to the state's type. The compiler reads the file when it writes the library; the numbers are not
    part of the text.
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
  let summary = "Normal, redrawn outside two standard deviations";
  let parameters = (ins RealOr<"0.0">:$mean, RealOr<"1.0">:$std);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_XavierUniformAttr
    : Train_FanAttr<"XavierUniform", "xavier_uniform", (ins Fan:$fan_in, Fan:$fan_out)> {
  let summary = "Uniform with bound sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)";
}
def Train_XavierNormalAttr
    : Train_FanAttr<"XavierNormal", "xavier_normal", (ins Fan:$fan_in, Fan:$fan_out)> {
  let summary = "Normal with variance 2 / (fan_in + fan_out) (Glorot and Bengio 2010)";
}
def Train_KaimingUniformAttr
    : Train_FanAttr<"KaimingUniform", "kaiming_uniform", (ins Fan:$fan_in)> {
  let summary = "Uniform with bound sqrt(6 / fan_in) (He et al. 2015)";
}
def Train_KaimingNormalAttr : Train_FanAttr<"KaimingNormal", "kaiming_normal", (ins Fan:$fan_in)> {
  let summary = "Normal with variance 2 / fan_in (He et al. 2015)";
}
#endif
