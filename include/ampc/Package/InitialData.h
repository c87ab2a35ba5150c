// First values of parameters and buffers that files hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_INITIALDATA_H
#define AMPC_PACKAGE_INITIALDATA_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinOps.h"

namespace ampc {
/// Files in `#train.data` are relative to that of the model; from here on their paths are absolute.
void resolveInitialData(mlir::ModuleOp module, llvm::StringRef modelFile);
/// Refuses files outside of the folder `root`, after symbolic links: an error at the state that
/// names one. The model's own file, which holds the weights of an ONNX model, is allowed.
llvm::LogicalResult confineInitialData(mlir::ModuleOp module, llvm::StringRef modelFile,
                                       llvm::StringRef root);
/// Whether every tensor that a model without modules names is there and fits; errors at its lines.
llvm::LogicalResult checkInitialData(mlir::ModuleOp module);
/// The files that hold them.
std::vector<std::string> filesOfInitialData(mlir::ModuleOp module);
/// First values of parameters and buffers, in the order that files have, if they may be what a
/// model has learnt: some come from a file and none is random, or the model has no parameters.
std::optional<std::vector<NamedArray>> trainedInitialData(mlir::ModuleOp module);
} // namespace ampc
#endif
