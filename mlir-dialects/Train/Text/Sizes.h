// Named sizes of models, and formulas over sizes in place of numbers: `4 * width`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_SIZES_H
#define MLIR_DIALECTS_TRAIN_TEXT_SIZES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <map>

namespace ampc {
/// Sizes of one model or module; `outer` has the sizes of the enclosing scope.
class Sizes {
public:
  explicit Sizes(const Sizes *outer = nullptr) : outer(outer) {}

  void set(llvm::StringRef name, int64_t value) { values[name.str()] = value; }
  /// The innermost size of that name.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// Every name that can be used, for messages.
  llvm::SmallVector<std::string> names() const;

  /// Value of a formula: names, numbers, + - * / and parentheses, with exact divisions only. "3 *
  /// width / 2" with width = 4 -> 6. On an error, `why` has the reason.
  mlir::FailureOr<int64_t> evaluate(llvm::StringRef formula, std::string &why) const;
  /// Value of a real formula: divisions may be inexact, and sqrt(...) is available.
  mlir::FailureOr<double> evaluateReal(llvm::StringRef formula, std::string &why) const;
  /// Values of comma-separated formulas.
  mlir::FailureOr<llvm::SmallVector<int64_t>> evaluateAll(llvm::StringRef formulas,
                                                          std::string &why) const;
  /// Sets the declared sizes of a model, each "name = formula", except for names in `given`, which
  /// the user of the model has evaluated.
  llvm::LogicalResult declare(mlir::ArrayAttr declared, const std::map<std::string, int64_t> &given,
                              std::string &why);

  /// The attribute with the formulas of an op, and the names of a model's sizes.
  static constexpr llvm::StringLiteral key = "train.sizes";

private:
  const Sizes *outer;
  std::map<std::string, int64_t> values;
};

/// Suggestion for an unknown word: ": did you mean depth?" if a known word is close, else the list
/// of known words.
std::string suggestion(llvm::StringRef word, llvm::ArrayRef<std::string> words);

/// Numbers of sizes by name.
using SizeNumbers = std::map<std::string, int64_t>;
/// From "depth=12,width=768".
llvm::Expected<SizeNumbers> parseSizeNumbers(llvm::StringRef text);

/// Recomputes the numbers of an op's formulas with other sizes. Result types inferred from operands
/// are unchanged. Errors are emitted at the op.
llvm::LogicalResult applySizes(mlir::Operation *op, const Sizes &sizes);
/// Expected content of `train.sizes`; nullopt if the attribute is valid.
std::optional<llvm::StringRef> misfitOfSizes(mlir::Operation *op, mlir::Attribute value);
} // namespace ampc
#endif
