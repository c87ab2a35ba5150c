// Reverse-mode differentiation of a stretch of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_AUTODIFF_REVERSE_H
#define LIB_TRAIN_AUTODIFF_REVERSE_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
inline bool isReal(mlir::Value v) { return mlir::isa<mlir::FloatType>(getElementTypeOrSelf(v)); }

/// The values that change with `sources` as far as derivatives go, of those in front of `end`. What
/// is behind an op that stops gradients is constant, so that ops without a derivative are welcome
/// there.
llvm::DenseSet<mlir::Value> variedValues(llvm::ArrayRef<mlir::Value> sources, mlir::Operation *end);

/// What messages call it: state, an input, or an op.
std::string nameOfSource(mlir::Value source);

/// Ops in front of `end` that lie behind `sources` and have no rule of their own become those that
/// they are made of: gradients that are one op, when they are differentiated in turn.
void decomposeActive(mlir::Operation *end, llvm::ArrayRef<mlir::Value> sources);

/// Differentiates the ops of a block in front of `end`, where the backward code goes, with respect
/// to `sources`.
class Reverse {
public:
  /// What the derivatives are for: a part of a step, and in messages the name of what is
  /// differentiated, and where that was asked for if not in a step.
  struct Purpose {
    train::Stage stage;
    std::string target;
    std::optional<mlir::Location> place;
  };
  Reverse(mlir::Operation *end, llvm::ArrayRef<mlir::Value> sources, Purpose purpose);

  /// Builds the backward code, from `seed` as the cotangent of `value`.
  llvm::LogicalResult run(mlir::Value value, mlir::Value seed);
  /// Null if the derivative is 0 everywhere.
  mlir::Value gradient(mlir::Value source) const { return cotangents.lookup(source); }
  /// Whether the value is on the way to the target. Without a gradient its derivative is 0, as
  /// behind a floor.
  bool reaches(mlir::Value source) const { return reaching.contains(source); }

private:
  llvm::LogicalResult apply(mlir::Operation *op);
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
  llvm::DenseSet<mlir::Value> reaching; // varied values that the target is computed from
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents; // of those whose derivative is not 0
};
} // namespace ampc
#endif
