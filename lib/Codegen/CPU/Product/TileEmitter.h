// Transposing maps: a tensor is read or written across the rows of the iteration domain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_TILEEMITTER_H
#define LIB_CODEGEN_CPU_PRODUCT_TILEEMITTER_H

#include "lib/Codegen/CPU/BodyEmitter.h"

namespace ampc::cpu {

/// Iteration domain of a map in units of `edge` rows along the dimension `across`, whole rows long.
/// Example: [64, 100] with across = 0 and edge = 16: 4 units of [16, 100].
struct TileShape {
  unsigned across;
  int64_t edge;
  int64_t strips, units; // per plane (across, last); in all
  int64_t unitsPerTask;

  /// Nullopt unless neighbouring elements of some tensor lie along a dimension other than the last.
  static std::optional<TileShape> of(kernel::MapOp op, const IterationSpace &space, int64_t lanes);
  int64_t tasks() const { return llvm::divideCeil(units, unitsPerTask); }
};

/// Emits the tasks [begin, end).
void emitTiles(KernelEmitter &e, kernel::MapOp op, BodyEmitter &body, const TileShape &shape,
               mlir::Value begin, mlir::Value end);

} // namespace ampc::cpu
#endif
