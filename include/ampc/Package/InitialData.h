// Initial values of parameters and buffers that are read from files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_INITIALDATA_H
#define AMPC_PACKAGE_INITIALDATA_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinOps.h"

namespace ampc {
/// Makes paths in `#train.data` absolute; relative paths start at the folder of the model file.
void resolveInitialData(mlir::ModuleOp module, llvm::StringRef modelFile);
/// Refuses files outside of the folder `root` after resolving symbolic links: an error at the state
/// that names the file. The model's own file is allowed, because an ONNX model holds its weights.
llvm::LogicalResult confineInitialData(mlir::ModuleOp module, llvm::StringRef modelFile,
                                       llvm::StringRef root);
/// Whether every tensor named by a model without modules exists and has the declared shape; errors
/// at the lines of the model.
llvm::LogicalResult checkInitialData(mlir::ModuleOp module);
/// Paths of all files with initial values.
std::vector<std::string> filesOfInitialData(mlir::ModuleOp module);
/// Initial values of parameters and buffers in file order, if they may be trained weights: some
/// tensor comes from a file and none is random, or the model has no parameters.
std::optional<std::vector<NamedArray>> trainedInitialData(mlir::ModuleOp module);
} // namespace ampc
#endif
