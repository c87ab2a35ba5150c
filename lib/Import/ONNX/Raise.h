// Pattern matching: ops that an exporter decomposed into several nodes are restored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RAISE_H
#define LIB_IMPORT_ONNX_RAISE_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// Restores layer and RMS norms, activations, attention, losses and table lookups, where the op has
/// the same value in f64 up to rounding.
void raise(train::FuncOp func);

/// Attention that ends at `root`, softmax(q k^T + mask) v; null if there is none.
mlir::Operation *raiseAttention(mlir::Operation *root);
/// Linear layer x W + b that ends at `root`; null if there is none.
mlir::Operation *raiseLinear(mlir::Operation *root);
/// Loss, or a step towards a loss, that ends at `root`; null if there is none.
mlir::Operation *raiseLoss(mlir::Operation *root);
/// Embedding bag, sums, means or maxima of table rows, that ends at `root`; null if there is none.
mlir::Operation *raiseBags(mlir::Operation *root);
/// Lookup for a product of a one-hot matrix and a table; null for other ops.
mlir::Operation *raiseOneHot(mlir::Operation *root);

/// A batch norm that the exporter decomposed, with running statistics.
struct DecomposedBatchNorm {
  std::string name, mean, variance;
};
/// Finds decomposed batch norms; replaces each that `trains` by an op. Runs before `raise`.
std::vector<DecomposedBatchNorm>
raiseBatchNorms(train::FuncOp func, llvm::function_ref<bool(const DecomposedBatchNorm &)> trains);

/// Group norm whose last step is `scaled` + `beta`, with channels last; null if there is none.
/// Matched when the sum is converted, so that consumers get the dimension order.
mlir::Value matchGroupNorm(Converter &c, mlir::Value scaled, mlir::Value beta);

/// Erases ops without uses.
void eraseDead(mlir::Block &body);
/// Operand of the square root, or reciprocal square root, `value`; null for other values.
mlir::Value squareRootOf(mlir::Value value);
mlir::Value reciprocalRootOf(mlir::Value value);

/// Product factor * values[0] * values[1] * ...
struct Product {
  double factor = 1;
  llvm::SmallVector<mlir::Value> values;

  /// Removes a value from the product; false if absent.
  bool take(mlir::Value value);
};
/// Whether a match may look through the producer of `value`: no other consumer, and a small depth.
bool canLookThrough(mlir::Value value, int depth);
/// Factors of nested products without other consumers; `value` itself is always taken apart.
Product apart(mlir::Value value);

/// Constant that all elements equal; for f32 the number that was meant, a short decimal or a common
/// root, of which the file has the nearest f32.
std::optional<double> numberOf(mlir::Value value);
/// Creates an op in front of `root`; null if the verifier rejects the op.
mlir::Operation *makeBefore(mlir::Operation *root, llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type type);
} // namespace ampc::onnx
#endif
