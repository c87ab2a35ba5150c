// The amp dialect: in which precision.
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
/// Says why an op computes in its types; `rule` is the kind of reason, see DecisionAttr.
void setDecision(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &reason);
/// Why a pass inserted the op, a cast; null for ops of the model.
mlir::StringAttr reasonOfInsertion(mlir::Operation *op);

/// What checkpoints of a program save and cost: its attribute `amp.checkpoints`.
struct CheckpointCosts {
  int64_t savedWithout; ///< bytes that the backward pass would keep if there were none
  int64_t flops;        ///< of the whole step, with what is done again
  int64_t flopsAgain;

  /// Nothing if the program has no checkpoints.
  static std::optional<CheckpointCosts> of(mlir::Operation *program);
  void attachTo(mlir::Operation *program) const;
  double shareAgain() const { return flops ? double(flopsAgain) / double(flops) : 0; }
};

/// Bytes of values of the forward pass that a step with a budget holds for its backward pass, at
/// the most at a time: its attribute `amp.budget`.
struct BudgetCosts {
  int64_t budget;
  int64_t held;    ///< kept, or made again
  int64_t without; ///< held if only cheap ops were repeated

  /// Nothing if the program has no budget.
  static std::optional<BudgetCosts> of(mlir::Operation *program);
  void attachTo(mlir::Operation *program) const;
};
} // namespace ampc
#endif
