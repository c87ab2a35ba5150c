// State of the parser of one context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PARSESTATE_H
#define MLIR_DIALECTS_TRAIN_PARSESTATE_H

#include "mlir-dialects/Train/Sizes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpImplementation.h"

namespace ampc {
class FormulasIn;
class ParseScope;

/// State that the parsers of ops and attributes of one text share. MLIR's parser hands nothing from
/// op to op, so the state belongs to the dialect of the context: a context parses one text at a
/// time, two contexts parse side by side.
struct ParseState : mlir::DialectInterface::Base<ParseState> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ParseState)
  explicit ParseState(mlir::Dialect *dialect) : Base(dialect) {}
  static ParseState &of(mlir::MLIRContext *context);

  ParseScope *innermost = nullptr;         ///< null outside of models
  mlir::NamedAttrList *formulas = nullptr; ///< of the op that is being parsed; null: none
  FormulasIn *allowsFormulas = nullptr;    ///< null: a formula in an attribute is an error
  SizeNumbers sizes;                       ///< `ampc --set`: numbers of the outermost model's sizes
  /// For language servers, which ask for parsed blocks and arguments long after: no block is freed.
  bool keepsBlocks = false;
  /// For language servers: called for an outermost op that does not parse, after its error and with
  /// the parser behind the op's name. MLIR's parser stops there.
  void (*onFailure)(mlir::OpAsmParser &parser) = nullptr;
};
} // namespace ampc
#endif
