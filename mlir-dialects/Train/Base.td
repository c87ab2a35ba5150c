// The dialect, its attributes, and the TableGen classes of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_BASE
#define AMPC_TRAIN_BASE
include "mlir-dialects/SignedIntegers.td"
include "mlir-dialects/Train/Interfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TrainDialect : Dialect {
  let name = "train";
  let cppNamespace = "::ampc::train";
  let summary = "Models, their state, training steps, and tensor ops of functions";
  let description = [{
    Passes attach attributes of this dialect to ops of any dialect, whose definitions need not declare the
    attributes; each is verified:

    * `train.origin` on a tensor op, `train.origins` on a kernel: provenance, see OriginAttr;
    * `train.is` on an argument or result of a program: role, see Signature;
    * `train.fan_in` on any sum of operands: the operands are cotangents of a single value, whose partial sums are
      not rounded;
    * `train.segment` on any op of a model: the checkpoint that contains the op, from train-expand-modules to
      train-name-ops, which adds the segment to the origin;
    * `train.values` on any op with results: key and kind of each, for tools that observe values (train-mark-values);
    * `train.per_row` on a buffer: a row per row of the batch; `train.passed`: evaluations and exports take the rows
      as an input and return the new rows;
    * `train.ranks` on a model: number of processes that train the model together;
    * `train.phase` on an MLIR module: the last completed phase.

    Constraints of ProgramOpInterface, that is of `train.func` and `kernel.program`:

    1. A control has its type: `valid` i32 and `lr_factor` f32, of rank 0.
    2. A state is an argument once.
    3. A program that belongs to a step has a role.
    4. A program has no other attributes than its own, none of which begins with `train.`.
    5. Arguments and results have `train.is` and no other attribute of this dialect.
    6. An argument is a `#train.state`, `#train.input` or `#train.control`.
    7. A result is a `#train.state`, `#train.output` or `#train.gradient`.
    8. The runs of an input fill its rows some number of times.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Train_Attr<string cppName, string keyword, list<Trait> traits = []>
    : AttrDef<TrainDialect, cppName, traits> {
  let mnemonic = keyword;
}
// Real parameter of an attribute, with a parser and printer because FieldParser has no
// floating-point version.
class Train_Real<string text> : AttrParameter<"::llvm::APFloat", text> {
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
  let parser = "::ampc::parseReal($_parser)";
  let printer = "$_printer.printFloat($_self)";
}
// A whole number or a formula of sizes.
class Whole<string text = "a whole number"> : AttrParameter<"int64_t", text> {
  let parser = "::ampc::parseWhole($_parser)";
}
class WholeOr<string value> : Whole<"a whole number, "#value#" by default"> {
  let defaultValue = value;
}
// Whole numbers or formulas of sizes in brackets: [30, 2 * n].
def Wholes : ArrayRefParameter<"int64_t", "whole numbers"> {
  let parser = "::ampc::parseWholes($_parser)";
  let printer = "$_printer << '[' << $_self << ']'";
}
def Real : Train_Real<"a real number">;
class RealOr<string value> : Train_Real<"a real number, "#value#" by default"> {
  let defaultValue = "::llvm::APFloat("#value#")";
}

// A real number, or no number.
def MaybeReal : OptionalParameter<"::std::optional<::llvm::APFloat>", "a real number"> {
  let parser = "::ampc::parseReal($_parser)";
  let printer = "$_printer.printFloat(*$_self)";
  let comparator = "::ampc::isSameNumber($_lhs, $_rhs)";
}

def RealTensor : RankedTensorOf<[F64, F32, BF16, F16]>;
def TruthTensor : RankedTensorOf<[I1]>;
def NumberTensor : RankedTensorOf<[F64, F32, BF16, F16, I64, I32]>;
def RowNumbers : RankedTensorOf<[I32]>;
// Types of row indices in a model, e.g. i64 -> i32 by a cast; programs have i32.
def IndexNumbers : RankedTensorOf<[I32, I64, I16, I8, UI8]>;
def RandomState
    : Type<CPred<"$_self == ::ampc::randomStateType($_self.getContext())">, "tensor<2xi64>">,
      BuildableType<"::ampc::randomStateType($_builder.getContext())">;
def ValidRows : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, "
                           "::mlir::IntegerType::get($_self.getContext(), 32))">,
                     "tensor<i32>">,
                BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI32Type())">;

// Dimension of AlongOpInterface; the last argument, because most built ops omit the dimension.
defvar lastByDefault = DefaultValuedAttr<SignedI64Attr, "-1">;

