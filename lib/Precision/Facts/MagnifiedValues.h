// Values whose rounding would ruin what reads them, whatever the policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_MAGNIFIEDVALUES_H
#define LIB_PRECISION_FACTS_MAGNIFIEDVALUES_H

#include "lib/Precision/Assignment.h"
#include "lib/Precision/Facts/StorageFreeValues.h"
#include "lib/Precision/Facts/Treatments.h"

namespace ampc {
class MagnifiedValues {
public:
  /// Demands f32 of contractions that make magnified values from inputs and constants alone, such
  /// as positions times frequencies: nothing on the way to the angle is rounded then.
  MagnifiedValues(const DecidedProgram &program, const StorageFreeValues &storageFree,
                  const Treatments &treatments, Demands &demands);
  /// Null: it may be rounded.
  const Reason *why(mlir::Value v) const {
    auto found = reasons.find(v);
    return found == reasons.end() ? nullptr : &found->second;
  }
  const llvm::DenseMap<mlir::Value, Reason> &all() const { return reasons; }

private:
  void findCoordinates();
  void visit(mlir::Operation *op);
  std::optional<Reason> whyOwn(mlir::OpOperand &operand) const;
  bool passesOn(mlir::Operation *op, mlir::Value result, Conditioning conditioning) const;

  const DecidedProgram &program;
  const StorageFreeValues &storageFree;
  llvm::DenseMap<mlir::Value, Reason> reasons;
  llvm::DenseSet<mlir::Value> cancelled;   ///< read by an op of which a small difference is left
  llvm::DenseSet<mlir::Value> absolute;    ///< their absolute error counts
  llvm::DenseSet<mlir::Value> coordinates; ///< made from inputs and constants, without a parameter
};
} // namespace ampc
#endif
