// Values and ops whose types are open to the precision policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_DECIDEDPROGRAM_H
#define LIB_PRECISION_ANALYSIS_DECIDEDPROGRAM_H

#include "lib/Precision/Analysis/LoopCopies.h"

namespace ampc {
/// The f32 values of a program, and the ops whose types are open. All other types were chosen by
/// the model's author, for example an f64 sum.
///
/// Loops have no types of their own: a fact on a value holds for the copies of the value at the
/// boundaries of loops, so analyses ask for sourceOf(v), usesOf(v) and producerOf(v) in place of
/// the SSA value. `ops` has the ops inside loops, but neither train.scan nor train.next.
class DecidedProgram {
public:
  explicit DecidedProgram(train::FuncOp func);

  mutable train::FuncOp func; ///< MLIR ops have no const methods
  mlir::Type f32;
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order, without the terminator
  LoopCopies copies;

  /// Whether the value was f32 before any decision.
  bool isReal(mlir::Value v) const { return real.contains(v); }
  /// Whether the op reads or produces f32 and no other float type.
  bool isDecided(mlir::Operation *op) const { return decided.contains(op); }
  bool isBackward(mlir::Operation *op) const { return backward.contains(op); }

  mlir::Value sourceOf(mlir::Value v) const { return copies.sourceOf(v); }
  /// Op that computes the value or the value's source; null for arguments.
  mlir::Operation *producerOf(mlir::Value v) const;
  /// Uses of the value and of the value's copies, other than at the boundaries of loops.
  llvm::SmallVector<mlir::OpOperand *> usesOf(mlir::Value v) const;
  /// Ops of usesOf, as often as an op reads the value.
  llvm::SmallVector<mlir::Operation *> usersOf(mlir::Value v) const;
  /// Whether rounds pass the value on.
  bool isCarried(mlir::Value v) const;
  /// Whether rounds pass the value on or keep the value, so that memory holds the value behind the
  /// round.
  bool isStoredByLoop(mlir::Value v) const;
  /// Runs an analysis that goes along operands or users once, and in a program with loops again
  /// until `step` changes nothing, at most as often as there are copies. `step` returns whether it
  /// changed anything.
  void untilStable(llvm::function_ref<bool()> step) const;

private:
  llvm::DenseSet<mlir::Value> real;
  llvm::DenseSet<mlir::Operation *> decided, backward;
};
} // namespace ampc
#endif
