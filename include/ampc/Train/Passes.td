// Passes that lower a model to the programs of its steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_PASSES
#define AMPC_TRAIN_PASSES
include "mlir/Pass/PassBase.td"

def TrainExpandModules : Pass<"train-expand-modules", "::mlir::ModuleOp"> {
  let summary = "Replace modules, sizes and patterns by what they stand for";
  let description = [{
    Every `train.use` becomes the parameters and buffers of its module under full names, every `train.apply` and call inside of modules the ops of
    the function, named after the instance. Formulas over sizes become numbers. An export for a batch of its own gets a copy of its function
    and of all that this calls. Patterns in steps and groups become lists of parameters.
  }];
}
def TrainNameOps : Pass<"train-name-ops", "::mlir::ModuleOp"> {
  let summary = "Give every tensor op a stable name";
  let description = [{
    Overrides, random keys, reports and messages refer to ops by name, which is part of their origin (`train.origin`). A model names an op by
    `loc("name")`; other ops become `function/op#n`, with n counting ops of that kind in the function. From here on locations are for messages only.
  }];
}
def TrainFreeze : Pass<"train-freeze", "::mlir::ModuleOp"> {
  let summary = "Take parameters out of all steps";
  let description = [{
    What `--freeze` of the driver does, for fine-tuning: the parameters that a pattern names become `frozen`, and no step has gradients or
    moments of them. Every pattern has to name one, and every step keeps one.
  }];
  let options = [ListOption<"patterns", "patterns", "std::string",
                            "patterns of names, with * and ?">];
}
def TrainSetType : Pass<"train-set-type", "::mlir::ModuleOp"> {
  let summary = "Replace f32 by another element type everywhere in the model";
  let description = [{
    The f64 form of a model is the reference that gradients are checked in. What the model itself declares in 16 bits stays that; products of
    such tensors, whose results are in f32, have their operands cast to f64, so that they are multiplied and added up there.
  }];
  let options = [Option<"type", "type", "std::string", "\"f64\"", "f32 or f64">];
}
def TrainSimplify : Pass<"train-simplify", "::mlir::ModuleOp"> {
  let summary = "Canonical forms, and one op in place of equal ones";
  let description = [{
    What `canonicalize` and `cse` do, with care for where ops come from: what a pattern makes has the origin of the op that it replaces, and ops
    that differ in annotations alone (`train.origin`, `amp.decision`) are equal: the first stays. Works on kernels too.
  }];
  let options = [Option<"canonical", "canonical", "bool", "true",
                        "false: only make equal ops one">];
}
def TrainAbsorbTransposes : Pass<"train-absorb-transposes", "::mlir::ModuleOp"> {
  let summary = "Let state lie in the order that its transpositions give";
  let description = [{
    A parameter or buffer that every program transposes in one way takes that order, and says by `train.outside` what it was: files and callers see no
    difference. A product with a flattened image whose channels stand first has the columns of its weights in the order of channels last
    instead. State that functions write, that some program reads as it is, whose first dimension would move, or whose optimizer keeps moments
    of another shape stays as it is. Numbers do not change, but for the order of sums: over a whole parameter, such as those of `clip_norm`, and
    in products with a flattened image.
  }];
}
def TrainStripOrigins : Pass<"train-strip-origins", "::mlir::ModuleOp"> {
  let summary = "Remove where ops come from, for a shorter text";
  let description = [{
    For people and tests that look at the computation. Phases behind it would know no names: random keys, overrides and reports need them.
  }];
}
def TrainInstantiate : Pass<"train-instantiate", "::mlir::ModuleOp"> {
  let summary = "Make one function per step, evaluation and export, in its mode";
  let description = [{
    Inlines calls, turns reads of state into arguments and writes into results that are `#train.state`, lowers ops
    whose meaning depends on the mode (dropout, batch norm), and gives losses the number of valid rows. A step
    `@fit` becomes `@fit.loss` (training mode) and `@fit.eval` (inference mode); exports keep their name. The
    functions of the source are erased.

    The loss of a step with micro-batches becomes the term that a part adds to the loss of the whole batch: what it divides by, such as the number of
    labels that count, is the `train.total` of all parts, and what all parts share, such as a penalty, has the factor `train.share`. A loss that is no such sum is
    an error. With `totals`, which the commands that evaluate ask for, `@fit.eval` gives the term that a batch adds to the loss over all data, from totals that are inputs,
    and `@fit.totals` what it adds to them.
  }];
  // Scalar code of ops is looked at.
  let dependentDialects = ["::ampc::kernel::KernelDialect"];
  let options = [Option<"totals", "totals", "bool", "false",
                        "give evaluations the totals of all data">];
}
def TrainResolveFans : Pass<"train-resolve-fans", "::mlir::ModuleOp"> {
  let summary = "Give first values the fans of the ops that multiply data by them";
  let description = [{
    Gives `#train.kaiming_uniform` and its like the fans that they leave out: those of the op (`FanOpInterface`) that multiplies data by the tensor, in any
    function that a step or an export names. The tensor is followed through calls, moves, casts and ops that keep its shape, before composites such as
    `einsum` are replaced by their parts, which have other fans. Products with data count before products of
    weights alone. It is an error at the tensor if no op has fans for it, if two ops have different ones, or if data is only multiplied by a
    product of it with other weights, as A and B in x (W + A B): then the text has to give them.
  }];
}
def TrainExpandGradients : Pass<"train-expand-gradients", "::mlir::ModuleOp"> {
  let summary = "Replace gradients inside of functions by the backward pass that computes them";
  let description = [{
    Every `train.grad` becomes adjoint code in its place, which begins with the number 1: it belongs to the forward pass of a step, has no part in
    loss scaling, and is differentiated in turn. One `train.grad` after the other is replaced, so a gradient of a gradient sees ops only.
  }];
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
  let options =
      [Option<"of", "of", "std::string", "", "differentiate this function for its real arguments">,
       Option<"result", "result", "unsigned", "0", "number of the result to differentiate">,
  ];
}
def TrainExpandStep : Pass<"train-expand-step", "::mlir::ModuleOp"> {
  let summary = "Join gradient, clipping, schedule and optimizer into the programs of a step";
  let description = [{
    From `@fit.grad` makes `@fit.train` (state and batch to loss and new state) and `@fit.apply` (state and stored gradients to
    new state); `@fit.grad` itself then stores gradients. Moments, step counter, averages and stored
    gradients are declared as buffers; the `train.step` op is gone. What happens to a parameter is one `train.update`. Nothing is updated in
    place before memory is planned.

    The gradient of a table that only lookups read stays rows (`train.sum_rows`) if they are fewer than the table's or the
    optimizer is lazy. Micro-batches and several lookups of one table put their rows one after the other. Rows of parameter and
    moments are then read, updated and put back (`train.put_rows`); an optimizer that moves every row updates the table with a
    gradient of 0 before. Such a gradient is stored as `@fit.gradient.table`, the sums, and `@fit.rows.table`, whose they are.
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "a remark for every gradient of a table that is dense">];
}
def TrainExpandUpdates : Pass<"train-expand-updates", "::mlir::ModuleOp"> {
  let summary = "Write the updates of parameters out as the ops of their rules";
  let description = [{
    Replaces every `train.update` by what its optimizer makes of it. Kernels are made from the op itself, which is one in place of some
    twenty; this is for tools that name or observe the values in between.
    Rules that multiply matrices, as Muon's, stay: which type their products have is decided later, with all precision.
  }];
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
#endif
