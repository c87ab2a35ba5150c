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
      Cotangents of the operands, given those of the results (null: that result is not
      useful to the loss). A null value in the answer means a derivative of 0. Shapes may still be
      those of the result: the caller sums away what broadcasting added.}],
                       "::llvm::SmallVector<::mlir::Value>", "buildAdjoints",
                       (ins "::ampc::GradBuilder &":$b,
                           "::llvm::ArrayRef<::mlir::Value>":$cotangents)>,
       StaticInterfaceMethod<"Values of the op that its adjoint may use.", "::ampc::Saves",
                             "getSaves">,
       StaticInterfaceMethod<
           "False for ops whose results are discrete, or have derivatives that nobody wrote down.",
           "bool", "isDifferentiable">,
       StaticInterfaceMethod<"Whether results count as constants: then even an op without a "
                             "derivative may be in front of it.",
                             "bool", "stopsGradient", (ins), "", "return false;">,
  ];
}

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    How the precision of an op follows from that of its operands, and what rounding does to its numbers. An op of any dialect
    with this interface takes part in every policy.
  }];
  let methods =
      [StaticInterfaceMethod<"Precision category.", "::ampc::Category", "getCategory">,
       StaticInterfaceMethod<[{
      Lists of policies that the op is on, such as "autocast=low propagate=infer". On no list an op is treated as the policy
      treats unlisted ones.}],
                             "::ampc::Lists", "getLists", (ins), "", "return {};">,
       InterfaceMethod<"Whether an operand is read in f32 (or wider) whatever the op computes in: "
                       "a mask, a statistic.",
                       "bool", "operandStaysFull", (ins "unsigned":$index), "", "return false;">,
       InterfaceMethod<"The same for a result.", "bool", "resultStaysFull", (ins "unsigned":$index),
                       "", "return false;">,
       InterfaceMethod<"What an error of an operand does to the results.", "::ampc::Conditioning",
                       "getConditioning", (ins "unsigned":$index), "",
                       "return ::ampc::Conditioning::Bounded;">,
       InterfaceMethod<
           "Bounds of a result's elements that hold for every input, from those of the operands.",
           "::ampc::Range", "getRange", (ins "unsigned":$index, "::ampc::RangeOf":$x), "",
           "return std::nullopt;">,
       InterfaceMethod<[{
      Operations on numbers that one run takes: a multiplication and an addition each count one. One per element for what is
      no sum of products.}],
                       "int64_t", "getFlops", (ins), "", "return ::ampc::elementwiseFlops($_op);">,
       InterfaceMethod<"The largest magnitude before gain and bias, for an op that normalizes.",
                       "std::optional<double>", "getNormalizedBound", (ins), "",
                       "return std::nullopt;">,
       InterfaceMethod<[{
      Whether a result describes an operand, as the mean of a row does. Beside a cotangent it is no part of that, and
      carries no loss scale.}],
                       "bool", "resultIsStatistic", (ins "unsigned":$index), "", "return false;">,
       StaticInterfaceMethod<[{
      Whether a constant of rank 0 beside a tensor is read as it is, not rounded to the tensor's type first, as PyTorch's kernels
      do for factors.}],
                             "bool", "readsNumbersExactly", (ins), "", "return false;">,
       InterfaceMethod<[{
      Whether results depend on operands being equal to the last bit. They are then read in the type of one that is stored in 16 bits:
      a rounded maximum meets no element that is not.}],
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
  let description = "An op that may multiply a whole tensor by one number, or give it up for zeros "
                    "by one condition.";
  let methods = [InterfaceMethod<"The tensor; null if this instance does something else.",
                                 "::mlir::Value", "getScaled">,
                 InterfaceMethod<"The same done to another tensor.", "::mlir::Value",
                                 "scaleInstead",
                                 (ins "::ampc::GradBuilder &":$b, "::mlir::Value":$other)>];
}

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    The op is one scalar expression per element of its iteration space, possibly with
    reductions along the last dimension. One expression serves scalars and vectors on every
    back end.
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
  let methods = [InterfaceMethod<"Name within the model.", "::llvm::StringRef", "getSymName">,
                 InterfaceMethod<"A ranked tensor type.", "::mlir::Type", "getType">,
                 InterfaceMethod<"First value.", "::ampc::InitAttrInterface", "getInit">,
                 InterfaceMethod<"What it is for, unless it is a parameter or the model's own.",
                                 "std::optional<::ampc::train::StateRole>", "getStateRole", (ins),
                                 "", "return std::nullopt;">,
  ];
}

def InitAttrInterface : AttrInterface<"InitAttrInterface"> {
  let cppNamespace = "::ampc";
  let description = "How a tensor of state gets its first value.";
  let methods = [InterfaceMethod<
                     "The distribution; of one that misses fans, nothing that may be used.",
                     "::ampc::Initializer", "getInitializer">,
                 InterfaceMethod<[{
      Parameters that the text leaves out and the variance follows from: `"fan_in = ... and fan_out = ..."`. Empty if none.}],
                                 "::llvm::StringRef", "getMissingFans", (ins), "", "return {};">,
                 InterfaceMethod<"The same with these in place of the fans that it does not say.",
                                 "::mlir::Attribute", "withFans", (ins "::ampc::Fans":$fans), "",
                                 "return $_attr;">];
}

