// Named sizes of models, and formulas over sizes in place of numbers: `4 * width`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_SIZES_H
#define MLIR_DIALECTS_TRAIN_TEXT_SIZES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <map>
#include <variant>

namespace ampc {
/// Number of a model's head: whole, as in `batch = 32`, or real, as in `beta = 0.5`.
using SizeNumber = std::variant<int64_t, double>;
inline bool isReal(const SizeNumber &number) { return std::holds_alternative<double>(number); }
inline double realOf(const SizeNumber &number) {
  return isReal(number) ? std::get<double>(number) : double(std::get<int64_t>(number));
}
/// Text that the parser reads as the same number of the same kind: 32, 0.5, 1.0, 1e-05.
std::string textOf(const SizeNumber &number);

/// Sizes of one model or module; `outer` has the sizes of the enclosing scope.
class Sizes {
public:
  explicit Sizes(const Sizes *outer = nullptr) : outer(outer) {}

  void set(llvm::StringRef name, SizeNumber value) { values[name.str()] = value; }
  /// The innermost size of that name.
  std::optional<SizeNumber> findNumber(llvm::StringRef name) const;
  /// The innermost size of that name if the number is whole.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// Every name that can be used, for messages.
  llvm::SmallVector<std::string> names() const;

  /// Value of a formula: names, numbers, + - * / and parentheses, with exact divisions only. "3 *
  /// width / 2" with width = 4 -> 6. On an error, `why` has the reason.
  mlir::FailureOr<int64_t> evaluate(llvm::StringRef formula, std::string &why) const;
  /// Value of a real formula: divisions may be inexact, and sqrt(...) is available.
  mlir::FailureOr<double> evaluateReal(llvm::StringRef formula, std::string &why) const;
  /// Whether a formula has a real number: 0.5, 1e-3, sqrt(...) or the name of a real size.
  bool isReal(llvm::StringRef formula) const;
  /// Value of a formula of either kind: "width / 2" is whole, "width / 2.0" is real.
  mlir::FailureOr<SizeNumber> evaluateNumber(llvm::StringRef formula, std::string &why) const;
  /// Values of comma-separated formulas.
  mlir::FailureOr<llvm::SmallVector<int64_t>> evaluateAll(llvm::StringRef formulas,
                                                          std::string &why) const;
  /// Sets the declared sizes of a model, each "name = formula", except for names in `given`, which
  /// the user of the model has evaluated.
  llvm::LogicalResult declare(mlir::ArrayAttr declared,
                              const std::map<std::string, SizeNumber> &given, std::string &why);
  /// The number of a declared size as given by a user: of the kind of the declaration, positive if
  /// whole, finite if real.
  static mlir::FailureOr<SizeNumber> settle(llvm::StringRef name, bool isDeclaredReal,
                                            SizeNumber given, std::string &why);

  /// The attribute with the formulas of an op, and the names of a model's sizes.
  static constexpr llvm::StringLiteral key = "train.sizes";

private:
  const Sizes *outer;
  std::map<std::string, SizeNumber> values;
};

/// Suggestion for an unknown word: ": did you mean depth?" if a known word is close, else the list
/// of known words.
std::string suggestion(llvm::StringRef word, llvm::ArrayRef<std::string> words);

/// Numbers of sizes by name.
using SizeNumbers = std::map<std::string, SizeNumber>;
/// From "depth=12,beta=0.5".
llvm::Expected<SizeNumbers> parseSizeNumbers(llvm::StringRef text);

/// Recomputes the numbers of an op's formulas with other sizes. Result types inferred from operands
/// are unchanged. Errors are emitted at the op.
llvm::LogicalResult applySizes(mlir::Operation *op, const Sizes &sizes);
/// Expected content of `train.sizes`; nullopt if the attribute is valid.
std::optional<llvm::StringRef> misfitOfSizes(mlir::Operation *op, mlir::Attribute value);
} // namespace ampc
#endif
