// Initialisers, optimizers and learning-rate schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_ATTRS
#define AMPC_TRAIN_ATTRS
include "mlir-dialects/Train/TrainBase.td"

// ---- Initialisers: `fan_in` is the first dimension of a matrix, or KH*KW*I of an OHWI filter. ----
class Train_InitAttr<string cppName, string keyword>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<InitAttrInterface>]>;

def Train_ZerosAttr : Train_InitAttr<"Zeros", "zeros"> { let summary = "All elements 0"; }
def Train_OnesAttr : Train_InitAttr<"Ones", "ones"> { let summary = "All elements 1"; }
def Train_FillAttr : Train_InitAttr<"Fill", "fill"> {
  let summary = "All elements equal to `value`";
  let parameters = (ins Real:$value);
  let assemblyFormat = "`<` $value `>`";
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

// ---- Optimizers ----
class Train_OptimizerAttr<string cppName, string keyword, list<string> methods = []>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<OptimizerAttrInterface, methods>]> {
  let assemblyFormat = "`<` struct(params) `>`";
  // Every rule has a parameter of this name; the interface asks for it as a number.
  string learningRate = "double $cppClass::getLearningRate() const { return getLr().convertToDouble(); }\n";
  let extraClassDefinition = learningRate;
  let genVerifyDecl = 1;
}
def MomentsIn : OptionalParameter<"::mlir::Type">;
// `moments = bf16` keeps moments in 16 bits, rounded stochastically; the rule computes in the parameter's type.
class Train_NarrowOptimizerAttr<string cppName, string keyword, list<string> methods>
    : Train_OptimizerAttr<cppName, keyword, methods # ["getMomentType"]> {
  let extraClassDefinition = learningRate # "::mlir::Type $cppClass::getMomentType() const { return getMoments(); }\n";
}
def Train_SgdAttr : Train_NarrowOptimizerAttr<"Sgd", "sgd", ["getRowUpdate"]> {
  let summary = "Stochastic gradient descent with momentum, dampening 0, as in torch.optim.SGD";
  let parameters = (ins Real:$lr, RealOr<"0.0">:$momentum, RealOr<"0.0">:$weight_decay,
                        DefaultValuedParameter<"bool", "false">:$nesterov, MomentsIn:$moments);
}
def Train_AdamAttr : Train_NarrowOptimizerAttr<"Adam", "adam", ["getRowUpdate", "isLazy"]> {
  let summary = "Adam with L2 weight decay (Kingma and Ba 2015)";
  let description = [{
    With `lazy`, rows of a table that no index of the step names keep their values and moments, as with torch.optim.SparseAdam;
    without it their moments decay and move them on.
  }];
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.999">:$beta2, RealOr<"1e-8">:$eps,
                        RealOr<"0.0">:$weight_decay, DefaultValuedParameter<"bool", "false">:$lazy, MomentsIn:$moments);
}
def Train_AdamWAttr : Train_NarrowOptimizerAttr<"AdamW", "adamw", ["getRowUpdate", "isLazy"]> {
  let summary = "Adam with decoupled weight decay (Loshchilov and Hutter 2019)";
  let description = "`lazy` as for `#train.adam`; weights decay in the rows that are updated.";
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.999">:$beta2, RealOr<"1e-8">:$eps,
                        RealOr<"0.01">:$weight_decay, DefaultValuedParameter<"bool", "false">:$lazy, MomentsIn:$moments);
}
def Train_AdagradAttr : Train_OptimizerAttr<"Adagrad", "adagrad", ["getInitialMoment", "getRowUpdate"]> {
  let summary = "Adagrad (Duchi et al. 2011)";
  let parameters = (ins Real:$lr, RealOr<"1e-10">:$eps, RealOr<"0.0">:$initial_accumulator,
                        RealOr<"0.0">:$weight_decay);
}
def Train_RowwiseAdagradAttr : Train_OptimizerAttr<"RowwiseAdagrad", "rowwise_adagrad",
                                                    ["getInitialMoment", "getMomentShape", "getRowUpdate"]> {
  let summary = "Adagrad with one accumulator per row: the sum of the rows' mean squared gradients";
  let description = [{
    A row is what the first dimension counts. The accumulator of a table of vectors takes 1/width of the table's memory (the rule of
    large recommendation models, Mudigere et al. 2022).
  }];
  let parameters = (ins Real:$lr, RealOr<"1e-8">:$eps, RealOr<"0.0">:$initial_accumulator,
                        RealOr<"0.0">:$weight_decay);
}
def Train_RmspropAttr : Train_OptimizerAttr<"Rmsprop", "rmsprop"> {
  let summary = "RMSprop with momentum (Tieleman and Hinton 2012), as in torch.optim.RMSprop";
  let parameters = (ins Real:$lr, RealOr<"0.99">:$alpha, RealOr<"1e-8">:$eps, RealOr<"0.0">:$momentum,
                        RealOr<"0.0">:$weight_decay);
}
def Train_LambAttr : Train_OptimizerAttr<"Lamb", "lamb", ["getRowUpdate"]> {
  let summary = "Adam with a layer-wise trust ratio (You et al. 2020)";
  let parameters = (ins Real:$lr, RealOr<"0.9">:$beta1, RealOr<"0.999">:$beta2, RealOr<"1e-6">:$eps,
                        RealOr<"0.01">:$weight_decay);
}

def Train_GroupAttr : Train_Attr<"Group", "group"> {
  let summary = "Parameters of a step with a rule of their own, as a parameter group of torch.optim";
  let description = [{
    ```mlir
    train.step @fit minimize @loss over [@table, @w, @b] with #train.adamw<lr = 1.0e-3, weight_decay = 0.1>
      groups [#train.group<params = [@b], optimizer = #train.adamw<lr = 1.0e-3, weight_decay = 0.0>>,
              #train.group<params = [@table], optimizer = #train.rowwise_adagrad<lr = 1.0e-2>>]
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$params, "::ampc::OptimizerAttrInterface":$optimizer);
  let assemblyFormat = "`<` struct(params) `>`";
}

// ---- Schedules: factors on the optimizer's learning rate. `step` counts from 1. ----
class Train_ScheduleAttr<string cppName, string keyword>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<ScheduleAttrInterface>]>;

def Train_ConstantScheduleAttr : Train_ScheduleAttr<"ConstantSchedule", "constant_schedule"> {
  let summary = "Factor 1";
}
def Train_LinearWarmupAttr : Train_ScheduleAttr<"LinearWarmup", "linear_warmup"> {
  let summary = "From 1/warmup at the first step to 1 at step `warmup`, then 1";
  let parameters = (ins "int64_t":$warmup);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_CosineAttr : Train_ScheduleAttr<"Cosine", "cosine"> {
  let summary = "Linear warm-up, then half a cosine from 1 down to `floor` at step `steps` (Loshchilov and Hutter 2017)";
  let parameters = (ins "int64_t":$steps, DefaultValuedParameter<"int64_t", "0">:$warmup, RealOr<"0.0">:$floor);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_StepDecayAttr : Train_ScheduleAttr<"StepDecay", "step_decay"> {
  let summary = "Multiplied by `gamma` every `every` steps";
  let parameters = (ins "int64_t":$every, RealOr<"0.1">:$gamma);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
#endif
