// Knobs in place of numbers of attributes: `lr = @rate`, `clip_norm = @limit`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_KNOBNUMBERS_H
#define MLIR_DIALECTS_TRAIN_TEXT_KNOBNUMBERS_H

#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace ampc {
/// Key of a dictionary with the knobs of an op: {"optimizer.lr" = @rate, "groups.0.momentum" = @m}
/// on a train.step, {rate = @drop} on a train.dropout. The number in the op's own attribute is the
/// first value of the knob, or the upper bound if the first value is 0: a rule whose momentum or
/// weight decay is 0 has other state.
inline constexpr llvm::StringLiteral knobsKey = "train.knobs";
/// The knob in place of the number `path`, or null.
mlir::FlatSymbolRefAttr knobOf(mlir::Operation *op, llvm::StringRef path);
/// Renumbers the knobs of groups: the group that was kept[i] is now i.
void keepKnobsOfGroups(mlir::Operation *step, llvm::ArrayRef<int64_t> kept);
/// Expected content of `train.knobs`; nullopt if the attribute is valid.
std::optional<llvm::StringRef> misfitOfKnobs(mlir::Operation *op, mlir::Attribute value);

/// Permits knobs in place of numbers inside of the attribute `name` of an op, during its lifetime.
class KnobsIn {
public:
  KnobsIn(mlir::AsmParser &parser, llvm::StringRef name);
  ~KnobsIn();
  KnobsIn(const KnobsIn &) = delete;

  /// The parsed text with numbers in place of knobs.
  std::string getNumbers(llvm::StringRef text) const;
  /// Checks the knobs of the parsed rule or group, and records them with the op. `text`: of the
  /// rule or group; `path`: "optimizer" or "groups.0".
  mlir::ParseResult note(mlir::OpAsmParser &parser, mlir::Attribute attribute, llvm::StringRef path,
                         llvm::StringRef text) const;
  /// Whether the parsed text names a knob.
  bool hasUses(llvm::StringRef text) const { return !usesIn(text).empty(); }

private:
  struct Use {
    llvm::SMLoc place; ///< of @
    std::string knob;
    KnobRange range;
  };
  friend std::optional<mlir::FailureOr<llvm::APFloat>>
  parseOptionalKnobNumber(mlir::AsmParser &parser);
  std::string replaceBy(double KnobRange::*number, llvm::StringRef text) const;
  llvm::ArrayRef<Use> usesIn(llvm::StringRef text) const;
  mlir::ParseResult checkOwner(mlir::OpAsmParser &parser, const Use &use, llvm::StringRef owner,
                               llvm::StringRef parameter, OptimizerAttrInterface rule) const;
  mlir::ParseResult checkBounds(mlir::OpAsmParser &parser, llvm::StringRef text) const;

  ParseState &state;
  KnobsIn *outer;
  llvm::StringRef name;
  llvm::SmallVector<Use> uses;
};

/// Parses `@rate` in place of a number of an attribute; nullopt without @.
std::optional<mlir::FailureOr<llvm::APFloat>> parseOptionalKnobNumber(mlir::AsmParser &parser);
/// Parses `@limit` in place of the number of the clause `name`; nothing without @.
mlir::OptionalParseResult parseOptionalKnobClause(mlir::OpAsmParser &parser, double &value,
                                                  llvm::StringRef name);
} // namespace ampc
#endif
