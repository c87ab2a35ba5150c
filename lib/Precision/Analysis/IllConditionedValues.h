// Cancellation: values whose rounding error the consumers magnify, so that every policy keeps such
// values in f32. Example: x in log(1 - sigmoid(x)).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_ILLCONDITIONEDVALUES_H
#define LIB_PRECISION_ANALYSIS_ILLCONDITIONEDVALUES_H

#include "lib/Precision/Analysis/DuplicableValues.h"
#include "lib/Precision/Analysis/Treatments.h"
#include "lib/Precision/Assignment.h"

namespace ampc {
class IllConditionedValues {
public:
  /// Constrains contractions to f32 that compute ill-conditioned values from inputs and constants
  /// alone, such as positions times frequencies: nothing on the way to the angle is rounded then.
  IllConditionedValues(const DecidedProgram &program, const DuplicableValues &duplicable,
                       const Treatments &treatments, UserConstraints &constraints);
  /// Reason to keep the value in f32; null if rounding is harmless.
  const Reason *why(mlir::Value v) const {
    auto found = reasons.find(program.sourceOf(v));
    return found == reasons.end() ? nullptr : &found->second;
  }
  const llvm::DenseMap<mlir::Value, Reason> &all() const { return reasons; }

private:
  void findCoordinates();
  bool visitAll();
  void visit(mlir::Operation *op);
  bool isCoordinate(mlir::Value v) const;
  bool isCancelled(mlir::Value v) const { return cancelled.contains(program.sourceOf(v)); }
  bool isAbsolute(mlir::Value v) const { return absolute.contains(program.sourceOf(v)); }
  void passOn(mlir::Value from, mlir::Value to);
  std::optional<Reason> whyOwn(mlir::OpOperand &operand) const;
  bool passesThrough(mlir::Operation *op, mlir::Value result, Conditioning conditioning) const;

  const DecidedProgram &program;
  const DuplicableValues &duplicable;
  llvm::DenseMap<mlir::Value, Reason> reasons;
  // Sets of sources: DecidedProgram::sourceOf.
  llvm::DenseSet<mlir::Value> cancelled;   ///< operands of an op that leaves a small difference
  llvm::DenseSet<mlir::Value> absolute;    ///< values whose absolute error counts
  llvm::DenseSet<mlir::Value> coordinates; ///< values computed from inputs and constants, without a
                                           ///< parameter
};
} // namespace ampc
#endif
