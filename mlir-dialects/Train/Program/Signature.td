// Roles of programs, of arguments and results, and of state tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SIGNATURE
#define AMPC_TRAIN_SIGNATURE
include "mlir-dialects/Train/Base.td"

class Train_Enum<string cppName, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<cppName, text, cases> {
  let cppNamespace = "::ampc::train";
  let genSpecializedAttr = 0;
}
class Train_EnumAttr<EnumInfo info, string keyword> : EnumAttr<TrainDialect, info, keyword> {
  let assemblyFormat = "`<` $value `>`";
}

def Train_Role
    : Train_Enum<"Role", "role of a program",
                 [I32EnumAttrCase<"Loss", 0, "loss">, I32EnumAttrCase<"Grad", 1, "grad">,
                  I32EnumAttrCase<"Train", 2, "train">, I32EnumAttrCase<"Apply", 3, "apply">,
                  I32EnumAttrCase<"Eval", 4, "eval">, I32EnumAttrCase<"Export", 5, "export">,
                  I32EnumAttrCase<"Derive", 6, "derive">, I32EnumAttrCase<"Part", 7, "part">]>;
def Train_RoleAttr : Train_EnumAttr<Train_Role, "role">;

def Train_NonFinite
    : Train_Enum<"NonFinite", "action of a step on a gradient that is infinite or NaN",
                 [I32EnumAttrCase<"allow", 0>, I32EnumAttrCase<"skip", 1>,
                  I32EnumAttrCase<"fail", 2>]>;
def Train_NonFiniteAttr : Train_EnumAttr<Train_NonFinite, "nonfinite">;

def Train_StateRole
    : Train_Enum<"StateRole", "role of a buffer",
                 [I32EnumAttrCase<"Moment", 0, "moment">, I32EnumAttrCase<"Step", 1, "step">,
                  I32EnumAttrCase<"Gradient", 2, "gradient">, I32EnumAttrCase<"Ema", 3, "ema">,
                  I32EnumAttrCase<"Random", 4, "random">, I32EnumAttrCase<"Scale", 5, "scale">,
                  I32EnumAttrCase<"Working", 6, "working">]>;
def Train_StateRoleAttr : EnumAttr<TrainDialect, Train_StateRole, "state_role">;

