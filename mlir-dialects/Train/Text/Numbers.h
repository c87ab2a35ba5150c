// Real attributes as numbers, and checks of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_NUMBERS_H
#define MLIR_DIALECTS_TRAIN_TEXT_NUMBERS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
inline double number(const llvm::APFloat &x) { return x.convertToDouble(); }

/// Parameter of an attribute, with the name used by error messages.
struct NamedNumber {
  llvm::StringRef name;
  const llvm::APFloat &value;
};
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

llvm::LogicalResult verifyFinite(EmitError emitError, llvm::ArrayRef<NamedNumber> numbers);
llvm::LogicalResult verifyNotNegative(EmitError emitError, llvm::ArrayRef<NamedNumber> numbers);
} // namespace ampc
#endif