class Category<string n> { string name = n; }
def LowPrecision : Category<"LowPrecision">;
def FullPrecision : Category<"FullPrecision">;
def Promote : Category<"Promote">;
def Passthrough : Category<"Passthrough">;

// Definition of an op by a single entry. These classes serve ops of any dialect; `Train_*` below
// are the classes of this dialect. Example: Train_ReluOp in Pointwise.td.
// clang-format off: the formatter would merge the rows.
//   adjoint   body of buildAdjoints: `b` builds, `g` is the cotangent of the first result. Empty: defined in
//             the .cpp file of the family. Returns {} with `differentiable = 0`.
//   saves     values that the adjoint may use besides g: operands by index ("0", "1") and "result"; checked.
//   cancels, singular   operands by index whose errors the op may magnify, see Conditioning.
//   range     body of getRange for the first result: `x(i)` is the range of operand i. Arithmetic in Interval.h.
//   lists     "POLICY=LIST" for the lists of precision policies that contain the op. All policies read the list
//             `argument`: `absolute` where the absolute error of an operand counts, to which rounding adds a
//             share of the operand (angles); `exponent` where the absolute error counts only above 1.
//   scalar    body of buildScalars for an op with one result: `b` builds, `x` are the operands' elements.
//   reducesRow   whether scalar code reduces along the last dimension; follows from `scalar`, and is written for code in a .cpp file.
//   example   a use of the op, for the documentation.
// clang-format on
class TensorOpFacts<Category givenCategory> {
  list<string> lists = [];
  code range = "";
  string doc = "";
  string example = "";
  code extraDefinition = "";
  string exampleText = !if(!empty(example), "", "\n\n    ```mlir\n    "#example#"\n    ```");
  string precisionText = "\n\n    Precision category: `" # givenCategory.name # "`."
    # !if(!empty(lists), "", " On lists: `" # !interleave(lists, "`, `") # "`.");
  string rangeText = !if(!empty(range), "", "\n\n    Range:\n    ```c++\n    "#range#"\n    ```");
  code precisionCode =
    "::ampc::Category $cppClass::getCategory() { return ::ampc::Category::" # givenCategory.name # "; }\n"
    # "::ampc::Lists $cppClass::getLists() { return {\"" # !interleave(lists, " ") # "\"}; }\n"
    # "::ampc::Range $cppClass::getRange(unsigned index, ::ampc::RangeOf x) {\n"
    # !if(!empty(range), "  return std::nullopt;", "  using ::ampc::Interval;\n  if (index != 0) {\n    return std::nullopt;\n  }\n" # range) # "\n}\n";
}
defvar precisionMethods = ["getLists", "getRange"];

class TensorOp<Dialect dialect, string mnemonic, Category category, list<Trait> ownTraits = []>
    : Op<dialect, mnemonic>, TensorOpFacts<category> {
  code adjoint = "";
  bit differentiable = 1;
  list<string> saves = [];
  list<int> cancels = [];
  list<int> singular = [];
  code scalar = "";
  bit reducesRow = !or(!ne(!find(scalar, "rowMax("), -1), !ne(!find(scalar, "rowMin("), -1),
                       !ne(!find(scalar, "rowSum("), -1));
  let traits = ownTraits#[Pure,
                          DeclareOpInterfaceMethods<PrecisionOpInterface,
                                                    precisionMethods#["getConditioning"]>,
                          DeclareOpInterfaceMethods<DifferentiableOpInterface>]
               #!if(reducesRow, [ReducesRow], []<Trait>);
  let results = (outs AnyRankedTensor:$result);
  // clang-format off: the formatter would break the strings.
  let description = "    " # doc # exampleText # precisionText
    # !if(!empty(cancels), "", " Errors of operands are magnified by cancellation.")
    # !if(!empty(singular), "", " Singular in operand " # !interleave(singular, ", ") # ".")
    # !if(differentiable,
          " Saved for the adjoint: "
            # !if(!empty(saves), "nothing", "`" # !interleave(saves, "`, `") # "`") # ".",
          " Not differentiable.")
    # rangeText
    # !if(!empty(scalar), "", "\n\n    Scalar code:\n    ```c++\n    " # scalar # "\n    ```")
    # !if(!empty(adjoint), "", "\n\n    Adjoint:\n    ```c++\n    " # adjoint # "\n    ```")
    # "\n";
  let extraClassDefinition = precisionCode
    # "::ampc::Conditioning $cppClass::getConditioning(unsigned index) {"
    # !foldl("", cancels, text, i,
             text # " if (index == " # i # ") return ::ampc::Conditioning::Cancels;")
    # !foldl("", singular, text, i,
             text # " if (index == " # i # ") return ::ampc::Conditioning::Singular;")
    # " return ::ampc::Conditioning::Bounded; }\n"
    # "bool $cppClass::isDifferentiable() { return " # differentiable # "; }\n"
    # "::ampc::Saves $cppClass::getSaves() { return {\"" # !interleave(saves, " ") # "\"}; }\n"
    # !if(differentiable, "",
          "::llvm::SmallVector<::mlir::Value> $cppClass::buildAdjoints(::ampc::GradBuilder &, ::llvm::ArrayRef<::mlir::Value>) {"
            # " return ::llvm::SmallVector<::mlir::Value>(getOperation()->getNumOperands()); }\n")
    # !if(!empty(adjoint), "",
          "::llvm::SmallVector<::mlir::Value> $cppClass::buildAdjoints(::ampc::GradBuilder &b, ::llvm::ArrayRef<::mlir::Value> cotangents) {\n"
            # "  ::mlir::Value g = cotangents[0]; (void)g;\n" # adjoint # "\n}\n")
    # !if(!empty(scalar), "",
          "::llvm::SmallVector<::mlir::Value> $cppClass::buildScalars(::ampc::ScalarBuilder &b, ::mlir::ValueRange x) {\n"
            # "  auto value = [&]() -> ::mlir::Value {\n" # scalar # "\n  };\n  return {value()};\n}\n")
    # extraDefinition;
  // clang-format on
}

