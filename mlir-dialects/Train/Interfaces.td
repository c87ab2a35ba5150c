// Interfaces of tensor ops, initialisers, optimizers and schedules, as queried by passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_INTERFACES
#define AMPC_TRAIN_INTERFACES
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    Reverse-mode rule of an op, in terms of ops that have rules themselves. An op without
    this interface is a constant to differentiation or an error on an active path.
  }];
  let methods =
      [InterfaceMethod<[{
      Cotangents of the operands, given the cotangents of the results (null: the loss does not depend on the
      result). A returned null is a derivative of 0. Shapes may still be the result's shape: the caller sums over
      broadcast dimensions.}],
                       "::llvm::SmallVector<::mlir::Value>", "buildAdjoints",
                       (ins "::ampc::GradBuilder &":$b,
                           "::llvm::ArrayRef<::mlir::Value>":$cotangents)>,
       StaticInterfaceMethod<"Operands and results that the adjoint may read.", "::ampc::Saves",
                             "getSaves">,
       StaticInterfaceMethod<
           "False for ops whose results are discrete, or whose derivatives are not implemented.",
           "bool", "isDifferentiable">,
       StaticInterfaceMethod<"Whether results count as constants: then even an op without a "
                             "derivative may precede this op.",
                             "bool", "stopsGradient", (ins), "", "return false;">,
  ];
}

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    Precision of an op given its operands' precision, and the effect of rounding on its results. Every policy
    applies to ops of any dialect with this interface.
  }];
  let methods =
      [StaticInterfaceMethod<"Precision category.", "::ampc::Category", "getCategory">,
       StaticInterfaceMethod<[{
      Lists of policies that contain the op, such as "autocast=low propagate=infer". An op on no list is treated as
      the policy treats unlisted ops.}],
                             "::ampc::Lists", "getLists", (ins), "", "return {};">,
       InterfaceMethod<"Whether an operand is read in f32 (or wider) whatever the op computes in: "
                       "a mask, a statistic.",
                       "bool", "operandStaysFull", (ins "unsigned":$index), "", "return false;">,
       InterfaceMethod<"The same for a result, by result number.", "bool", "resultStaysFull",
                       (ins "unsigned":$index), "", "return false;">,
       InterfaceMethod<"Effect of an operand's error on the results.", "::ampc::Conditioning",
                       "getConditioning", (ins "unsigned":$index), "",
                       "return ::ampc::Conditioning::Bounded;">,
       InterfaceMethod<
           "Bounds of a result's elements for every input, given the bounds of the operands.",
           "::ampc::Range", "getRange", (ins "unsigned":$index, "::ampc::RangeOf":$x), "",
           "return std::nullopt;">,
       InterfaceMethod<[{
      FLOPs of a run: a multiplication and an addition count one each. Ops other than sums of products count one
      per element.}],
                       "int64_t", "getFlops", (ins), "", "return ::ampc::elementwiseFlops($_op);">,
       InterfaceMethod<"The largest magnitude before gain and bias, for an op that normalizes.",
                       "std::optional<double>", "getNormalizedBound", (ins), "",
                       "return std::nullopt;">,
       InterfaceMethod<[{
      Whether a result describes an operand, as the mean of a row does. A result that accompanies a cotangent is
      not part of the cotangent, and carries no loss scale.}],
                       "bool", "resultIsStatistic", (ins "unsigned":$index), "", "return false;">,
       StaticInterfaceMethod<[{
      Whether a constant of rank 0 beside a tensor is read unrounded in place of rounding to the tensor's type
      first, as PyTorch's kernels do for factors.}],
                             "bool", "readsNumbersExactly", (ins), "", "return false;">,
       InterfaceMethod<[{
      Whether results depend on operands being equal to the last bit. If an operand is stored in 16 bits, all
      operands are read in its type: a rounded maximum equals no unrounded element.}],
                       "bool", "comparesEqual", (ins), "", "return false;">];
}

// Trait of pure data movement: every element of the only operand appears unchanged, reordered or
// repeated.
def MovesOnly : NativeOpTrait<"MovesOnly"> { let cppNamespace = "::ampc"; }
// Trait of results that hold unchanged elements of the operands only.
def GivesElements : NativeOpTrait<"GivesElements"> { let cppNamespace = "::ampc"; }
// Trait of sums of operands, e.g. the fan-in of gradients and a bias.
def SumsOperands : NativeOpTrait<"SumsOperands"> { let cppNamespace = "::ampc"; }
// Trait of markers that passes insert for later phases; models do not contain such ops.
def MadeByPasses : NativeOpTrait<"MadeByPasses"> { let cppNamespace = "::ampc"; }

def ScalingOpInterface : OpInterface<"ScalingOpInterface"> {
  let cppNamespace = "::ampc";
  let description =
      "An op that may multiply a whole tensor by one number, or replace the tensor by zeros "
      "under one condition.";
  let methods = [InterfaceMethod<"The tensor; null if this instance does something else.",
                                 "::mlir::Value", "getScaled">,
                 InterfaceMethod<"The same operation on another tensor.", "::mlir::Value",
                                 "scaleInstead",
                                 (ins "::ampc::GradBuilder &":$b, "::mlir::Value":$other)>];
}

// Trait of ops whose scalar code reduces along the last dimension. Entries with their code in the
// .td file have it if the code calls rowMax, rowMin or rowSum.
def ReducesRow : NativeOpTrait<"ReducesRow"> { let cppNamespace = "::ampc"; }

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    The op is one scalar expression per element of its iteration space, possibly with reductions along the last
    dimension. The same expression serves scalars and vectors on every target.
  }];
  let methods =
      [InterfaceMethod<"Builds the expressions of the results from the operands' elements.",
                       "::llvm::SmallVector<::mlir::Value>", "buildScalars",
                       (ins "::ampc::ScalarBuilder &":$b, "::mlir::ValueRange":$x)>,
       InterfaceMethod<"Shape of the iteration space.", "::llvm::SmallVector<int64_t>", "getSpace",
                       (ins), "", [{
      return ::llvm::to_vector(::llvm::cast<::mlir::RankedTensorType>($_op->getResult(0).getType()).getShape());}]>,
       InterfaceMethod<
           "Which element of an operand belongs to a point of the space.", "::mlir::AffineMap",
           "getOperandMap", (ins "unsigned":$index), "",
           [{return ::ampc::broadcastMap($_op->getOperand(index).getType(), $_op.getSpace());}]>,
       InterfaceMethod<
           "Which element of a result a point of the space defines.", "::mlir::AffineMap",
           "getResultMap", (ins "unsigned":$index), "",
           [{return ::ampc::broadcastMap($_op->getResult(index).getType(), $_op.getSpace());}]>,
  ];
}

