// The loss that --loss asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LOSSES_H
#define LIB_IMPORT_ONNX_LOSSES_H

#include "lib/Import/ONNX/Converter.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// An output, or a loss of the language of several values, with options.
struct LossText {
  std::string text;                ///< as it was given
  std::string output;              ///< empty: a loss of the language
  std::string kind;                ///< `mse` is train.mse
  std::vector<std::string> values; ///< its operands by name, of which the file makes the first
  std::vector<std::pair<std::string, std::string>> options;
};
llvm::Expected<LossText> readLossText(llvm::StringRef text);

/// Operands that the file does not have become arguments of the function that `c` builds. Null with
/// a fault noted.
mlir::Value makeLoss(Converter &c, const LossText &loss, Scope &scope);
} // namespace ampc::onnx
#endif
