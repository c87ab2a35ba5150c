// Block rewriter with constant-time order queries between changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_BLOCKREWRITER_H
#define LIB_KERNEL_FUSION_BLOCKREWRITER_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FunctionExtras.h"

namespace ampc {
/// Rewriter that knows which of two ops of a block runs first, at the price of a look-up.
///
/// MLIR numbers ops in steps of 5: Operation::isBeforeInBlock numbers the whole block anew when a
/// gap is used up, when a neighbour has no number, and after every move, so that merging n kernels
/// of a block pair by pair takes time n^2. Labels of 64 bits leave gaps of 2^63 / n:
///
///   [a: -2^61] [b: 0] [c: 2^61], then d between b and c: 2^60
///
/// Ops that were created or moved get a label at the next query. Ops must be erased and moved by
/// this rewriter: a new op may have the address of an erased op.
class BlockRewriter final : public mlir::IRRewriter, private mlir::RewriterBase::Listener {
public:
  explicit BlockRewriter(mlir::MLIRContext *context)
      : IRRewriter(context, static_cast<mlir::RewriterBase::Listener *>(this)) {}

  /// Called for each op before it is erased: tables of a pass drop their entries here.
  llvm::unique_function<void(mlir::Operation *)> whenErased = [](mlir::Operation *) {};

  bool isBefore(mlir::Operation *a, mlir::Operation *b);
  /// Moves `op` behind `other`, or to the front of the block if `other` is null.
  void moveBehind(mlir::Operation *op, mlir::Operation *other);

private:
  /// Labels `op` and neighbours without a label.
  void label(mlir::Operation *op);
  void labelAll(mlir::Block &block);

  void notifyOperationInserted(mlir::Operation *op, InsertPoint) override { labels.erase(op); }
  void notifyOperationErased(mlir::Operation *op) override {
    labels.erase(op);
    whenErased(op);
  }

  llvm::DenseMap<mlir::Operation *, int64_t> labels;
};
} // namespace ampc
#endif