def ReduceOpInterface : OpInterface<"ReduceOpInterface"> {
  let cppNamespace = "::ampc";
  let description =
      "Combines the elements of the first operand over some dimensions, which are dropped.";
  let methods = [InterfaceMethod<"Ascending dimensions of the first operand.",
                                 "::llvm::ArrayRef<int64_t>", "getDims">,
                 StaticInterfaceMethod<
                     "The operation, by its name in `kernel.combine`: sum, max or min.",
                     "::llvm::StringRef", "getCombine">,
  ];
}

def StateOpInterface : OpInterface<"StateOpInterface"> {
  let cppNamespace = "::ampc";
  let description = "A declaration of state: the tensors that a step takes and returns.";
  let methods =
      [InterfaceMethod<"Name within the model.", "::llvm::StringRef", "getSymName">,
       InterfaceMethod<"A ranked tensor type.", "::mlir::Type", "getType">,
       InterfaceMethod<"First value.", "::ampc::InitAttrInterface", "getInit">,
       InterfaceMethod<
           "Role of the buffer, unless the state is a parameter or declared by the model.",
           "std::optional<::ampc::train::StateRole>", "getStateRole", (ins), "",
           "return std::nullopt;">,
  ];
}

def InitAttrInterface : AttrInterface<"InitAttrInterface"> {
  let cppNamespace = "::ampc";
  let description = "Initial value of a state tensor.";
  let methods = [InterfaceMethod<"The distribution; unusable if fans are missing.",
                                 "::ampc::Initializer", "getInitializer">,
                 InterfaceMethod<[{
      Parameters that the text leaves out and the variance follows from: `"fan_in = ... and fan_out = ..."`. Empty if none.}],
                                 "::llvm::StringRef", "getMissingFans", (ins), "", "return {};">,
                 InterfaceMethod<"A copy with the given fans in place of omitted fans.",
                                 "::mlir::Attribute", "withFans", (ins "::ampc::Fans":$fans), "",
                                 "return $_attr;">];
}

