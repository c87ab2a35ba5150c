// The loss of the option --loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LOSSES_H
#define LIB_IMPORT_ONNX_LOSSES_H

#include "lib/Import/ONNX/Converter.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// An output of the file, or a loss op of the language on several values, with options.
struct LossTerm {
  double factor = 1;
  std::string text;                ///< text of the term
  std::string output;              ///< empty for a loss op
  std::string kind;                ///< `mse` is train.mse
  std::vector<std::string> values; ///< operands by name; the first is a value of the file
  std::string weight;              ///< value of the file or input that weights rows or elements
  std::vector<std::pair<std::string, std::string>> options;

  /// Names that the term reads.
  std::vector<std::string> reads() const;
};
/// A sum of terms: `mse(a,t) + 0.5 * penalty`.
using LossText = std::vector<LossTerm>;
llvm::Expected<LossText> readLossText(llvm::StringRef text);

/// Builds the term; operands that the file lacks become arguments of the function under
/// construction. Null, with a fault recorded, on error. Inputs of the converter are the term's
/// values, and the weight.
mlir::Value makeLoss(Converter &c, const LossTerm &loss, Scope &scope);
} // namespace ampc::onnx
#endif
