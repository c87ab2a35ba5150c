// Named integers of models, and the formulas over them that stand where numbers do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_SIZES_H
#define MLIR_DIALECTS_TRAIN_SIZES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <map>

namespace ampc {
/// The sizes of one model or module, and around it those of what it stands in.
class Sizes {
public:
  explicit Sizes(const Sizes *outer = nullptr) : outer(outer) {}

  void set(llvm::StringRef name, int64_t value) { values[name.str()] = value; }
  /// The innermost size of that name.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// Every name that can be used, for messages.
  llvm::SmallVector<std::string> names() const;

  /// The number that a formula stands for: names, numbers, + - * / and parentheses, where a
  /// division leaves no rest. Otherwise `why` says what is wrong.
  mlir::FailureOr<int64_t> evaluate(llvm::StringRef formula, std::string &why) const;
  /// The same for reals: divisions may leave a rest, and there is sqrt(...).
  mlir::FailureOr<double> evaluateReal(llvm::StringRef formula, std::string &why) const;
  /// The numbers of formulas with commas between them.
  mlir::FailureOr<llvm::SmallVector<int64_t>> evaluateAll(llvm::StringRef formulas,
                                                          std::string &why) const;
  /// Sets what a model declares, "name = formula" each, but for the names in `given`, whose
  /// formulas the user of the model evaluated.
  llvm::LogicalResult declare(mlir::ArrayAttr declared, const std::map<std::string, int64_t> &given,
                              std::string &why);

  /// The attribute with the formulas of an op, and the names of a model's sizes.
  static constexpr llvm::StringLiteral key = "train.sizes";

private:
  const Sizes *outer;
  std::map<std::string, int64_t> values;
};

/// ": did you mean depth?" where a word is close to one of them, else which there are.
std::string suggestion(llvm::StringRef word, llvm::ArrayRef<std::string> words);

/// Numbers of sizes by name.
using SizeNumbers = std::map<std::string, int64_t>;
/// From "depth=12,width=768".
llvm::Expected<SizeNumbers> parseSizeNumbers(llvm::StringRef text);

/// Gives the op the numbers that its formulas have with other sizes. Types of results that follow
/// from operands are left as they are. An error stands at the op.
llvm::LogicalResult applySizes(mlir::Operation *op, const Sizes &sizes);
/// What an op may have as `train.sizes`; nothing if the attribute is right.
std::optional<llvm::StringRef> misfitOfSizes(mlir::Operation *op, mlir::Attribute value);
} // namespace ampc
#endif
