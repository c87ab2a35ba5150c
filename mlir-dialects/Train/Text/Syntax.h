// Directives of assembly formats: types that may be left out, and numbers that may be formulas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_SYNTAX_H
#define MLIR_DIALECTS_TRAIN_TEXT_SYNTAX_H

#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir/IR/Operation.h"

/// Generated code calls these functions by unqualified names: files that include generated code use
/// this namespace. Printers print the full syntax.
namespace ampc::syntax {
using Operand = mlir::OpAsmParser::UnresolvedOperand;
using Operands = llvm::SmallVectorImpl<Operand>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

/// Operands of a slot (one, optional or several), and storage of the types.
struct Slot {
  Slot(const Operand &operand, mlir::Type &type) : operands(operand), one(&type) {}
  Slot(const std::optional<Operand> &operand, mlir::Type &type) : one(&type) {
    if (operand)
      operands = *operand;
  }
  Slot(const Operands &operands, Types &types) : operands(operands), several(&types) {}
  Slot(const Operands &operands, mlir::Type &type) : operands(operands), one(&type) {}

  llvm::ArrayRef<Operand> operands;
  mlir::Type *one = nullptr;
  Types *several = nullptr;
};
/// `: T, U`, or nothing where the text has told the types.
mlir::ParseResult parseSlots(mlir::OpAsmParser &parser, llvm::ArrayRef<Slot> slots);
/// `: (T, U) -> R`, or nothing.
mlir::ParseResult parseProduct(mlir::OpAsmParser &parser, llvm::ArrayRef<Slot> slots,
                               mlir::Type &result);

inline void collectTypes(Types &types, mlir::Value) {}
inline void collectTypes(Types &types, mlir::OperandRange) {}
inline void collectTypes(Types &types, mlir::Type type) {
  if (type)
    types.push_back(type);
}
inline void collectTypes(Types &types, mlir::TypeRange more) {
  types.append(more.begin(), more.end());
}
void printTypeList(mlir::OpAsmPrinter &p, llvm::ArrayRef<mlir::Type> types);

template <typename A, typename TA>
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, const A &a, TA &ta) {
  return parseSlots(parser, {Slot(a, ta)});
}
template <typename A, typename TA, typename B, typename TB>
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, const A &a, TA &ta, const B &b, TB &tb) {
  return parseSlots(parser, {Slot(a, ta), Slot(b, tb)});
}
template <typename A, typename TA, typename B, typename TB, typename C, typename TC>
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, const A &a, TA &ta, const B &b, TB &tb,
                             const C &c, TC &tc) {
  return parseSlots(parser, {Slot(a, ta), Slot(b, tb), Slot(c, tc)});
}
template <typename... OperandsAndTypes>
void printTypes(mlir::OpAsmPrinter &p, mlir::Operation *,
                const OperandsAndTypes &...operandsAndTypes) {
  llvm::SmallVector<mlir::Type> types;
  (collectTypes(types, operandsAndTypes), ...);
  printTypeList(p, types);
}

/// A value, or a number that stands for a scalar of the element type of the op's other operand:
/// `%x`, `0.5`, `1 - beta`.
mlir::ParseResult parseElement(mlir::OpAsmParser &parser, Operand &operand);
inline void printElement(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::Value operand) {
  p << operand;
}
/// Types of the operands that are values; the operands from `first` on may be numbers.
mlir::ParseResult parseElementTypes(mlir::OpAsmParser &parser, unsigned first,
                                    llvm::ArrayRef<Operand *> operands,
                                    llvm::ArrayRef<mlir::Type *> types);
inline mlir::ParseResult parseElementTypes(mlir::OpAsmParser &parser, Operand &a, mlir::Type &ta,
                                           Operand &b, mlir::Type &tb) {
  return parseElementTypes(parser, 0, {&a, &b}, {&ta, &tb});
}
/// Types of a condition and of two operands that may be numbers.
inline mlir::ParseResult parseElementTypes(mlir::OpAsmParser &parser, Operand &condition,
                                           mlir::Type &type, Operand &a, mlir::Type &ta, Operand &b,
                                           mlir::Type &tb) {
  return parseElementTypes(parser, 1, {&condition, &a, &b}, {&type, &ta, &tb});
}
template <typename... OperandsAndTypes>
void printElementTypes(mlir::OpAsmPrinter &p, mlir::Operation *op,
                       const OperandsAndTypes &...operandsAndTypes) {
  printTypes(p, op, operandsAndTypes...);
}

/// Value of a constant: MLIR's `dense<...> : T`, or a number, a formula or nested lists of both
/// with a type behind a colon.
mlir::ParseResult parseConstant(mlir::OpAsmParser &parser, mlir::ElementsAttr &value);
void printConstant(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::ElementsAttr value);

