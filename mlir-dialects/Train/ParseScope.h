// What a text has said so far, so that it need not say it again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PARSESCOPE_H
#define MLIR_DIALECTS_TRAIN_PARSESCOPE_H

#include "mlir-dialects/Train/ParseState.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// The types of the values, state and functions, and the numbers of the sizes, that can be named in
/// the model or function that is being parsed. MLIR's parser knows them and does not tell: an op
/// learns the type of an operand only by writing it. Scopes of a context form a stack.
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

  void noteValue(llvm::StringRef name, unsigned number, mlir::Type type);
  /// Null if it was made by an op that does not tell, or is made further down.
  mlir::Type valueType(const mlir::OpAsmParser::UnresolvedOperand &value) const;

  const ParseScope *getOuter() const { return outer; }
  Sizes sizes;
  llvm::StringMap<mlir::Type> states;
  llvm::StringMap<mlir::FunctionType> functions;
  /// Those that a function gives its results; empty for the others.
  llvm::SmallVector<std::string> resultNames;
  /// Bodies of modules; the op around one exists once it has been read.
  llvm::StringMap<mlir::Block *> modules;
  /// Modules in use, each an op whose parent exists once it has been read.
  llvm::StringMap<mlir::Attribute> instances;

private:
  ParseState &state;
  Kind kind;
  ParseScope *outer;
  llvm::StringMap<llvm::SmallVector<mlir::Type, 1>> values;
};

using ParseFunction =
    llvm::function_ref<mlir::ParseResult(mlir::OpAsmParser &, mlir::OperationState &)>;
/// Parses an op by `parse`, has `complete` add what the text left out, and notes its results.
mlir::ParseResult parseNoted(mlir::OpAsmParser &parser, mlir::OperationState &state,
                             ParseFunction parse, ParseFunction complete);
/// The formulas that stand for numbers of the attribute or result `name` of the op that is being
/// parsed.
void noteFormulas(mlir::AsmParser &parser, llvm::StringRef name, mlir::Attribute formulas);

/// What a text may leave out of an op, besides types of operands: nothing for most.
template <typename Op> mlir::ParseResult completeOp(mlir::OpAsmParser &, mlir::OperationState &) {
  return mlir::success();
}

/// The op, parsed as its entry says and noted. MLIR asks the class that is registered how to parse,
/// which is the only place where a dialect sees all of its ops go by.
template <typename Op> struct Noted : Op {
  using Op::Op;
  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) {
    return parseNoted(parser, state, Op::parse, completeOp<Op>);
  }
  static mlir::TypeID resolveTypeID() { return mlir::TypeID::get<Op>(); }
};
/// In place of Dialect::addOperations.
template <typename... Ops> void addNotedOperations(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Noted<Ops>>(dialect), ...);
}

// ---- Parts of a text ----

/// The characters of a number at the start of `text`; `isFloat`: what MLIR's lexer takes for one.
llvm::StringRef numberAt(llvm::StringRef text, bool &isFloat);
/// A whole number of an attribute.
mlir::FailureOr<int64_t> parseWhole(mlir::AsmParser &parser);

/// While it lives, numbers inside attributes may be formulas: somebody keeps the attribute's text.
class FormulasIn {
public:
  explicit FormulasIn(mlir::MLIRContext *context);
  ~FormulasIn();
  FormulasIn(const FormulasIn &) = delete;
  /// Whether there was one.
  bool found = false;
  /// Notes one; an error if none may stand here.
  static mlir::ParseResult note(mlir::AsmParser &parser, llvm::SMLoc place);

private:
  ParseState &state;
  FormulasIn *outer;
};
/// The text of the attribute or formula that has been parsed since `begin`, without what stands
/// behind it up to the next token.
llvm::StringRef textSince(mlir::AsmParser &parser, llvm::SMLoc begin);
/// + - * or /, with blanks, behind `text`; false if none is there.
bool parseOptionalOperator(mlir::AsmParser &parser, std::string &text);

/// A number or a formula; `formula` stays empty for a number.
mlir::ParseResult parseSize(mlir::AsmParser &parser, int64_t &value, std::string &formula);
/// `name = size`.
mlir::ParseResult parseNamedSize(mlir::AsmParser &parser, llvm::StringRef &name, int64_t &value,
                                 std::string &formula);
/// Numbers or formulas in brackets that have been opened, up to the closing one. `formulas` stays
/// empty if all are numbers.
mlir::ParseResult parseSizesInBrackets(mlir::AsmParser &parser,
                                       llvm::SmallVectorImpl<int64_t> &values,
                                       std::string &formulas);
/// `tensor<...>`, or `f32[...]` with formulas.
mlir::ParseResult parseTensorType(mlir::AsmParser &parser, mlir::Type &type, std::string &formulas);
} // namespace ampc
#endif
