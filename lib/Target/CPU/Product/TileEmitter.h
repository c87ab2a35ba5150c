// Maps that read or write a tensor across the rows of the space: squares transposed in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_TILEEMITTER_H
#define LIB_TARGET_CPU_PRODUCT_TILEEMITTER_H

#include "lib/Target/CPU/BodyEmitter.h"

namespace ampc::cpu {

/// Points of a map in units of `edge` rows along the dimension `across`, whole rows long.
struct TileShape {
  unsigned across;
  int64_t edge;
  int64_t strips, units; // per plane (across, last); in all
  int64_t unitsPerTask;

  /// Nullopt unless some tensor has its neighbours along a dimension other than the last.
  static std::optional<TileShape> of(kernel::MapOp op, const IterationSpace &space, int64_t lanes);
  int64_t tasks() const { return llvm::divideCeil(units, unitsPerTask); }
};

/// Emits the tasks [begin, end).
void emitTiles(KernelEmitter &e, kernel::MapOp op, BodyEmitter &body, const TileShape &shape,
               mlir::Value begin, mlir::Value end);

} // namespace ampc::cpu
#endif