/// Operands and the result of a product or convolution: the result follows from the operands.
inline mlir::ParseResult parseProductTypes(mlir::OpAsmParser &parser, const Operand &a,
                                           mlir::Type &ta, const Operand &b, mlir::Type &tb,
                                           mlir::Type &result) {
  return parseProduct(parser, {Slot(a, ta), Slot(b, tb)}, result);
}
void printProductTypes(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::Value, mlir::Type a,
                       mlir::Value, mlir::Type b, mlir::Type result);

/// `: T to U`, or `to` with a shape in brackets, the type of elements, or both.
mlir::ParseResult parseTypeTo(mlir::OpAsmParser &parser, const Operand &x, mlir::Type &type,
                              mlir::Type &result);
void printTypeTo(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::Value, mlir::Type type,
                 mlir::Type result);

/// The type of a result that nothing tells.
mlir::ParseResult parseResultType(mlir::OpAsmParser &parser, mlir::Type &result);
void printResultType(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::Type result);

/// Sizes in parentheses and the body of a model or module.
mlir::ParseResult parseModelBody(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes,
                                 mlir::Region &body);
void printModelBody(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::DictionaryAttr attributes,
                    mlir::Region &body);

/// The type of a parameter or buffer that is declared.
mlir::ParseResult parseDeclaredType(mlir::OpAsmParser &parser, mlir::TypeAttr &type);
void printDeclaredType(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::TypeAttr type);
/// `: T`, or nothing: the type of the state.
mlir::ParseResult parseStateType(mlir::OpAsmParser &parser, mlir::FlatSymbolRefAttr state,
                                 mlir::Type &type);
void printStateType(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::FlatSymbolRefAttr,
                    mlir::Type type);
/// `: (T, U) -> R`, or nothing, and then no types.
mlir::OptionalParseResult parseOptionalTypeOfCall(mlir::OpAsmParser &parser, Types &types,
                                                  Types &results);
/// Functional type of a call; without a written type, the type of a function that precedes the
/// call.
mlir::ParseResult parseCallTypes(mlir::OpAsmParser &parser, mlir::FlatSymbolRefAttr callee,
                                 const Operands &operands, Types &types, Types &results);
void printCallTypes(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::FlatSymbolRefAttr,
                    mlir::OperandRange operands, mlir::TypeRange types, mlir::TypeRange results);

/// Parameter list: `all`, or parameters and patterns of names; `but` excludes parameters. Example:
/// `["enc.*"] but ["enc.b"]`.
mlir::ParseResult parseParameters(mlir::OpAsmParser &parser, mlir::ArrayAttr &parameters);
void printParameters(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::ArrayAttr parameters);
/// `batch N`, and attributes.
mlir::ParseResult parseBatch(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes);
void printBatch(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::DictionaryAttr attributes);

/// Returned values, with optional result names by `as`; the function prints the names.
mlir::ParseResult parseReturned(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<Operand> &values,
                                Types &types);
void printReturned(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::OperandRange values,
                   mlir::TypeRange types);

/// Real number in plain notation: 1e-5, 2. A formula of sizes is an error.
mlir::ParseResult parseNumber(mlir::OpAsmParser &parser, mlir::FloatAttr &attribute);
void printNumber(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::FloatAttr attribute);
/// Real number or formula of the attribute `name`.
mlir::ParseResult parseNumber(mlir::OpAsmParser &parser, mlir::FloatAttr &attribute,
                              llvm::StringRef name);
/// Whole number or formula of the attribute `name`.
mlir::ParseResult parseWhole(mlir::OpAsmParser &parser, mlir::IntegerAttr &attribute,
                             llvm::StringRef name);
void printWhole(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::IntegerAttr attribute);
/// Numbers of the attribute `name`, each a literal or a formula.
mlir::ParseResult parseNumbers(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &numbers,
                               llvm::StringRef name);
void printNumbers(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::DenseI64ArrayAttr numbers,
                  llvm::StringRef name = "");

/// `custom<Eps>($eps)`: the number of one attribute, or a formula, which is recorded under the
/// attribute's name. A directive with the name as a string would not be allowed in optional groups.
#define AMPC_NUMBER_OF(Directive, Kind, Type, name)                                                \
  inline mlir::ParseResult parse##Directive(mlir::OpAsmParser &parser, mlir::Type &attribute) {    \
    return parse##Kind(parser, attribute, name);                                                   \
  }                                                                                                \
  inline void print##Directive(mlir::OpAsmPrinter &p, mlir::Operation *op, mlir::Type attribute) { \
    print##Kind(p, op, attribute);                                                                 \
  }
