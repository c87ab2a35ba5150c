// Passes that lower a model to the programs of its steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_PASSES
#define AMPC_TRAIN_PASSES
include "mlir/Pass/PassBase.td"

def TrainExpandModules : Pass<"train-expand-modules", "::mlir::ModuleOp"> {
  let summary = "Expand modules, sizes and name patterns";
  let description = [{
    Every `train.use` becomes the parameters and buffers of the module under full names; every `train.apply` and
    every call in a module becomes the ops of the function, named after the instance. Formulas over sizes become
    numbers. An export with a batch size of its own gets a copy of its function and of all callees. Patterns in
    steps and groups become lists of parameters.
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
    Implements the driver's `--freeze`, for fine-tuning: parameters that match a pattern become `frozen`, and steps
    have neither gradients nor moments of frozen parameters. Every pattern must match a parameter, and every step
    must keep a parameter.
  }];
  let options = [ListOption<"patterns", "patterns", "std::string",
                            "patterns of names, with * and ?">];
}
def TrainSetType : Pass<"train-set-type", "::mlir::ModuleOp"> {
  let summary = "Replace f32 by another element type everywhere in the model";
  let description = [{
    The f64 version of a model is the reference for gradient checks. Tensors declared in 16 bits keep their type;
    the operands of their products, whose results are f32, are cast to f64, so that multiplication and sums are in
    f64.
  }];
  let options = [Option<"type", "type", "std::string", "\"f64\"", "f32 or f64">];
}
def TrainSetRanks : Pass<"train-set-ranks", "::mlir::ModuleOp"> {
  let summary = "Set the number of processes that train every model together";
  let description = [{
    Sets `train.ranks` on models. Each rank has its own rows, `batch` per micro-batch; rank r of n ranks with m
    micro-batches has the rows of the micro-batches r * m to r * m + m - 1 of one process with n * m micro-batches.
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "1", "number of ranks, 1 to 4096">];
}
def TrainCheckUniform : Pass<"train-check-uniform", "::mlir::ModuleOp"> {
  let summary = "Prove that all ranks keep equal state";
  let description = [{
    In programs of several ranks, each new value of state and each reported number must be equal on all ranks. State,
    constants, `lr_factor` and results of `train.sum_ranks` are equal; inputs, the number of valid rows and `train.rank`
    are a rank's own, and so is any value computed from them. An error at the op of a value that is not equal, with
    the path from the rank's own data.
  }];
}
def TrainSimplify : Pass<"train-simplify", "::mlir::ModuleOp"> {
  let summary = "Canonicalization and common subexpression elimination";
  let description = [{
    `canonicalize` and `cse` that keep origins: ops created by a pattern have the origin of the replaced op, and
    ops that differ in annotations alone (`train.origin`, `amp.decision`) are equal: the first is kept. Works on
    kernels too.
  }];
  let options = [Option<"canonical", "canonical", "bool", "true",
                        "false: only eliminate common subexpressions">];
}
def TrainAbsorbTransposes : Pass<"train-absorb-transposes", "::mlir::ModuleOp"> {
  let summary = "Propagate transposed layouts to state";
  let description = [{
    Layout propagation: a parameter or buffer that every program transposes in the same way is stored in the
    transposed order, and `train.outside` has the logical layout: files and callers see no difference. For a
    product with a flattened image in channels-first order, [N, C * H * W], the contracted dimension of the weight
    is permuted to channels-last order instead. State that functions write, that a program reads untransposed,
    whose first dimension would move, or whose optimizer keeps moments of another shape, is unchanged. Numbers
    change only by the order of sums: over a whole parameter, e.g. for `clip_norm`, and in products with a
    flattened image.
  }];
}
def TrainStripOrigins : Pass<"train-strip-origins", "::mlir::ModuleOp"> {
  let summary = "Remove where ops come from, for a shorter text";
  let description = [{
    Removes origins, for tests and for reading the computation. Later phases need names for random keys, overrides
    and reports.
  }];
}
def TrainUnrollScans : Pass<"train-unroll-scans", "::mlir::ModuleOp"> {
  let summary = "Replace recurrent layers and loops by their rounds";
  let description = [{
    Recurrent layers (`train.lstm` and relatives) become loops. Then every `train.scan` becomes its rounds, one after the other: rows are slices, and the values of all rounds are
    concatenated. An op NAME of the block is called NAME@row in the round of that row. A function with a loop gets
    the ops of the functions it calls, and a function with a loop that only others call is erased: random numbers
    depend on the name of the op in the function of the step and on the number of the row. The pass fails if a
    function would have more ops than a model may have.

    Loops that stay, by `keep`:

    * `open`, in front of `train-instantiate`: all, because later passes up to `train-autodiff` look into loops,
      except for loops with a norm over the batch, which writes its statistics once per step. Such a loop is unrolled
      with a remark.
    * `all`, behind `train-autodiff`: all loops, unless a loop of the function is in a segment of a
      checkpoint, or has such a segment inside; a remark says so.
    * `long`: of these, loops of more than four rounds, of large rounds, with a checkpoint, and loops
      around such loops.
  }];
  let options = [Option<"keep", "keep", "std::string", "\"none\"",
                        "loops that stay: none, open, long or all">];
}
def TrainInstantiate : Pass<"train-instantiate", "::mlir::ModuleOp"> {
  let summary = "Make one function per step, evaluation and export, in its mode";
  let description = [{
    Inlines calls, replaces reads of state by arguments and writes by results with `#train.state`, lowers ops whose
    meaning depends on the mode (dropout, batch norm), and passes the number of valid rows to losses. A step `@fit`
    becomes `@fit.loss` (training mode) and `@fit.eval` (inference mode); exports keep their name. The source
    functions are erased. A function whose rows of the batch are not independent has no short batch; the attribute
    `train.mixes_rows` names the first op that computes with several rows, for messages.

    The loss of a step with micro-batches becomes the contribution of one micro-batch to the loss of the whole
    batch: the divisor, e.g. the number of labels that count, is the `train.total` over all micro-batches, and
    terms common to all micro-batches, e.g. a penalty, have the factor `train.share`. A loss without this structure
    is an error. With `totals`, set by the commands that evaluate, `@fit.eval` returns the contribution of a batch
    to the loss over all data, given totals as inputs, and `@fit.totals` returns the batch's contribution to the
    totals. A loop whose rounds need such a total, e.g. the number of labels that count in a round, is unrolled with a
    remark: totals exist in front of the first micro-batch, outside of loops.
  }];
  let options = [Option<"totals", "totals", "bool", "false",
                        "give evaluations the totals of all data">];
}
def TrainResolveFans : Pass<"train-resolve-fans", "::mlir::ModuleOp"> {
  let summary = "Resolve fans of initialisers from the ops that use the weights";
  let description = [{
    Sets omitted fans of `#train.kaiming_uniform` and relatives to the fans of the op (`FanOpInterface`) that
    multiplies data by the tensor, in any function that a step or an export names. The tensor is followed through
    calls, loops, moves, casts and ops of equal shape, before composites such as `einsum` are decomposed into ops with
    other fans. Products with data take precedence over products of weights alone. An error is emitted at the
    tensor if no op has fans, if two ops have different fans, or if data is multiplied only by a product of the
    tensor with other weights, such as A and B in x (W + A B): in these cases the text must specify the fans.
  }];
}
def TrainExpandGradients : Pass<"train-expand-gradients", "::mlir::ModuleOp"> {
  let summary = "Expand gradients inside functions to their backward pass";
  let description = [{
    Every `train.grad` becomes adjoint code in its place, with a seed of 1: the code belongs to the forward pass of
    a step, is not scaled by loss scaling, and is differentiated in turn. The ops are expanded one after the other,
    so that a gradient of a gradient differentiates ops only. A gradient inside of a loop is expanded inside. The loop is
    unrolled with a remark if a path from a source outside leads through an earlier round, or through another
    value outside.
  }];
}
def TrainAutodiff : Pass<"train-autodiff", "::mlir::ModuleOp"> {
  let summary = "Differentiate every step's loss, source to source";
  let description = [{
    For a step `@fit`, `@fit.loss` becomes `@fit.grad`, which returns the loss, the gradients of the step's
    parameters (each marked by `train.gradient`) and the new values of buffers. Activity analysis: only values that
    depend on a parameter (varied) and influence the loss (useful) get a cotangent. The result is train IR. With
    `of`, a single function is differentiated with respect to its real arguments instead, with a seed of ones for
    result `result`: for a result of higher rank, the gradient of the sum of its elements.

    A loop with `checkpoint every k` first becomes a loop over blocks of k rounds around a loop of k rounds; the
    rounds left over are a block of their own (`train-expand-gradients` does the same). `amp-recompute` computes the
    inner loop again in the backward pass, which then keeps the carried values of every k-th round.
  }];
  let options = [Option<"of", "of", "std::string", "",
                        "differentiate this function with respect to its real arguments">,
                 Option<"result", "result", "unsigned", "0",
                        "number of the result to differentiate">,
  ];
}
def TrainMergeRounds : Pass<"train-merge-rounds", "::mlir::ModuleOp"> {
  let summary = "Move products and sums of all rounds out of loops";
  let description = [{
    A product of a sequence's row, [batch, k], with a weight is done for all rounds at once in front of the loop, [rounds *
    batch, k]: x W of a recurrent layer. A product that a loop only keeps is done behind the loop, on the kept rows.
    Of a loop with `checkpoint every k` the products of each block of k rounds are done at once.

    The backward pass of a loop adds a term to the gradient of a weight in every round: A^T D of A: [batch, m] and D:
    [batch, n], or the sum of the rows of D for a bias. If the rows of A and D can be kept, the sum is one
    product behind the loop, of [rounds * batch, m] and [rounds * batch, n]: for an LSTM of 35 rounds one product of
    depth 700 in place of 35 of depth 20 with 34 sums of the weight's size. The sum has another order, so results differ by
    rounding.
  }];
}
def TrainExpandStep : Pass<"train-expand-step", "::mlir::ModuleOp"> {
  let summary = "Join gradient, clipping, schedule and optimizer into the programs of a step";
  let description = [{
    Creates `@fit.train` (state and batch to loss and new state) and `@fit.apply` (state and stored gradients to
    new state) from `@fit.grad`, which then stores gradients. Moments, step counter, averages and stored gradients
    are declared as buffers; the `train.step` op is erased. The update of a parameter is one `train.update`. No
    value is updated in place before buffer assignment.

    The gradient of a table that only lookups read is kept as rows (`train.segment_sum`, a sparse gradient) if the
    rows are fewer than the table's, or the optimizer is lazy. Rows of micro-batches and of several lookups of one
    table are concatenated. Rows of the parameter and its moments are gathered, updated and scattered back
    (`train.scatter_rows`); an optimizer that changes every row first updates the table with a gradient of 0. A sparse
    gradient is stored as `@fit.gradient.table`, the sums, and `@fit.rows.table`, the row indices.
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "a remark for every gradient of a table that is dense">];
}
def TrainExpandUpdates : Pass<"train-expand-updates", "::mlir::ModuleOp"> {
  let summary = "Write the updates of parameters out as the ops of their rules";
  let description = [{
    Expands every `train.update` to the ops of its optimizer's rule. Kernels are created from the op itself, a
    single op in place of about twenty; this pass is for tools that name or observe intermediate values. Rules with
    matrix products, e.g. Muon, are not expanded: the precision phase decides the compute type of the products
    later.
  }];
}
def TrainMarkValues : Pass<"train-mark-values", "::mlir::ModuleOp"> {
  let summary = "Give every real value of a step's program a key that later phases keep";
  let description = [{
    The attribute `train.values` of an op has, per result, a key (the name of the op, with `:2`, `:3`, ... for
    further values of equal name) and a kind: forward, gradient, weight-gradient or update. Only `train` programs
    get keys, before precision assignment, so that a value has the same key in every precision.
  }];
}
def TrainObserve : Pass<"train-observe", "::mlir::ModuleOp"> {
  let summary = "Make marked values further results of a step's program";
  let description = [{
    Every value marked by `train-mark-values`, as its consumers read the value (rounded, if all consumers read a
    rounded version), and every 16-bit version, becomes a result that is an `observed` output. A value inside loops
    is kept of every round, `[rounds, ...]`. Results are stored regardless of fusion, and fusion changes no bit, so
    the observed numbers are the numbers of the program without this pass.
  }];
}
#endif
