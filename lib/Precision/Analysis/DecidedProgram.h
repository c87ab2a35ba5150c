// Values and ops whose types are open to the precision policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_DECIDEDPROGRAM_H
#define LIB_PRECISION_ANALYSIS_DECIDEDPROGRAM_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The f32 values of a program, and the ops whose types are open. All other types were chosen by
/// the model's author, for example an f64 sum.
class DecidedProgram {
public:
  explicit DecidedProgram(train::FuncOp func);

  mutable train::FuncOp func; ///< MLIR ops have no const methods
  mlir::Type f32;
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order, without the terminator

  /// Whether the value was f32 before any decision.
  bool isReal(mlir::Value v) const { return real.contains(v); }
  /// Whether the op reads or produces f32 and no other float type.
  bool isDecided(mlir::Operation *op) const { return decided.contains(op); }
  bool isBackward(mlir::Operation *op) const { return backward.contains(op); }

private:
  llvm::DenseSet<mlir::Value> real;
  llvm::DenseSet<mlir::Operation *> decided, backward;
};
} // namespace ampc
#endif