def FanOpInterface : OpInterface<"FanOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that sums products of data and weights, or looks weights up in a table: the variance of initial values
    follows from the sizes.
  }];
  let methods = [InterfaceMethod<[{
      Fan-in and fan-out of an operand that may be weights. `x: [B, I], w: [I, O]`: the fans of w are I and O. For
      an op with fans for one operand only, e.g. `linear`, the other operand is data; for a product of two sides,
      either side may be the weights.}],
                                 "std::optional<::ampc::Fans>", "getFans",
                                 (ins "unsigned":$operand)>];
}

def CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    A composite op. `simplify` decomposes composites without a kernel before differentiation; differentiation
    decomposes composites without an adjoint.
  }];
  let methods = [InterfaceMethod<"Whether this instance has to be replaced.", "bool", "isComposite",
                                 (ins), "", "return true;">,
                 InterfaceMethod<"Builds the values that replace the results.",
                                 "::llvm::SmallVector<::mlir::Value>", "decompose",
                                 (ins "::ampc::GradBuilder &":$b)>];
}

def ModalOpInterface : OpInterface<"ModalOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that differs between training and inference. Both methods build the values that replace the results, or
    return nothing: then the op is unchanged.
  }];
  let methods = [InterfaceMethod<"The form that an export or an evaluation uses: writes no state.",
                                 "::llvm::SmallVector<::mlir::Value>", "buildInference",
                                 (ins "::ampc::GradBuilder &":$b)>,
                 InterfaceMethod<"The form that a step uses: may write state.",
                                 "::llvm::SmallVector<::mlir::Value>", "buildTraining",
                                 (ins "::ampc::GradBuilder &":$b)>];
}

def RandomOpInterface : OpInterface<"RandomOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    Random numbers are a function of the state {seed, counter}, of a key, and of the row-major number of the
    element: Philox4x32-10 (Salmon et al. 2011). Ops with distinct keys draw independent numbers.
  }];
  let methods = [InterfaceMethod<"Attaches the state, a tensor<2xi64>, and the key.", "void",
                                 "setRandomState", (ins "::mlir::Value":$state, "int32_t":$key), "",
                                 [{
      $_op.getStateMutable().assign(::mlir::ValueRange{state, state});
      $_op.setKey(key);}]>,
                 InterfaceMethod<"Whether a state is attached.", "bool", "hasRandomState", (ins),
                                 "", "return !$_op.getState().empty();">];
}

def ValidRowsOpInterface : OpInterface<"ValidRowsOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that combines rows of the batch and can exclude the padding rows of a short batch. The leading dimension
    has `batch_rows` equal parts, one per row of the batch; parts from `valid` on do not count.
  }];
  let methods = [InterfaceMethod<"Attaches the number of rows that count, a tensor<i32>.", "void",
                                 "setValidRows", (ins "::mlir::Value":$valid, "int64_t":$batchRows),
                                 "", [{
      $_op.getValidMutable().assign(valid);
      $_op.setBatchRows(batchRows);}]>];
}

def BatchedOpInterface : OpInterface<"BatchedOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op without scalar code that may keep rows of the batch apart along the leading dimension.
  }];
  let methods = [InterfaceMethod<"Whether equal parts of the results' leading dimension depend "
                                 "only on rows of the batched operands.",
                                 "bool", "keepsLeadingDimension",
                                 (ins "::llvm::function_ref<bool(::mlir::Value)>":$isBatched)>];
}

