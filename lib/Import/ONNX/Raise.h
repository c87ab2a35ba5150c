// Layers that an exporter wrote as several nodes become the op that they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RAISE_H
#define LIB_IMPORT_ONNX_RAISE_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// Layer and RMS norm, activations, attention, losses, rows of tables: what has the same value in
/// f64, up to its rounding.
void raise(train::FuncOp func);

/// Null if `root` does not end an attention.
mlir::Operation *raiseAttention(mlir::Operation *root);
/// Null if `root` does not add a bias to a product of rows and a matrix.
mlir::Operation *raiseLinear(mlir::Operation *root);
/// Null if `root` does not end a loss, or a step on the way to one.
mlir::Operation *raiseLoss(mlir::Operation *root);
/// Null if `root` does not put sums, means or maxima of rows of a table together.
mlir::Operation *raiseBags(mlir::Operation *root);
/// Null if `root` is no product of matrices whose left one has a single 1 in every row.
mlir::Operation *raiseOneHot(mlir::Operation *root);

/// A batch norm that was written as arithmetic with running statistics.
struct WrittenNorm {
  std::string name, mean, variance;
};
/// With `trains` each becomes one op, else they stay as they are. Comes before `raise`.
std::vector<WrittenNorm> raiseBatchNorms(train::FuncOp func, bool trains);

/// A group norm, of which `scaled` + `beta` is the last step, with channels last; null if that is
/// none. It is raised where the sum is converted, so that what follows has its order of dimensions.
mlir::Value writtenGroupNorm(Converter &c, mlir::Value scaled, mlir::Value beta);

/// Erases ops without a use.
void eraseDead(mlir::Block &body);
/// What `value` is the square root, or the reciprocal square root, of; null if it is none.
mlir::Value squareRootOf(mlir::Value value);
mlir::Value reciprocalRootOf(mlir::Value value);

/// factor * values[0] * values[1] * ...
struct Product {
  double factor = 1;
  llvm::SmallVector<mlir::Value> values;

  /// Takes one of the values out; false if it is not there.
  bool take(mlir::Value value);
};
/// Whether what `value` is made of is looked at on the way down from an expression: others may use
/// its parts, and no layer is deeper than a few ops.
bool mayOpen(mlir::Value value, int depth);
/// Products that nothing else uses are taken apart, the one of `value` in any case.
Product apart(mlir::Value value);

/// A number that all elements have; of f32 the one that its writer meant: a short decimal number,
/// or a root that layers have, of which the file has the nearest f32.
std::optional<double> numberOf(mlir::Value value);
/// The op in front of `root`; null if it does not verify.
mlir::Operation *makeBefore(mlir::Operation *root, llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type type);
} // namespace ampc::onnx
#endif
