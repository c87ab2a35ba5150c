// Passes over train IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRANSFORMS_PASSES
#define AMPC_TRANSFORMS_PASSES
include "mlir/Pass/PassBase.td"

def TrainNameOps : Pass<"train-name-ops", "::mlir::ModuleOp"> {
  let summary = "Give every tensor op a stable name";
  let description = [{
    Overrides, random keys, reports and messages refer to ops by name. An op keeps the name of its
    location; without one it becomes `function/op#n`, with n counting ops of that kind in the function.
  }];
}
def TrainSetType : Pass<"train-set-type", "::mlir::ModuleOp"> {
  let summary = "Replace f32 by another element type everywhere in the model";
  let description = "The f64 form of a model is the reference that gradients are checked in.";
  let options = [Option<"type", "type", "std::string", "\"f64\"", "f32 or f64">];
}
def TrainInstantiate : Pass<"train-instantiate", "::mlir::ModuleOp"> {
  let summary = "Make one function per step, evaluation and export, in its mode";
  let description = [{
    Inlines calls, turns reads of state into arguments and writes into results that are `#train.state`, lowers ops
    whose meaning depends on the mode (dropout, batch norm), and gives losses the number of valid rows. A step
    `@fit` becomes `@fit.loss` (training mode) and `@fit.eval` (inference mode); exports keep their name. The
    functions of the source are erased.
  }];
  // Scalar code of ops is looked at.
  let dependentDialects = ["::ampc::kernel::KernelDialect"];
}
def TrainAutodiff : Pass<"train-autodiff", "::mlir::ModuleOp"> {
  let summary = "Differentiate every step's loss, source to source";
  let description = [{
    For a step `@fit`, `@fit.loss` becomes `@fit.grad`, which returns the loss, the gradients of the step's
    parameters (each marked by `train.gradient`) and the new values of buffers. Only values that depend on a
    parameter (varied) and that the loss depends on (useful) get a cotangent. The result is train IR again. With `of`, one
    function is differentiated for its real arguments instead, from a seed of ones for result `result`; for a result that is not a
    scalar that gives the gradient of the sum of its elements.
  }];
  let options = [
    Option<"of", "of", "std::string", "", "differentiate this function for its real arguments">,
    Option<"result", "result", "unsigned", "0", "number of the result to differentiate">,
  ];
}
def TrainExpandStep : Pass<"train-expand-step", "::mlir::ModuleOp"> {
  let summary = "Join gradient, clipping, schedule and optimizer into the programs of a step";
  let description = [{
    From `@fit.grad` makes `@fit.train` (state and batch to loss and new state) and `@fit.apply` (state and stored gradients to
    new state); `@fit.grad` itself then stores gradients. Moments, step counter, averages and stored
    gradients are declared as buffers; the `train.step` op is gone. Nothing is updated in place before memory is planned.

    The gradient of a table that only lookups read stays rows (`train.sum_rows`) if they are fewer than the table's or the
    optimizer is lazy. Micro-batches and several lookups of one table put their rows one after the other. Rows of parameter and
    moments are then read, updated and put back (`train.put_rows`); an optimizer that moves every row updates the table with a
    gradient of 0 before. Such a gradient is stored as `@fit.gradient.table`, the sums, and `@fit.rows.table`, whose they are.
  }];
  let options = [Option<"explain", "explain", "bool", "false", "a remark for every gradient of a table that is dense">];
}
def TrainMarkValues : Pass<"train-mark-values", "::mlir::ModuleOp"> {
  let summary = "Give every real value of a step's program a key that later phases keep";
  let description = [{
    The attribute `train.values` of an op has per result its key, which is the name of the op, with `:2`, `:3`, ... for further values of
    that name, and its kind: forward, gradient, weight-gradient or update. Only the programs `train` get keys, before precision is
    assigned, so that the same value has the same key in every precision.
  }];
}
def TrainObserve : Pass<"train-observe", "::mlir::ModuleOp"> {
  let summary = "Make marked values further results of a step's program";
  let description = [{
    Every value that `train-mark-values` has marked, as its readers see it (rounded, if it is rounded for all of them), and every
    16-bit form of one, becomes a result that is an `observed` output. Results are stored whatever is fused, and fusion does not change
    a bit, so these are the numbers of the program without this pass.
  }];
}
def AmpFlattenRegions : Pass<"amp-flatten-regions", "::mlir::ModuleOp"> {
  let summary = "Dissolve amp.autocast regions into the locations of their ops";
  let description = [{
    An op of a region gets a location that names the innermost region's type. Inlining, decomposition and
    differentiation hand locations on, so that whatever an op becomes, its region stays known.
  }];
}
def AmpAssignPrecision : Pass<"amp-assign-precision", "::mlir::ModuleOp"> {
  let summary = "Choose the type that every op computes in and every value is stored in";
  let description = [{
    Runs on whole programs: forward, backward and update. Contractions take 16-bit operands and give f32, their accumulator; a
    rounding is always a `train.cast`. Attributes `amp.rule` and `amp.reason` on ops say why. Policies:

    * `mincut`: categories fix compute types; a minimum cut over the bytes of casts, stores and saved activations fixes storage types.
    * `narrow`: every tensor is stored in 16 bits; counts, statistics and other numbers inside an op stay f32 (preset O3).
    * `autocast`, `autocast-cpu`: the lists and promotion rules of torch.autocast; the backward pass follows the forward pass.
    * `propagate`: TensorFlow's allow, infer, deny and clear lists.

    Parameters are rounded where they are updated: their 16-bit copies are state (`as working`), which the program `derive` rebuilds.
    With `precision=f32` only regions of the model change anything. `tf32` and `fp8` are modes of contractions on GPUs: values stay
    f32, and `amp.compute` on a contraction names the type that each operand is multiplied in (for fp8 E4M3, gradients E5M2).
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"mincut\"", "mincut, autocast, autocast-cpu, propagate or narrow">,
    Option<"precision", "precision", "std::string", "\"bf16\"", "f32, bf16, f16, tf32 or fp8">,
    ListOption<"overrides", "override", "std::string", "REGEX=TYPE: the type of ops by name">,
    ListOption<"edits", "edit", "std::string", "MNEMONIC=TREATMENT: a line of the policy's table">,
    Option<"policyFile", "policy-file", "std::string", "", "lines that are added to the policy's table">,
    Option<"masterWeights", "master-weights", "bool", "true", "false: parameters are rounded after every update, for comparisons">,
    Option<"profile", "profile", "std::string", "", "file of `ampc profile`: values that do not fit the 16-bit type stay in f32">,
    Option<"explain", "explain", "bool", "false", "a remark for every decision, and the cost of every policy">,
    Option<"costs", "costs", "bool", "false", "attach the cost of every policy to programs, as `amp.costs`">,
  ];
}
def AmpInsertLossScaling : Pass<"amp-insert-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "Scale losses whose gradients pass through f16; count what is not finite in gradients, and skip such steps";
  let description = [{
    The seed of the backward pass is multiplied by the scale; every gradient is marked as scaled and unscaled before clipping and
    update read it. `grad` programs store unscaled gradients; `apply` programs check what they are given. Without an f16 value
    between loss and gradients no scale is inserted, with a remark if the step names a scaler.

    Every program of a step, with a scale or without, gets the result `nonfinite`: how many elements of its gradients are infinite or NaN. If there are
    any, and the step's attribute `train.nonfinite` is `skip` or `fail`, all state keeps its old value (parameters, moments, step counter,
    averages, buffers of the model); only the scale moves (see `amp.update_scale`). Where the attribute is missing it becomes `skip`
    in a step with a scale, else `allow`.
  }];
  let options = [
    Option<"scaling", "scaling", "std::string", "\"torch\"", "constants of steps without amp.scaler: torch, tf, apex, paddle or none">,
    Option<"profile", "profile", "std::string", "", "file of `ampc profile` that the initial scale is chosen from">,
    Option<"explain", "explain", "bool", "false", "a remark for every step without scaling">,
  ];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