def FanOpInterface : OpInterface<"FanOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that adds up products of data and weights, or looks weights up in a table: the variance of first values follows from its sizes.
  }];
  let methods = [InterfaceMethod<[{
      Fan-in and fan-out of an operand that may be weights. `x: [B, I], w: [I, O]`: the fans of w are I and O. An op that has fans for one
      operand only, as `linear` has, takes whatever it multiplies that by for data; of a product of two sides either may be the weights.}],
                                 "std::optional<::ampc::Fans>", "getFans",
                                 (ins "unsigned":$operand)>];
}

def CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op made of others. `simplify` replaces one without a kernel of its own by them, before differentiation;
    differentiation replaces one without an adjoint.
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
    An op that training and inference understand differently. Both methods build the values that
    replace the results, or return nothing: then the op stays as it is.
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
    An op that combines rows of the batch and can leave out those of a short batch. The leading dimension has
    `batch_rows` equal parts, one per row of the batch; parts from `valid` on do not count.
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
                                 "only on those of the batched operands.",
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
       InterfaceMethod<"Whether those from -limit to -1 count from the end.", "bool",
                       "countsFromEnd", (ins), "", "return false;">,
       InterfaceMethod<"Sets them to numbers of i32, of which none counts from the end.", "void",
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
    An op that looks along one dimension of its first operand, or has the channels there. Kernels and adjoints are for the last one:
    `train-instantiate` moves another to the end, in all operands and results of that shape (moveAlongLast).
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
    Adds rows, an update per index, to those of zeros that indices name, as the gradient of a lookup does.
  }];
  let methods = [InterfaceMethod<"The rows that are added up.", "::mlir::OpOperand &",
                                 "getUpdatesMutable">,
                 InterfaceMethod<"A number per update.", "::mlir::Value", "getIndex">,
                 InterfaceMethod<"An index whose updates do not count.", "std::optional<int64_t>",
                                 "getPadding", (ins), "", "return std::nullopt;">,
                 InterfaceMethod<"Numbers of the rows that the sums are of; null if the sums are a "
                                 "whole table, with zeros for the others.",
                                 "::mlir::Value", "getRowNumbers", (ins), "", "return {};">];
}

def RowWritesOpInterface : OpInterface<"RowWritesOpInterface"> {
  let cppNamespace = "::ampc";
  let description =
      "Gives a table other rows, those that indices name; a negative index names none.";
  let methods = [InterfaceMethod<"", "::mlir::OpOperand &", "getTableMutable">,
                 InterfaceMethod<"A number per row.", "::mlir::OpOperand &", "getIndexMutable">];
}

def AnnotationAttrInterface : AttrInterface<"AnnotationAttrInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An attribute that says where an op comes from, or why it is as it is, rather than what it does. Two ops that differ in nothing else are
    equal; when they become one, the first keeps its annotations.
  }];
  let methods = [InterfaceMethod<
      "What of it equality has to look at all the same; null for nothing.", "::mlir::Attribute",
      "getMeaning", (ins), "", "return {};">];
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
       InterfaceMethod<"Element type that moments are kept in; null for that of the parameter. The "
                       "rule never sees it.",
                       "::mlir::Type", "getMomentType", (ins), "", "return {};">,
       InterfaceMethod<
           "Which rows of a table the rule changes, given a gradient that is 0 in most.",
           "::ampc::RowUpdate", "getRowUpdate", (ins), "", "return ::ampc::RowUpdate::Every;">,
       InterfaceMethod<"Whether rows with gradient 0 are left alone on purpose, which differs from "
                       "the rule on whole tensors.",
                       "bool", "isLazy", (ins), "", "return false;">,
       InterfaceMethod<"Base learning rate.", "double", "getLearningRate">,
       InterfaceMethod<"Whether a schedule may say what its momentum, or its first decay rate, is.",
                       "bool", "takesMomentum", (ins), "", "return false;">,
       InterfaceMethod<"Whether it multiplies matrices for a parameter of this shape.", "bool",
                       "multipliesMatrices", (ins "::llvm::ArrayRef<int64_t>":$param), "",
                       "return false;">,
       InterfaceMethod<[{
      Returns the new parameter followed by the new moments. `step` (rank 0) counts from 1 and
      `lr` (rank 0) is the learning rate after the schedule.}],
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
       InterfaceMethod<"Whether it says what the momentum is, too.", "bool", "hasMomentum", (ins),
                       "", "return false;">,
       InterfaceMethod<"That momentum (rank 0).", "::mlir::Value", "buildMomentum",
                       (ins "::ampc::GradBuilder &":$b, "::mlir::Value":$step), "", "return {};">];
}

def ProgramOpInterface : OpInterface<"ProgramOpInterface", [FunctionOpInterface]> {
  let cppNamespace = "::ampc";
  let description = [{
    A function or kernels in the order in which they run. What it does stands in its attributes, which
    are those of train.func: `role`; the `step` or the `export_name` it belongs to; the size of its `batch`, and whether fewer rows may be valid
    (`short_batch`); what a step does with gradients that are not finite; the `optimizer` and the `groups` that it was made of.
    What arguments and results are stands in the attribute `train.is` of each: see Signature.
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