def IndexOpInterface : OpInterface<"IndexOpInterface"> {
  let cppNamespace = "::ampc";
  let description =
      "An op whose integer operand must stay below a limit, which the runtime checks for inputs.";
  let methods =
      [InterfaceMethod<"The integer operand; null if this instance has none.", "::mlir::Value",
                       "getIndices">,
       InterfaceMethod<"Indices are less than this; 0 if any will do.", "int64_t", "getIndexLimit">,
       InterfaceMethod<"Whether indices from -limit to -1 count from the end.", "bool",
                       "countsFromEnd", (ins), "", "return false;">,
       InterfaceMethod<"Sets i32 indices, none of which counts from the end.", "void",
                       "setStartIndices", (ins "::mlir::Value":$index), "", [{
      for (::mlir::OpOperand &operand : $_op->getOpOperands())
        if (operand.get() == $_op.getIndices())
          operand.set(index);}]>,
       InterfaceMethod<"An index that is allowed all the same.", "std::optional<int64_t>",
                       "getIgnoredIndex", (ins), "", "return std::nullopt;">,
       InterfaceMethod<"Other operands of i32 that the runtime checks alike, and their limits.",
                       "::llvm::SmallVector<std::pair<::mlir::Value, int64_t>>", "getOtherIndices",
                       (ins), "", "return {};">];
}

def AlongOpInterface : OpInterface<"AlongOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that works along one dimension of its first operand, or has the channels there. Kernels and adjoints
    support the last dimension: `train-instantiate` transposes another dimension to the end, in all operands and
    results of that shape (moveAlongLast).
  }];
  let methods = [InterfaceMethod<"As written: -1 is the last.", "int64_t", "getDim">,
                 InterfaceMethod<"", "void", "setDim", (ins "int64_t":$dim)>];
  let extraSharedClassDeclaration = [{
    /// The dimension, counted from the first.
    int64_t getAlong() { return ::ampc::dimensionAlong(getAlongType(), $_op.getDim()); }
    bool isAlongLast() { return getAlong() + 1 == getAlongType().getRank(); }
    int64_t getAlongSize() { return getAlongType().getDimSize(getAlong()); }
    ::mlir::RankedTensorType getAlongType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType());
    }
  }];
  let verify = [{ return ::ampc::verifyAlong($_op); }];
}

def RowSumsOpInterface : OpInterface<"RowSumsOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    Scatter-adds rows, an update per index, to a table of zeros: the gradient of a lookup.
  }];
  let methods = [InterfaceMethod<"The rows that are added up.", "::mlir::OpOperand &",
                                 "getUpdatesMutable">,
                 InterfaceMethod<"A number per update.", "::mlir::Value", "getIndex">,
                 InterfaceMethod<"An index whose updates do not count.", "std::optional<int64_t>",
                                 "getPadding", (ins), "", "return std::nullopt;">,
                 InterfaceMethod<"Numbers of the rows that the sums are of; null if the sums are a "
                                 "whole table, with zeros in all other rows.",
                                 "::mlir::Value", "getRowNumbers", (ins), "", "return {};">];
}

def RowWritesOpInterface : OpInterface<"RowWritesOpInterface"> {
  let cppNamespace = "::ampc";
  let description =
      "Overwrites the rows of a table that indices name; negative indices are skipped.";
  let methods = [InterfaceMethod<"", "::mlir::OpOperand &", "getTableMutable">,
                 InterfaceMethod<"A number per row.", "::mlir::OpOperand &", "getIndexMutable">];
}

def AnnotationAttrInterface : AttrInterface<"AnnotationAttrInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An attribute with provenance or a reason, without effect on semantics. Two ops that differ only in annotations
    are equal; if the ops are merged, the first op's annotations are kept.
  }];
  let methods = [InterfaceMethod<
      "Part of the attribute that equality compares nevertheless; null for none.",
      "::mlir::Attribute", "getMeaning", (ins), "", "return {};">];
}

