// The loss of the option --loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LOSSES_H
#define LIB_IMPORT_ONNX_LOSSES_H

#include "lib/Import/ONNX/Converter.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// An output of the file, or a loss op of the language on several values, with options.
struct LossText {
  std::string text;                ///< text of the option
  std::string output;              ///< empty for a loss op
  std::string kind;                ///< `mse` is train.mse
  std::vector<std::string> values; ///< operands by name; the first is a value of the file
  std::vector<std::pair<std::string, std::string>> options;
};
llvm::Expected<LossText> readLossText(llvm::StringRef text);

/// Builds the loss; operands that the file lacks become arguments of the function under
/// construction. Null, with a fault recorded, on error.
mlir::Value makeLoss(Converter &c, const LossText &loss, Scope &scope);
} // namespace ampc::onnx
#endif