// ---- Arguments and results: the attribute `train.is` ----
def Train_StateAttr : Train_Attr<"State", "state"> {
  let summary =
      "Value of a parameter or buffer: the old value as an argument, the new value as a result";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$symbol);
  let assemblyFormat = "`<` $symbol `>`";
  let extraClassDeclaration =
      "::mlir::StringAttr getName() const { return getSymbol().getAttr(); }";
}
class OrNone<string cppType, string none> : DefaultValuedParameter<cppType, none>;
def Train_LimitsAttr : Train_Attr<"Limits", "limits"> {
  let summary = "Valid integers of `count` consecutive elements";
  let description =
      "At least `least` and less than `limit`, or equal to `ignore`; `limit` 0 is no limit.";
  let parameters = (ins "int64_t":$count, OrNone<"int64_t", "0">:$limit,
      OrNone<"int64_t", "0">:$ignore, OrNone<"int64_t", "0">:$least);
  let assemblyFormat = "`<` $count (`,` struct($limit, $ignore, $least)^)? `>`";
  let genVerifyDecl = 1;
}
def Train_InputAttr : Train_Attr<"Input", "input"> {
  let summary = "Input tensor of the caller";
  let description = [{
    `batch` is the dimension that has one element per row of the batch, -1 if there is none. `part` is the number
    of the micro-batch that reads the input. Elements must be at least `least` and less than `limit`, or equal to
    `ignore`; `limit` 0 is no limit. Instead, `runs` are limits for consecutive elements of a row, or of a tensor
    without a batch, repeated up to the last element: two columns of indices into two tables have two runs of one
    element. Integers `without_sign` are unsigned in the caller's memory, and signless here.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, OrNone<"int64_t", "-1">:$batch,
      OrNone<"int64_t", "0">:$part, OrNone<"int64_t", "0">:$limit, OrNone<"int64_t", "0">:$ignore,
      OrNone<"int64_t", "0">:$least, OrNone<"bool", "false">:$without_sign,
      OptionalParameter<"::mlir::ArrayAttr">:$runs);
  let assemblyFormat =
      "`<` $name (`,` struct($batch, $part, $limit, $ignore, $least, $without_sign, $runs)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isBatched() const { return getBatch() >= 0; }
    InputAttr withBatch(int64_t batch) const { return get(getName(), batch, getPart(), getLimit(), getIgnore(), getLeast(), getWithoutSign(), getRuns()); }
    InputAttr withPart(int64_t part) const { return get(getName(), getBatch(), part, getLimit(), getIgnore(), getLeast(), getWithoutSign(), getRuns()); }
    /// A copy with limits per run of elements; a single run limits all elements.
    InputAttr withRuns(::llvm::ArrayRef<LimitsAttr> runs) const;
    InputAttr withoutSign() const { return get(getName(), getBatch(), getPart(), getLimit(), getIgnore(), getLeast(), true, getRuns()); }
  }];
  let builders = [AttrBuilderWithInferredContext<
      (ins "::mlir::StringAttr":$name, CArg<"int64_t", "-1">:$batch, CArg<"int64_t", "0">:$part,
          CArg<"int64_t", "0">:$limit, CArg<"int64_t", "0">:$ignore, CArg<"int64_t", "0">:$least,
          CArg<"bool", "false">:$without_sign, CArg<"::mlir::ArrayAttr", "{}">:$runs),
      [{
    return $_get(name.getContext(), name, batch, part, limit, ignore, least, without_sign, runs);
  }]>];
}
def Train_Control : Train_Enum<"Control", "a number that the caller gives with each call",
                               [I32EnumAttrCase<"Valid", 0, "valid">,
                                I32EnumAttrCase<"LrFactor", 1, "lr_factor">]>;
def Train_ControlAttr : Train_EnumAttr<Train_Control, "control"> {
  let summary = "Control input of a program: `valid`, the number of valid rows (i32), or "
                "`lr_factor`, a factor of learning rates (f32)";
}
def Train_Output
    : Train_Enum<"Output", "a result for the caller",
                 [I32EnumAttrCase<"Loss", 0, "loss">, I32EnumAttrCase<"Norm", 1, "norm">,
                  I32EnumAttrCase<"Rate", 2, "rate">, I32EnumAttrCase<"Nonfinite", 3, "nonfinite">,
                  I32EnumAttrCase<"Named", 4, "named">,
                  I32EnumAttrCase<"Observed", 5, "observed">]>;
def Train_OutputAttr : Train_Attr<"Output", "output"> {
  let summary = "Output tensor for the caller";
  let description = [{
    `loss`, `norm` of the gradients before clipping, learning `rate`, and the number of `nonfinite` gradient
    elements are outputs of every step with these values. Results of functions are `named`; values inside a step
    for tools are `observed`. `batch` is the dimension with one element per row of the batch, or -1.
  }];
  let parameters = (ins "::ampc::train::Output":$kind,
      OptionalParameter<"::mlir::StringAttr">:$name, OrNone<"int64_t", "-1">:$batch);
  let assemblyFormat = "`<` $kind (`,` struct($name, $batch)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Name of an output in the C interface.
    static std::string publicName(Output kind, ::llvm::StringRef name);
    std::string getPublicName() const { return publicName(getKind(), getName() ? getName().getValue() : ""); }
    bool isBatched() const { return getBatch() >= 0; }
    OutputAttr withBatch(int64_t batch) const { return get(getContext(), getKind(), getName(), batch); }
  }];
}
def Train_GradientAttr : Train_Attr<"Gradient", "gradient"> {
  let summary = "Gradient of a parameter, or of an argument of that name; with `rows`, the row "
                "indices of a sparse gradient";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$of, OrNone<"bool", "false">:$rows);
  let assemblyFormat = "`<` $of (`,` struct($rows)^)? `>`";
  let extraClassDeclaration = "::mlir::StringAttr getName() const { return getOf().getAttr(); }";
}
#endif