def OptimizerAttrInterface : AttrInterface<"OptimizerAttrInterface"> {
  let cppNamespace = "::ampc";
  let description = "An update rule of first order.";
  let methods =
      [InterfaceMethod<"The moments kept for a parameter of shape `param`.",
                       "::llvm::SmallVector<::ampc::Moment>", "getMomentsOf",
                       (ins "::llvm::ArrayRef<int64_t>":$param)>,
       InterfaceMethod<"First value of every moment.", "double", "getInitialMoment", (ins), "",
                       "return 0.0;">,
       InterfaceMethod<
           "Storage type of moments; null for the parameter's type. The update casts: the "
           "rule computes in its own type.",
           "::mlir::Type", "getMomentType", (ins), "", "return {};">,
       InterfaceMethod<
           "Which rows of a table the rule changes, given a gradient that is 0 in most.",
           "::ampc::RowUpdate", "getRowUpdate", (ins), "", "return ::ampc::RowUpdate::Every;">,
       InterfaceMethod<"Whether rows with gradient 0 are left alone on purpose, which differs from "
                       "the rule on whole tensors.",
                       "bool", "isLazy", (ins), "", "return false;">,
       InterfaceMethod<"Base learning rate.", "double", "getLearningRate">,
       InterfaceMethod<
           "Parameters besides `lr` whose numbers may be values of the step: of knobs or a schedule.",
           "::llvm::ArrayRef<::llvm::StringLiteral>", "getVariableNumbers">,
       InterfaceMethod<
           "The one that a schedule of the momentum sets: `momentum` or `beta1`; empty for none.",
           "::llvm::StringRef", "getMomentumName", (ins), "", [{
         for (::llvm::StringRef name : {"momentum", "beta1"})
           if (::llvm::is_contained($_attr.getVariableNumbers(), name))
             return name;
         return {};
       }]>,
       InterfaceMethod<"Whether the rule multiplies matrices for a parameter of this shape.",
                       "bool", "multipliesMatrices", (ins "::llvm::ArrayRef<int64_t>":$param), "",
                       "return false;">,
       InterfaceMethod<[{
      Returns the new parameter followed by the new moments. `step` (rank 0) counts from 1 and
      `lr` (rank 0) is the learning rate after the schedule. `settings` has values in place of numbers of the
      rule.}],
                       "::llvm::SmallVector<::mlir::Value>", "buildUpdate",
                       (ins "::ampc::GradBuilder &":$b, "::mlir::Value":$param,
                           "::mlir::Value":$grad, "::mlir::ValueRange":$moments,
                           "::mlir::Value":$step, "::mlir::Value":$lr,
                           "const ::ampc::UpdateSettings &":$settings)>];
}

def ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::ampc";
  let description = "A learning rate as a function of the step number.";
  let methods =
      [InterfaceMethod<"Factor (rank 0) on the base learning rate at `step` (rank 0, from 1).",
                       "::mlir::Value", "buildFactor",
                       (ins "::ampc::GradBuilder &":$b, "::mlir::Value":$step)>,
       InterfaceMethod<"Whether the schedule also sets the momentum.", "bool", "hasMomentum", (ins),
                       "", "return false;">,
       InterfaceMethod<"That momentum (rank 0).", "::mlir::Value", "buildMomentum",
                       (ins "::ampc::GradBuilder &":$b, "::mlir::Value":$step), "", "return {};">];
}

def ProgramOpInterface : OpInterface<"ProgramOpInterface", [FunctionOpInterface]> {
  let cppNamespace = "::ampc";
  let description = [{
    A function, or kernels in execution order. Program attributes are the attributes of train.func: `role`; the
    `step` or the `export_name` of the program; the size of its `batch`, and whether fewer rows may be valid
    (`short_batch`); the action on non-finite gradients; the `optimizer` and the `groups` of the step. The
    attribute `train.is` of each argument and result is its role: see Signature.
  }];
  let methods = [InterfaceMethod<"", "std::optional<::ampc::train::Role>", "getRole">,
                 InterfaceMethod<"", "::mlir::StringAttr", "getStepAttr">,
                 InterfaceMethod<"", "::mlir::StringAttr", "getExportNameAttr">,
                 InterfaceMethod<"", "std::optional<int64_t>", "getBatch">,
                 InterfaceMethod<"", "bool", "getShortBatch">,
                 InterfaceMethod<"", "std::optional<::ampc::train::NonFinite>", "getNonfinite">];
  let extraSharedClassDeclaration = [{
    /// Name of the program's step; empty without a step.
    ::llvm::StringRef getStepName() {
      ::mlir::StringAttr step = $_op.getStepAttr();
      return step ? step.getValue() : ::llvm::StringRef();
    }
    bool is(::ampc::train::Role role) { return $_op.getRole() == role; }
  }];
  let verify =
      [{ return ::ampc::verifySignature(::llvm::cast<::mlir::FunctionOpInterface>($_op)); }];
}
#endif
