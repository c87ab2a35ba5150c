// Functions as people write them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_PRINT_H
#define LIB_IMPORT_ONNX_PRINT_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// `f32[8, 3]`.
std::string typeText(mlir::Type type);
/// `@name`, in quotes if it has other characters than names have.
std::string symbolText(llvm::StringRef name);
/// `adamw(lr=1e-3)` as an attribute of the language, in which numbers have a point.
llvm::Expected<std::string> optimizerText(llvm::StringRef text, mlir::MLIRContext &context);
/// Without the types that follow; state is named as such.
void printFunction(llvm::raw_ostream &os, train::FuncOp func);
} // namespace ampc::onnx
#endif