AMPC_NUMBER_OF(Alpha, Number, FloatAttr, "alpha")
AMPC_NUMBER_OF(Beta, Number, FloatAttr, "beta")
AMPC_NUMBER_OF(Bias, Number, FloatAttr, "bias")
AMPC_NUMBER_OF(Coefficient, Number, FloatAttr, "coefficient")
AMPC_NUMBER_OF(Delta, Number, FloatAttr, "delta")
AMPC_NUMBER_OF(Eps, Number, FloatAttr, "eps")
AMPC_NUMBER_OF(Gamma, Number, FloatAttr, "gamma")
AMPC_NUMBER_OF(High, Number, FloatAttr, "high")
AMPC_NUMBER_OF(Low, Number, FloatAttr, "low")
AMPC_NUMBER_OF(Margin, Number, FloatAttr, "margin")
AMPC_NUMBER_OF(Mean, Number, FloatAttr, "mean")
AMPC_NUMBER_OF(Momentum, Number, FloatAttr, "momentum")
AMPC_NUMBER_OF(Offset, Number, FloatAttr, "offset")
AMPC_NUMBER_OF(P, Number, FloatAttr, "p")
AMPC_NUMBER_OF(Probability, Number, FloatAttr, "probability")
AMPC_NUMBER_OF(Rate, Number, FloatAttr, "rate")
AMPC_NUMBER_OF(Scale, Number, FloatAttr, "scale")
AMPC_NUMBER_OF(Slope, Number, FloatAttr, "slope")
AMPC_NUMBER_OF(Smoothing, Number, FloatAttr, "smoothing")
AMPC_NUMBER_OF(Std, Number, FloatAttr, "std")
AMPC_NUMBER_OF(Value, Number, FloatAttr, "value")
AMPC_NUMBER_OF(Below, Whole, IntegerAttr, "below")
AMPC_NUMBER_OF(Diagonal, Whole, IntegerAttr, "diagonal")
AMPC_NUMBER_OF(Dim, Whole, IntegerAttr, "dim")
AMPC_NUMBER_OF(Groups, Whole, IntegerAttr, "groups")
AMPC_NUMBER_OF(Ignore, Whole, IntegerAttr, "ignore")
AMPC_NUMBER_OF(Iterations, Whole, IntegerAttr, "iterations")
AMPC_NUMBER_OF(K, Whole, IntegerAttr, "k")
AMPC_NUMBER_OF(Of, Whole, IntegerAttr, "of")
AMPC_NUMBER_OF(Padding, Whole, IntegerAttr, "padding")
AMPC_NUMBER_OF(Shift, Whole, IntegerAttr, "shift")
AMPC_NUMBER_OF(LrnSize, Whole, IntegerAttr, "size")
AMPC_NUMBER_OF(Dilations, Numbers, DenseI64ArrayAttr, "dilations")
AMPC_NUMBER_OF(Dims, Numbers, DenseI64ArrayAttr, "dims")
AMPC_NUMBER_OF(Permutation, Numbers, DenseI64ArrayAttr, "permutation")
AMPC_NUMBER_OF(Times, Numbers, DenseI64ArrayAttr, "times")
#undef AMPC_NUMBER_OF

/// Attribute whose numbers may be formulas.
template <typename Attribute>
mlir::ParseResult parseFormulas(mlir::OpAsmParser &parser, Attribute &attribute,
                                llvm::StringRef name) {
  FormulasIn formulas(parser.getContext());
  KnobsIn knobs(parser, name);
  llvm::SMLoc begin = parser.getCurrentLocation();
  if (parser.parseAttribute(attribute))
    return mlir::failure();
  llvm::StringRef text = textSince(parser, begin);
  if (formulas.found)
    recordFormulas(parser, name, parser.getBuilder().getStringAttr(knobs.getNumbers(text)));
  return knobs.note(parser, attribute, name, text);
}
template <typename Attribute>
void printFormulas(mlir::OpAsmPrinter &p, mlir::Operation *, Attribute attribute, llvm::StringRef) {
  p.printAttribute(attribute);
}

/// `[GROUP, times N index I GROUP, ...]`: the groups of a step.
mlir::ParseResult parseGroups(mlir::OpAsmParser &parser, mlir::ArrayAttr &groups);

/// Operands of attention, and with a logsumexp both results.
mlir::ParseResult parseAttentionTypes(mlir::OpAsmParser &parser, const Operand &q,
                                      mlir::Type &query, const Operand &k, mlir::Type &key,
                                      const Operand &v, mlir::Type &value,
                                      const std::optional<Operand> &b, mlir::Type &bias,
                                      mlir::Type &result, mlir::Type &lse);
void printAttentionTypes(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::Value, mlir::Type query,
                         mlir::Value, mlir::Type key, mlir::Value, mlir::Type value, mlir::Value,
                         mlir::Type bias, mlir::Type result, mlir::Type lse);
} // namespace ampc::syntax
#endif