def AmpLowerLossScaling : Pass<"amp-lower-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "Express loss scaling in train ops";
}
def AmpLowerAccumulation : Pass<"amp-lower-accumulation", "::mlir::ModuleOp"> {
  let summary = "Give sums of 16-bit values an accumulator in f32";
  let description = [{
    Reductions, norms, losses, scatters and sums of gradients over the uses of a value become casts to f32, the op, and one cast
    back. Contractions have their accumulator as result type and verify it themselves.
  }];
  let options = [Option<"verify", "verify", "bool", "false", "report what has no f32 accumulator instead">];
}
def AmpExplainCasts : Pass<"amp-explain-casts", "::mlir::ModuleOp"> {
  let summary = "A remark for every inserted cast";
  let description = [{
    At the source line, with the reason that the pass which inserted the cast left on its location. Runs at the end of the phase
    `precision`: what `recompute` repeats it explains itself.
  }];
}
def AmpRecompute : Pass<"amp-recompute", "::mlir::ModuleOp"> {
  let summary = "Make cheap values again in the backward pass instead of keeping them";
  let description = [{
    Casts, masks, data movement and pointwise ops without exponentials are repeated where the backward pass reads their result, if what
    they read takes fewer bytes than the result or is kept anyway. In particular the 16-bit form of a value is kept, not the f32 form
    that some op widens it to. `amp.saved_bytes` on a program says what remains to be kept.
  }];
  let options = [
    Option<"repeat", "repeat", "bool", "true", "false: only say what is kept">,
    Option<"budget", "budget", "int64_t", "0", "bytes for saved activations; not supported yet: 0 means no limit">,
    Option<"explain", "explain", "bool", "false", "a remark with the bytes saved, and one for every cast that is made again">,
  ];
}
#endif
