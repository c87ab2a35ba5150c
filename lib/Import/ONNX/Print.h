// Printer of functions in the language's short form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_PRINT_H
#define LIB_IMPORT_ONNX_PRINT_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// Type in the language's form, e.g. `f32[8, 3]`.
std::string typeText(mlir::Type type);
/// Symbol `@name`, quoted if the name has characters beyond letters, digits, `_`, `.` and `$`.
std::string symbolText(llvm::StringRef name);
/// Optimizer attribute of an option such as `adamw(lr=1e-3)`; numbers get a decimal point.
llvm::Expected<std::string> optimizerText(llvm::StringRef text, mlir::MLIRContext &context);
/// Prints a function without types that can be inferred; state is printed by name.
void printFunction(llvm::raw_ostream &os, train::FuncOp func);
} // namespace ampc::onnx
#endif