// Unary op on every element. Row-wise ops (softmax) are unary too.
class UnaryTensorOp<Dialect dialect, string mnemonic, Category category, list<Trait> traits = []>
    : TensorOp<dialect, mnemonic, category,
               traits#[SameOperandsAndResultType, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = "#dialect.name#"."#mnemonic#" %x : tensor<4x8xf32>";
}
class RealUnaryTensorOp<Dialect dialect, string mnemonic, Category category,
                        list<Trait> traits = []>
    : UnaryTensorOp<dialect, mnemonic, category, traits> {
  let arguments = (ins RealTensor:$x);
}

// Element by element, two operands with numpy broadcasting.
class BinaryTensorOp<Dialect dialect, string mnemonic, Category category, list<Trait> traits = []>
    : TensorOp<dialect, mnemonic, category,
               traits#[InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let assemblyFormat = "custom<Element>($lhs) `,` custom<Element>($rhs) attr-dict "
                       "custom<ElementTypes>(ref($lhs), type($lhs), ref($rhs), type($rhs))";
  let example = "%z = "#dialect.name#"."#mnemonic#" %x, %y : tensor<4x8xf32>, tensor<8xf32>";
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferBroadcast(loc, adaptor.getLhs().getType(), adaptor.getRhs().getType(), types);
    }
  }];
}

// Composite op, which `simplify` decomposes. A composite has no adjoint; the ops of the
// decomposition have adjoints.
class CompositeTensorOp<Dialect dialect, string mnemonic, Category category,
                        list<Trait> traits = []>
    : Op<dialect, mnemonic,
         traits#[Pure, DeclareOpInterfaceMethods<PrecisionOpInterface, precisionMethods>,
                 DeclareOpInterfaceMethods<CompositeOpInterface>]>,
      TensorOpFacts<category> {
  string parts = "";
  let results = (outs AnyRankedTensor:$result);
  let description = "    "#doc#exampleText#precisionText#" Composite: `simplify` decomposes "
                    "the op into "#parts#", which bring the "
                    "adjoint."#rangeText#"\n";
  let extraClassDefinition = precisionCode#extraDefinition;
}

class Train_Op<string mnemonic, Category category, list<Trait> traits = []>
    : TensorOp<TrainDialect, mnemonic, category, traits>;
class Train_UnaryOp<string mnemonic, Category category, list<Trait> traits = []>
    : UnaryTensorOp<TrainDialect, mnemonic, category, traits>;
class Train_RealUnaryOp<string mnemonic, Category category, list<Trait> traits = []>
    : RealUnaryTensorOp<TrainDialect, mnemonic, category, traits>;
class Train_BinaryOp<string mnemonic, Category category, list<Trait> traits = []>
    : BinaryTensorOp<TrainDialect, mnemonic, category, traits>;
class Train_CompositeOp<string mnemonic, Category category, list<Trait> traits = []>
    : CompositeTensorOp<TrainDialect, mnemonic, category, traits>;
#endif
