// Schedules: factors on the optimizer's learning rate. `step` counts from 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SCHEDULE
#define AMPC_TRAIN_SCHEDULE
include "mlir-dialects/Train/Base.td"

class Train_ScheduleAttr<string cppName, string keyword, list<string> methods = []>
    : Train_Attr<cppName, keyword, [DeclareAttrInterfaceMethods<ScheduleAttrInterface, methods>]>;

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
def Train_LinearAttr : Train_ScheduleAttr<"Linear", "linear"> {
  let summary = "Linear warm-up, then a line from `start` to `end` at step `steps`";
  let description = [{
    A rate that rises is a line too: `start = 0.1, end = 1.0`. With `warmup = 1` the first step has `start`, as with PyTorch's LinearLR of
    `total_iters = steps - 1`.
  }];
  let parameters = (ins Whole<>:$steps, WholeOr<"0">:$warmup, RealOr<"1.0">:$start,
      RealOr<"0.0">:$end);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_PolynomialAttr : Train_ScheduleAttr<"Polynomial", "polynomial"> {
  let summary = "Linear warm-up, then polynomial decay to `floor` at step `steps`, with "
                "exponent `power` of the remaining share";
  let description = [{
    `floor` + (1 - `floor`) (1 - t)^`power`, where t goes from 0 to 1. With `warmup = 1` the first step has 1, as with PyTorch's PolynomialLR
    of `total_iters = steps - 1`.
  }];
  let parameters = (ins Whole<>:$steps, WholeOr<"0">:$warmup, RealOr<"1.0">:$power,
      RealOr<"0.0">:$floor);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_OneCycleAttr
    : Train_ScheduleAttr<"OneCycle", "one_cycle", ["hasMomentum", "buildMomentum"]> {
  let summary = "One cycle: up to the optimizer's rate, and down below the initial rate, over "
                "`steps` steps (Smith and Topin 2018), as PyTorch's OneCycleLR";
  let description = [{
    From 1/`div_factor` at the first step up to 1 at the share `pct_start` of all steps, then down to
    1/(`div_factor` `final_div_factor`) at the last, by half cosines or, with `linear`, by lines. With
    `three_phase`, the factor first returns to its initial value in as many steps as the rise took, and falls to
    the end from there.

    With `max_momentum`, the momentum falls from `max_momentum` to `base_momentum` while the rate rises, and
    returns while the rate falls: PyTorch's `cycle_momentum`, with 0.95 and 0.85. The value replaces the rule's
    `momentum`, or `beta1`. Without `max_momentum`, the momentum is constant.
  }];
  let parameters = (ins Whole<>:$steps, RealOr<"0.3">:$pct_start, RealOr<"25.0">:$div_factor,
      RealOr<"1e4">:$final_div_factor, RealOr<"0.0">:$base_momentum, RealOr<"0.0">:$max_momentum,
      DefaultValuedParameter<"bool", "false">:$linear,
      DefaultValuedParameter<"bool", "false">:$three_phase);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_StepDecayAttr : Train_ScheduleAttr<"StepDecay", "step_decay"> {
  let summary = "Step decay: multiplied by `gamma` every `every` steps";
  let parameters = (ins Whole<>:$every, RealOr<"0.1">:$gamma);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_MultiStepAttr : Train_ScheduleAttr<"MultiStep", "multi_step"> {
  let summary = "Multiplied by `gamma` behind each step in `at`, as PyTorch's MultiStepLR";
  let description = [{
    With `at = [30, 80]` the factor is 1 up to step 30, `gamma` from step 31 on, and `gamma` squared from step 81 on.
  }];
  let parameters = (ins Wholes:$at, RealOr<"0.1">:$gamma);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_InverseSqrtAttr : Train_ScheduleAttr<"InverseSqrt", "inverse_sqrt"> {
  let summary = "Linear warm-up, then sqrt(warmup / step) (Vaswani et al. 2017)";
  let parameters = (ins Whole<>:$warmup);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Train_SequenceAttr
    : Train_ScheduleAttr<"Sequence", "sequence", ["hasMomentum", "buildMomentum"]> {
  let summary = "One schedule after the other, as PyTorch's SequentialLR";
  let description = [{
    Behind step `at[i]` comes `schedules[i + 1]`, which counts steps from 1 again. Either all schedules set the momentum, or none does.

    ```mlir
    schedule #train.sequence<schedules = [#train.linear_warmup<warmup = 100>, #train.constant_schedule, #train.linear<steps = 500>],
                             at = [100, 1000]>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$schedules, Wholes:$at);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
#endif
