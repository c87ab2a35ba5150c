// Adjoint of a loop: a loop in the other direction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_AUTODIFF_REVERSEDLOOP_H
#define LIB_TRAIN_AUTODIFF_REVERSEDLOOP_H

#include "lib/Train/Autodiff/Reverse.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
/// Differentiates one train.scan. Forward, h[t + 1] = f(h[t], x[t]), y[t] = g(h[t], x[t]); the
/// adjoint is a loop from the last round to the first, which carries the cotangents of h, goes over
/// the cotangents of y and over values that the forward loop keeps of every round, and keeps the
/// cotangents of x. Gradients of values from outside are carried sums.
class ReversedLoop {
public:
  using Cotangents = llvm::DenseMap<mlir::Value, mlir::Value>;
  /// `varied`: values that depend on the sources, values inside the loop included; `cotangents`: of
  /// values outside, so far.
  ReversedLoop(train::ScanOp scan, const llvm::DenseSet<mlir::Value> &varied,
               const Cotangents &cotangents, const Reverse::Purpose &purpose);
  /// Whether anything inside the loop depends on the sources; the results may be sources
  /// themselves.
  bool isActive() const;
  /// Builds both loops: the forward loop in front of the scan, the adjoint at `b`.
  llvm::LogicalResult build(GradBuilder &b);
  /// The scan with further kept values, whose first results are those of the scan.
  train::ScanOp getForward() const { return forward; }
  using Adjoint = std::pair<mlir::Value, mlir::Value>;
  /// Operands of the loop with the loop's part of their cotangents.
  llvm::ArrayRef<Adjoint> getAdjoints() const { return adjoints; }
  /// Values that the block reads from outside with their whole cotangents, the former included.
  llvm::ArrayRef<Adjoint> getTotals() const { return totals; }

private:
  mlir::Value cotangentOrZeros(GradBuilder &b, mlir::Value value);
  void openAdjoint(GradBuilder &b);
  void cloneBody();
  bool continuesSum(mlir::Value value);
  mlir::Value openSum(mlir::Value value);
  llvm::LogicalResult differentiateBody();
  void differentiate(Reverse &inner);
  mlir::Value addToSum(GradBuilder &b, mlir::Value value, mlir::Value gradient);
  llvm::DenseSet<mlir::Value> varyingCopies();
  void buildForward();
  void save(mlir::Value copy, mlir::Value original);
  void dropDeadCopies();
  void closeAdjoint(GradBuilder &b);

  train::ScanOp scan, forward, adjoint;
  const llvm::DenseSet<mlir::Value> &varied;
  const Cotangents &cotangents;
  Reverse::Purpose purpose;
  llvm::SmallVector<mlir::Value> captured; ///< varied values from outside
  llvm::SmallVector<unsigned> carried;     ///< varied carried values of the scan, by number
  llvm::SmallVector<unsigned> kept;        ///< kept values with a cotangent, by number
  mlir::IRMapping copies;                  ///< values of the scan's block in the adjoint's block
  size_t copiedOps = 0;                    ///< ops at the front of the adjoint's block
  llvm::DenseSet<mlir::Operation *> copiedSet;
  mlir::Block *block = nullptr;                    ///< of the adjoint
  train::NextOp end;                               ///< of the adjoint's block
  llvm::SmallVector<mlir::Value> inits, sequences; ///< operands of the adjoint
  llvm::SmallVector<mlir::Value> sums;             ///< captured values with a gradient
  llvm::SmallVector<unsigned> rows;                ///< sequences with a cotangent, by number
  llvm::SmallVector<mlir::Value> each;             ///< kept by the forward loop
  llvm::SmallVector<unsigned> saved; ///< indices in `each` of values that adjoints read
  llvm::SmallVector<Adjoint> adjoints, totals;
};
} // namespace ampc
#endif
