// Maps without divisions: every dimension moves the place by a constant stride.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_LINEARMAP_H
#define MLIR_DIALECTS_KERNEL_LINEARMAP_H

#include "mlir/IR/AffineMap.h"

namespace ampc {
inline bool isLinear(mlir::AffineMap map) {
  bool linear = true;
  map.walkExprs([&](mlir::AffineExpr part) {
    linear &= part.getKind() != mlir::AffineExprKind::FloorDiv &&
              part.getKind() != mlir::AffineExprKind::CeilDiv &&
              part.getKind() != mlir::AffineExprKind::Mod;
  });
  return linear;
}
} // namespace ampc
#endif
