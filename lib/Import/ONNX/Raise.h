// Layers that an exporter wrote as several nodes become the op that they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RAISE_H
#define LIB_IMPORT_ONNX_RAISE_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/Builders.h"

namespace ampc::onnx {
/// Layer and RMS norm, GELU and SiLU, attention: what has the same value in f64, up to its
/// rounding.
void raise(train::FuncOp func);

/// Null if `root` does not end an attention.
mlir::Operation *raiseAttention(mlir::Operation *root);

/// A number that all elements have.
std::optional<double> numberOf(mlir::Value value);
/// The op in front of `root`; null if it does not verify.
mlir::Operation *makeBefore(mlir::Operation *root, llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type type);
} // namespace ampc::onnx
#endif
