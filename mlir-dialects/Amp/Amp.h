// The amp dialect: compute types, checkpoint budgets and loss scaling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_AMP_AMP_H
#define MLIR_DIALECTS_AMP_AMP_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "mlir-dialects/Amp/AmpDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir-dialects/Amp/AmpAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "mlir-dialects/Amp/AmpTypes.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Amp/AmpOps.h.inc"

namespace ampc {
/// Records the reason for an op's compute types; `rule` is the kind of reason, see DecisionAttr.
void setDecision(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &reason);
/// Reason for which a pass inserted a cast, e.g. f32 -> bf16; null for ops of the model.
mlir::StringAttr reasonOfInsertion(mlir::Operation *op);

/// Memory saved by a program's checkpoints and their recomputation cost: attribute
/// `amp.checkpoints`.
struct CheckpointCosts {
  int64_t savedWithout; ///< bytes of residuals without checkpoints
  int64_t flops;        ///< of the whole step, including recomputation
  int64_t flopsAgain;

  /// Costs of a program; nullopt without checkpoints.
  static std::optional<CheckpointCosts> of(mlir::Operation *program);
  void attachTo(mlir::Operation *program) const;
  double shareAgain() const { return flops ? double(flopsAgain) / double(flops) : 0; }
};

/// Peak bytes of residuals in a step with an activation budget: attribute `amp.budget`.
struct BudgetCosts {
  int64_t budget;
  int64_t held;    ///< saved or recomputed values
  int64_t without; ///< peak bytes if only cheap ops were rematerialized

  /// Costs of a program; nullopt without an activation budget.
  static std::optional<BudgetCosts> of(mlir::Operation *program);
  void attachTo(mlir::Operation *program) const;
};
} // namespace ampc
#endif
