// Schedules: factors on the optimizer's learning rate. `step` counts from 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SCHEDULE
#define AMPC_TRAIN_SCHEDULE
include "mlir-dialects/Train/Base.td"

class Train_ScheduleAttr<string cppName, string keyword>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<ScheduleAttrInterface>]>;

def Train_ConstantScheduleAttr : Train_ScheduleAttr<"ConstantSchedule", "constant_schedule"> {
  let summary = "Factor 1";
}
def Train_LinearWarmupAttr : Train_ScheduleAttr<"LinearWarmup", "linear_warmup"> {
  let summary = "From 1/warmup at the first step to 1 at step `warmup`, then 1";
  let parameters = (ins Whole<>:$warmup);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_CosineAttr : Train_ScheduleAttr<"Cosine", "cosine"> {
  let summary = "Linear warm-up, then half a cosine from 1 down to `floor` at step `steps` "
                "(Loshchilov and Hutter 2017)";
  let parameters = (ins Whole<>:$steps, WholeOr<"0">:$warmup, RealOr<"0.0">:$floor);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_StepDecayAttr : Train_ScheduleAttr<"StepDecay", "step_decay"> {
  let summary = "Multiplied by `gamma` every `every` steps";
  let parameters = (ins Whole<>:$every, RealOr<"0.1">:$gamma);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
#endif
