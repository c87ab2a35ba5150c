// What the precision pass decides over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_DECIDEDPROGRAM_H
#define LIB_PRECISION_FACTS_DECIDEDPROGRAM_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The f32 values of a program, and the ops whose types are open. Other types were chosen by the
/// model's author.
class DecidedProgram {
public:
  explicit DecidedProgram(train::FuncOp func);

  mutable train::FuncOp func; ///< MLIR ops have no const methods
  mlir::Type f32;
  llvm::SmallVector<mlir::Operation *> ops; ///< in order, without the terminator

  /// Was f32 before anything was decided.
  bool isReal(mlir::Value v) const { return real.contains(v); }
  /// Reads or makes f32 and no other float type.
  bool isDecided(mlir::Operation *op) const { return decided.contains(op); }
  bool isBackward(mlir::Operation *op) const { return backward.contains(op); }

private:
  llvm::DenseSet<mlir::Value> real;
  llvm::DenseSet<mlir::Operation *> decided, backward;
};
} // namespace ampc
#endif
