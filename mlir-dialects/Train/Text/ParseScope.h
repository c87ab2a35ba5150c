// Symbol tables of the parsed text, from which omitted types are completed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_PARSESCOPE_H
#define MLIR_DIALECTS_TRAIN_TEXT_PARSESCOPE_H

#include "mlir-dialects/Train/Text/ParseState.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// First value and bounds of a knob, as written.
struct KnobRange {
  double first, low, high;
  /// A number of the range other than 0.
  double getRepresentative() const { return first != 0 ? first : high != 0 ? high : low; }
};

/// Types of values, state and functions, and values of sizes, in the model or function that is
/// being parsed. MLIR's parser has these types but gives no access: an op learns the type of an
/// operand only from text. Scopes of a context form a stack.
class ParseScope {
public:
  enum class Kind { Model, Function };
  ParseScope(mlir::MLIRContext *context, Kind kind);
  ~ParseScope();
  ParseScope(const ParseScope &) = delete;
  /// Null outside of models.
  static ParseScope *innermost(mlir::MLIRContext *context);
  /// The model or module that is being parsed; null outside.
  static ParseScope *model(mlir::MLIRContext *context);

  void recordValue(llvm::StringRef name, unsigned number, mlir::Type type);
  /// Type of a value; null if the defining op records no type, or follows later.
  mlir::Type valueType(const mlir::OpAsmParser::UnresolvedOperand &value) const;

  const ParseScope *getOuter() const { return outer; }
  Sizes sizes;
  llvm::StringMap<mlir::Type> states;
  llvm::StringMap<mlir::FunctionType> functions;
  llvm::StringMap<KnobRange> knobs;
  /// Result names of a function; empty for other scopes.
  llvm::SmallVector<std::string> resultNames;
  /// Bodies of modules; the enclosing op exists only after the body has been parsed.
  llvm::StringMap<mlir::Block *> modules;
  /// Module instances by name; the enclosing op exists only after its body has been parsed.
  llvm::StringMap<mlir::Attribute> instances;

private:
  ParseState &state;
  Kind kind;
  ParseScope *outer;
  llvm::StringMap<llvm::SmallVector<mlir::Type, 1>> values;
};

using ParseFunction =
    llvm::function_ref<mlir::ParseResult(mlir::OpAsmParser &, mlir::OperationState &)>;
/// Parses an op by `parse`, completes omitted parts by `complete`, and records the results.
mlir::ParseResult parseRecorded(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                ParseFunction parse, ParseFunction complete);
/// Formulas of the attribute or result `name` of the op that is being parsed.
void recordFormulas(mlir::AsmParser &parser, llvm::StringRef name, mlir::Attribute formulas);

/// Completes parts that the text may omit, in addition to operand types; a no-op for most ops.
template <typename Op> mlir::ParseResult completeOp(mlir::OpAsmParser &, mlir::OperationState &) {
  return mlir::success();
}

/// Op whose results are recorded after parsing. MLIR calls the parser of the registered class, the
/// only hook of a dialect that sees all of its ops.
template <typename Op> struct Recorded : Op {
  using Op::Op;
  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) {
    return parseRecorded(parser, state, Op::parse, completeOp<Op>);
  }
  static mlir::TypeID resolveTypeID() { return mlir::TypeID::get<Op>(); }
};
/// In place of Dialect::addOperations.
template <typename... Ops> void addRecordedOperations(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Recorded<Ops>>(dialect), ...);
}

// ---- Parts of a text ----

/// Prefix of `text` that is a number; `isFloat`: a float of MLIR's lexer, e.g. "1.5e3".
llvm::StringRef numberAt(llvm::StringRef text, bool &isFloat);
/// A whole number of an attribute.
mlir::FailureOr<int64_t> parseWhole(mlir::AsmParser &parser);
/// Whole numbers in brackets.
mlir::FailureOr<llvm::SmallVector<int64_t>> parseWholes(mlir::AsmParser &parser);
/// A real number or a formula; `formula` stays empty for a number.
mlir::FailureOr<llvm::APFloat> parseReal(mlir::AsmParser &parser, std::string &formula);

/// Permits formulas in place of numbers inside attributes during its lifetime; the caller stores
/// the attribute's text.
class FormulasIn {
public:
  explicit FormulasIn(mlir::MLIRContext *context);
  ~FormulasIn();
  FormulasIn(const FormulasIn &) = delete;
  /// Whether a formula was found.
  bool found = false;
  /// Records a formula; an error where formulas are not permitted.
  static mlir::ParseResult note(mlir::AsmParser &parser, llvm::SMLoc place);

private:
  ParseState &state;
  FormulasIn *outer;
};
/// Text of the attribute or formula parsed since `begin`, without trailing text before the next
/// token.
llvm::StringRef textSince(mlir::AsmParser &parser, llvm::SMLoc begin);
/// Appends + - * / or ** with blanks to `text`; false without an operator.
bool parseOptionalOperator(mlir::AsmParser &parser, std::string &text);

/// Text of a number or formula of either kind; `hasNames`: of sizes.
mlir::ParseResult parseFormula(mlir::AsmParser &parser, std::string &text, bool &hasNames);
/// A whole number or a formula; `formula` stays empty for a number.
mlir::ParseResult parseSize(mlir::AsmParser &parser, int64_t &value, std::string &formula);
/// `name = size`, with a whole or a real number.
mlir::ParseResult parseNamedSize(mlir::AsmParser &parser, llvm::StringRef &name, SizeNumber &value,
                                 std::string &formula);
/// Parses numbers or formulas up to the closing bracket, behind an opening bracket. `formulas`
/// stays empty if all are numbers.
mlir::ParseResult parseSizesInBrackets(mlir::AsmParser &parser,
                                       llvm::SmallVectorImpl<int64_t> &values,
                                       std::string &formulas);
/// `tensor<...>`, or `f32[...]` with formulas.
mlir::ParseResult parseTensorType(mlir::AsmParser &parser, mlir::Type &type, std::string &formulas);
} // namespace ampc
#endif
