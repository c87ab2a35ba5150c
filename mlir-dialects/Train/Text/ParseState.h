// State of the parser of one context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_PARSESTATE_H
#define MLIR_DIALECTS_TRAIN_TEXT_PARSESTATE_H

#include "mlir-dialects/Train/Text/Sizes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpImplementation.h"

namespace ampc {
class FormulasIn;
class KnobsIn;
class ParseScope;

/// Number in place of an operand, as in `train.mul %x, 0.5`. The operand has the name of another
/// operand until the op is parsed; then a constant of that operand's element type replaces it.
struct ScalarOperand {
  unsigned index;      ///< of the op's operands
  std::string formula; ///< "0.5", "1 - beta"
  bool hasNames;       ///< of sizes
  llvm::SMLoc place;
};

/// State shared by the parsers of ops and attributes of one text. MLIR's parser passes nothing from
/// op to op, so the state belongs to the dialect of the context: a context parses one text at a
/// time, two contexts parse concurrently.
struct ParseState : mlir::DialectInterface::Base<ParseState> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ParseState)
  explicit ParseState(mlir::Dialect *dialect) : Base(dialect) {}
  static ParseState &of(mlir::MLIRContext *context);

  ParseScope *innermost = nullptr;         ///< null outside of models
  mlir::NamedAttrList *formulas = nullptr; ///< formulas of the op being parsed, or null
  mlir::NamedAttrList *knobs = nullptr;    ///< knobs of the op being parsed, or null
  KnobsIn *allowsKnobs = nullptr;          ///< null: a knob in an attribute is an error
  /// Scalars of the op being parsed; null for an op that records none.
  llvm::SmallVectorImpl<ScalarOperand> *scalars = nullptr;
  llvm::SMLoc scalarsOf;                ///< place of that op
  FormulasIn *allowsFormulas = nullptr; ///< null: a formula in an attribute is an error
  int64_t loops = 0;                    ///< loops around the op that is being parsed
  SizeNumbers sizes;                    ///< `ampc --set`: numbers of the outermost model's sizes
  /// Keeps parsed blocks for language servers, which query blocks and arguments long after parsing.
  bool keepsBlocks = false;
  /// Callback of language servers for an outermost op that does not parse, after the error and with
  /// the parser behind the op's name, where MLIR's parser stops.
  void (*onFailure)(mlir::OpAsmParser &parser) = nullptr;
};
} // namespace ampc
#endif
