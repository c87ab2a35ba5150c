// Recurrent layers: operands of a direction, and cells with other functions than the ops have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RECURRENT_H
#define LIB_IMPORT_ONNX_RECURRENT_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// Function of a gate or of a state; `op` is the file's name in small letters.
struct CellFunction {
  std::string op;
  double alpha = 0, beta = 0;
};

/// A direction of a layer. Gates are blocks of columns: i o f c, z r h, or a single block.
struct Direction {
  mlir::Value x;                // [time, batch, in], or [batch, time, in]
  mlir::Value input, hidden;    // [in, gates H], [H, gates H]
  mlir::Value bias, hiddenBias; // [gates H], or null
  mlir::Value peepholes;        // [3 H]: i o f, or null
  mlir::Value h, c;             // first states [batch, H], or null for 0
  mlir::Value lengths;          // i32[batch], or null for all rounds
  llvm::SmallVector<CellFunction> functions;
  double clip = 0; ///< bound of the operands of functions; 0 for none
  bool isReverse = false, isBatchFirst = false, linearBeforeReset = false, inputForget = false;
};
/// All states in the layout of `x`, and the last ones.
struct DirectionResults {
  mlir::Value all, h, c;
};

/// The functions of a direction, of all those that the attribute lists, with their alpha and beta;
/// nothing, with a fault recorded, for a function without a converter.
std::optional<llvm::SmallVector<CellFunction>> functionsOf(Converter &c, int64_t direction,
                                                           int64_t directions);
/// A loop of ordinary ops, for layers beyond the recurrent ops.
DirectionResults loopOf(Converter &c, const Direction &side);
} // namespace ampc::onnx
#endif
