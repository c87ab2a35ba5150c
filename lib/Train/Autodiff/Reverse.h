// Reverse-mode differentiation of the ops of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_AUTODIFF_REVERSE_H
#define LIB_TRAIN_AUTODIFF_REVERSE_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
namespace train {
class ScanOp;
} // namespace train

inline bool isReal(mlir::Value v) { return mlir::isa<mlir::FloatType>(getElementTypeOrSelf(v)); }

/// Activity analysis: real values in front of `end` that depend on `sources`. Results of an op that
/// stops gradients are inactive, so ops without a derivative may consume them.
llvm::DenseSet<mlir::Value> variedValues(llvm::ArrayRef<mlir::Value> sources, mlir::Operation *end);

/// Name of a source in messages: state "@w", input "%x", or the name of an op.
std::string nameOfSource(mlir::Value source);

/// Decomposes active composite ops in front of `end` that have no adjoint, such as a gradient op
/// that is differentiated again.
void decomposeActive(mlir::Operation *end, llvm::ArrayRef<mlir::Value> sources);

/// Differentiates the ops of a block in front of `end` with respect to `sources`; the backward code
/// goes in front of `end`.
class Reverse {
public:
  /// Use of the derivatives: the stage of the step, the name of the differentiated value in
  /// messages, and the location of the train.grad, if any.
  struct Purpose {
    train::Stage stage;
    std::string target;
    std::optional<mlir::Location> place;
  };
  Reverse(mlir::Operation *end, llvm::ArrayRef<mlir::Value> sources, Purpose purpose);
  ~Reverse();
  Reverse(const Reverse &) = delete;

  /// Builds the backward code. A seed is a value and its cotangent; the cotangents of a value with
  /// several seeds are added.
  llvm::LogicalResult run(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> seeds);
  /// Cotangent of the source; null if the derivative is 0 everywhere.
  mlir::Value gradient(mlir::Value source) const { return cotangents.lookup(source); }
  /// Whether the target depends on the source. Such a source may have no cotangent, e.g. behind a
  /// floor, whose derivative is 0.
  bool reaches(mlir::Value source) const { return reaching.contains(source); }

private:
  llvm::LogicalResult apply(mlir::Operation *op);
  llvm::LogicalResult applyLoop(train::ScanOp scan);
  void markReaching(mlir::Operation *op);
  llvm::LogicalResult checkSaves(DifferentiableOpInterface op, mlir::Operation *firstNew,
                                 llvm::ArrayRef<mlir::Value> given);
  llvm::LogicalResult reportPath(mlir::Operation *op);
  void accumulate(mlir::Value operand, mlir::Value adjoint, GradBuilder &b);

  mlir::Operation *end;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> sources;
  Purpose purpose;
  llvm::SmallVector<mlir::Operation *> forward;
  llvm::DenseSet<mlir::Value> varied;
  llvm::DenseSet<mlir::Value> reaching; // varied values on which the target depends
  // cotangents of values with a derivative other than 0
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  /// Loops that others have replaced: sources and keys of maps may be their results.
  llvm::SmallVector<mlir::Operation *> replaced;
};
} // namespace ampc
#endif
