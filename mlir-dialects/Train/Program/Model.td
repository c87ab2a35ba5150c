// Models: state, functions, steps and exports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_MODEL
#define AMPC_TRAIN_MODEL
include "mlir-dialects/Train/Program/Signature.td"
include "mlir-dialects/Train/Program/Program.td"

def Train_ModelOp
    : Op<TrainDialect,
         "model", [Symbol, SymbolTable, NoTerminator, SingleBlock, IsolatedFromAbove]> {
  let summary = "State, functions, and training steps";
  let description = [{
    Holds parameters and buffers, functions, steps and exports. The model's name prefixes every symbol of the
    compiled library. Sizes in parentheses behind the name, `@line(batch = 8, width = 4 * batch)`, are numbers for
    shapes and integers inside; `--set` overrides sizes. A model in a model is a module, which `train.use`
    instantiates.

    Constraints:

    1. All declarations have names, except exports and uses of modules.
    2. A model in a model, which is a module, has no steps and exports.

    ```mlir
    train.model @line {
      train.param @w : tensor<1x1xf32> = #train.zeros
      train.func @loss(%x: tensor<8x1xf32>, %y: tensor<8x1xf32>) -> tensor<f32> {
        %w = train.read @w : tensor<1x1xf32>
        %p = train.matmul %x, %w : (tensor<8x1xf32>, tensor<1x1xf32>) -> tensor<8x1xf32>
        %l = train.mse %p, %y : tensor<8x1xf32>, tensor<8x1xf32>
        train.return %l : tensor<f32>
      }
      train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name custom<ModelBody>(attr-dict, $body)";
  let hasVerifier = 1;
}

class Train_StateOp<string mnemonic, dag more>
    : Op<TrainDialect, mnemonic, [Symbol, HasParent<"ModelOp">, StateOpInterface]> {
  let arguments = !con((ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type,
                           InitAttrInterface:$init),
                       more);
  let hasVerifier = 1;
}
def Train_ParamOp : Train_StateOp<"param", (ins UnitAttr:$frozen)> {
  let summary = "Parameter: a tensor that steps may change";
  let description = [{
    A parameter. Every parameter must be changed by some step or carry the attribute `frozen`.

    Constraints:

    1. The tensor has a static shape, at least one and at most 2^40 elements, of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits.

    ```mlir
    train.param @w1 : tensor<64x128xf32> = #train.kaiming_uniform
    ```
  }];
  let assemblyFormat =
      [{$sym_name `:` custom<DeclaredType>($type) `=` custom<Formulas>($init, "\"init\"") attr-dict}];
}
def Train_BufferOp : Train_StateOp<"buffer", (ins OptionalAttr<Train_StateRoleAttr>:$role,
                                                 OptionalAttr<FlatSymbolRefAttr>:$of,
                                                 OptionalAttr<StrAttr>:$step)> {
  let summary = "State that is not learned, e.g. running statistics";
  let description = [{
    State that functions write with `train.write`. State added by passes has a role: `moment`, `step` (a counter),
    `gradient`, `ema`, `random`, `scale` or `working` (a copy that products read), its parameter, and its step.

    Constraints:

    1. The tensor has a static shape, at least one and at most 2^40 elements, of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits.
    2. A working copy names its parameter.

    ```mlir
    train.buffer @running_mean : tensor<64xf32> = #train.zeros
    ```
  }];
  let assemblyFormat =
      [{$sym_name `:` custom<DeclaredType>($type) `=` custom<Formulas>($init, "\"init\"") (`as` $role^)? (`of` $of^)? (`in` $step^)?
    attr-dict}];
  let extraClassDeclaration = [{
    std::optional<::ampc::train::StateRole> getStateRole() { return getRole(); }
  }];
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "const ::llvm::Twine &":$name, "::mlir::Type":$type,
      "::mlir::Attribute":$init, "::ampc::train::StateRole":$role,
      CArg<"::mlir::StringAttr", "{}">:$of, CArg<"::llvm::StringRef", "{}">:$step)>];
}

def Train_FuncOp
    : Op<TrainDialect, "func",
         [FunctionOpInterface, ProgramOpInterface, IsolatedFromAbove, HasParent<"ModelOp">]> {
  let summary = "A function of tensors";
  let description = [{
    One block of tensor ops. Names of arguments become names of the C interface. Functions have no mode: steps
    compile a function for training, exports and evaluation for inference.

    Constraints:

    1. A function has one block.
    2. Arguments are ranked tensors.
    3. Every tensor has a static shape, at least one and at most 2^40 elements, of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits;
       arguments also of ui8, which casts, moves and indices read.

    ```mlir
    train.func @double(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = train.add %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
      train.return %y : tensor<4x8xf32>
    }
    ```
  }];
  let arguments =
      !con((ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
               OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs),
           programAttributes);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "const ::llvm::Twine &":$name, "::mlir::FunctionType":$type)>];
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}
def Train_ReturnOp : Op<TrainDialect, "return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "Ends a function";
  let description = [{
    `%y as "scores"` names a result in the C interface: the function stores the name as `{train.is =
    #train.output<named, name = "scores">}` behind the result's type.

    Constraints:

    1. The values have the types of the function's results.

    ```mlir
    train.return %y : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "custom<Returned>($values, type($values)) attr-dict";
  let hasVerifier = 1;
}
def Train_CallOp : Op<TrainDialect, "call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function of the same model";
  let description = [{
    `simplify` inlines calls; a function may not call itself. With `checkpoint`, only the function's inputs are
    kept for the backward pass, which recomputes the values inside.

    Constraints:

    1. `callee` is a function of the model.
    2. The call has the type of the function. Dimensions of arguments that are sizes by name may have other
       numbers: `train-expand-modules` puts a copy of the function with these numbers in place of the call.

    ```mlir
    %y = train.call @double(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$operands,
      UnitAttr:$checkpoint);
  let results = (outs Variadic<AnyRankedTensor>:$outs);
  let assemblyFormat =
      "$callee `(` $operands `)` (`checkpoint` $checkpoint^)? attr-dict custom<CallTypes>(ref($callee), ref($operands), "
      "type($operands), type($outs))";
}
def Train_ReadOp
    : Op<TrainDialect, "read", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Current value of a parameter or buffer";
  let description = [{
    Constraints:

    1. `state` is a parameter or buffer.
    2. The result has the type of the state; of a buffer per row, also for another batch.

    ```mlir
    %w = train.read @w : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$state attr-dict custom<StateType>(ref($state), type($result))";
}
def Train_WriteOp : Op<TrainDialect, "write", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "New value of a buffer after a training step";
  let description = [{
    Takes effect at the end of the step, unless the step is skipped; reads see the old value. A step writes a
    buffer once. Dropped in inference mode.

    Constraints:

    1. `state` is no parameter.
    2. `state` is a buffer.
    3. The value has the type of the buffer; of a buffer per row, also for another batch.

    ```mlir
    train.write @running, %y : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state, AnyRankedTensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict custom<Types>(ref($value), type($value))";
}
def Train_GroupAttr : Train_Attr<"Group", "group"> {
  let summary = "Parameter group: parameters of a step with a separate update rule, as in "
                "torch.optim";
  let description = [{
    A group may have a `schedule`, a `clip_norm`, a `clip_value` and an `ema_decay` in place of those of the step. The norm of a group with a
    `clip_norm` is over the gradients of the group; the norm of the step is over all other gradients.

    In the list `groups` of a step, `times N index I GROUP` stands for N groups: I is a number from 0 to N - 1 in formulas of GROUP and,
    as `{I}`, in its patterns of names.

    Constraints:

    1. `clip_norm` is positive.
    2. `clip_value` is positive.
    3. `ema_decay` is in [0, 1).

    ```mlir
    train.step @fit minimize @loss over [@table, @w, @b] with #train.adamw<lr = 1.0e-3, weight_decay = 0.1>
      groups [#train.group<params = [@b], optimizer = #train.adamw<lr = 1.0e-3, weight_decay = 0.0>>,
              #train.group<params = [@table], optimizer = #train.rowwise_adagrad<lr = 1.0e-2>, clip_norm = 1.0>]
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$params, "::ampc::OptimizerAttrInterface":$optimizer,
      OptionalParameter<"::ampc::ScheduleAttrInterface">:$schedule, MaybeReal:$clip_norm,
      MaybeReal:$clip_value, MaybeReal:$ema_decay);
  let builders = [AttrBuilder<
      (ins "::mlir::ArrayAttr":$params, "::ampc::OptimizerAttrInterface":$optimizer), [{
    return $_get($_ctxt, params, optimizer, ::ampc::ScheduleAttrInterface(), ::std::nullopt, ::std::nullopt, ::std::nullopt);
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The group with other parameters.
    GroupAttr withParams(::mlir::ArrayAttr params) const {
      return get(getContext(), params, getOptimizer(), getSchedule(), getClipNorm(), getClipValue(), getEmaDecay());
    }
  }];
  let genVerifyDecl = 1;
}

def Train_StepOp
    : Op<TrainDialect,
         "step", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>, HasParent<"ModelOp">]> {
  let summary = "Training step: an update of parameters that lowers a loss";
  let description = [{
    The loss is the first result of a function. Other results are scalars that the step reports by name. A model
    may have several steps. After the backward pass the gradients are limited to [-`clip_value`, `clip_value`] and
    then scaled down to the 2-norm `clip_norm` over all parameters of the step.

    `over all` selects all parameters that are not frozen, `over all but [...]` excludes some. Quoted names are
    patterns, in lists of groups too: `["*.bias"]`. `train-expand-modules` expands patterns to lists of names.

    `groups` assigns other update rules to parameters, e.g. weight decay for matrices only, or a rule for tables, and on demand another
    schedule, clipping and average. Step counter and the decision to skip are common to the step.

    `micro_batches = n` computes the gradients of a batch of n times as many rows as n micro-batches in sequence.
    Loss, gradients and reported scalars are those of the whole batch: a mean divides by the rows, the labels that
    count (`ignore`), the weights of their classes or the mask of all micro-batches, which are summed before the
    first micro-batch. A divisor may depend on inputs, buffers and frozen parameters; values that depend on a
    parameter of the step may be combined over rows only by sums. Any other combination of rows is an error at its
    op. Exceptions are per micro-batch: statistics of batch norm, and other new values of buffers that depend on
    rows, which pass from one micro-batch to the next.

    `ema_decay = d` keeps an average of every parameter, a = d a + (1 - d) w after each update, which starts at the
    first updated value. The average is saved with the state, as `STEP.ema.PARAMETER`, in f32 for a parameter in 16
    bits.

    `nonfinite` selects the action if an element of a gradient, before clipping, is infinite or NaN. With `"skip"`,
    all state except the loss scale and the random counter is unchanged, and the call returns a warning; `"fail"`
    is `"skip"` with an error in place of the warning; with `"allow"`, the update is done. In all cases the step
    reports the number of such elements. The default is `"skip"` for a step that clips or has a loss scale, else
    `"allow"`: to skip, a step has to keep all gradients until the last one is known. `weight_rounding` selects the
    rounding of new values of parameters in 16 bits, of declared 16-bit parameters and, without master weights, of
    working copies: `"nearest"`, where an update of less than half a unit in the last place is lost, or
    `"stochastic"`, see `train.round_weight`.

    Constraints:

    1. `loss` is a function of the model, as long as the model has any.
    2. The loss function returns real scalars, and all but the first have unique names.
    3. Every parameter is there once.
    4. What `over` names are parameters.
    5. Groups hold parameters of the step.
    6. No parameter is in two groups.
    7. There are 1 to 4096 micro-batches.
    8. `amp.scaler` is the symbol of a scaler.
    9. There are no other attributes without the name of a dialect.
    10. `clip_norm` is positive.
    11. `clip_value` is positive.
    12. `ema_decay` is in [0, 1).
    13. `nonfinite` is `"allow"`, `"skip"` or `"fail"`.
    14. Every rule under a schedule of the momentum has a momentum.
    15. `weight_rounding` is `"nearest"` or `"stochastic"`.

    ```mlir
    train.step @fit minimize @loss over [@w1, @b1] with #train.adamw<lr = 1.0e-3>
      schedule #train.cosine<steps = 1000, warmup = 100> {clip_norm = 1.0, micro_batches = 4, nonfinite = "fail"}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$loss, ArrayAttr:$params,
      OptimizerAttrInterface:$optimizer,
      OptionalAttr<TypedArrayAttrBase<Train_GroupAttr, "parameter groups">>:$groups,
      OptionalAttr<ScheduleAttrInterface>:$schedule, OptionalAttr<F64Attr>:$clip_norm,
      OptionalAttr<F64Attr>:$clip_value, OptionalAttr<SignedI64Attr>:$micro_batches,
      OptionalAttr<F64Attr>:$ema_decay, OptionalAttr<StrAttr>:$nonfinite);
  let extraClassDeclaration = [{
    /// All groups; empty without the attribute.
    ::llvm::SmallVector<GroupAttr> getEachGroup();
    /// Update rule of a parameter: the rule of the parameter's group, else of the step.
    ::ampc::OptimizerAttrInterface getOptimizerOf(::mlir::StringAttr param);
    /// Whether gradients of the step, or of a group, are limited.
    bool hasClipping();
    /// Whether the step, or a group, has averages of parameters.
    bool hasAverages();
  }];
  let assemblyFormat = [{
    $sym_name `minimize` $loss `over` custom<Parameters>($params) `with` custom<Formulas>($optimizer, "\"optimizer\"")
    `` custom<Rules>($groups, $schedule) `` custom<StepAttributes>(attr-dict)
  }];
}
def Train_ExportOp
    : Op<TrainDialect,
         "export", [DeclareOpInterfaceMethods<SymbolUserOpInterface>, HasParent<"ModelOp">]> {
  let summary = "Makes a function callable from C, in inference mode";
  let description = [{
    The C function is `MODEL_NAME`. With `batch N`, the function takes N rows, independent of the model's size
    `batch`: the function and its callees are compiled for N rows.

    Constraints:

    1. `function` is a function of the model, as long as the model has any.

    ```mlir
    train.export @double as "predict"
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function, StrAttr:$name);
  let assemblyFormat = "$function `as` $name custom<Batch>(attr-dict)";
}

// ---- Marks that autodiff leaves for later phases ----
def Train_SeedOp : Train_Op<"seed", FullPrecision, [MadeByPasses]> {
  let summary = "Seed of the backward pass, the cotangent of the loss";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let doc =
      "An op in place of a constant 1, so that loss scaling can replace the seed, and folding cannot remove it.";
  let example = "%g = train.seed 1.0 : tensor<f32>";
  let arguments = (ins F64Attr:$value);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let differentiable = 0;
}
def Train_GradientOp
    : Train_Op<"gradient", FullPrecision, [MadeByPasses, SameOperandsAndResultType]> {
  let summary = "Marks a parameter's gradient, the end of the backward pass";
  let lists = ["autocast=full", "autocast-cpu=full"];
  let example = "%g = train.gradient @w, %x : tensor<4x8xf32>";
  let arguments = (ins AnyRankedTensor:$x, FlatSymbolRefAttr:$param);
  let assemblyFormat = "$param `,` $x attr-dict `:` type($x)";
  let adjoint = [{ return {g}; }];
}
#endif
