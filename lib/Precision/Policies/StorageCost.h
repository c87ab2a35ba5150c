// Bytes that a program moves if its values are stored in some way or other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_STORAGECOST_H
#define LIB_PRECISION_POLICIES_STORAGECOST_H

#include "lib/Precision/Policies/Pins.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// The cost of storing values, in the terms that both the cut and the comparison of policies use.
///
/// A store costs its bytes once to write, once per reader, and once more if the value waits for the
/// backward pass. Pointwise ops with mixed storage compute in f32; the casts that this takes move
/// their bytes, too. Casts at the result of a contraction and around ops that compute in f32 anyway
/// are part of those kernels and free; a contraction that reads an f32 value needs a rounded copy.
class StorageCost {
public:
  StorageCost(const PrecisionFacts &facts, const Pins &pins);
  bool isStored(mlir::Value v) const { return facts.isReal(v) && !facts.isStorageFree(v); }
  /// Bytes for one storage type.
  int64_t store(mlir::Value v, bool full) const;
  /// Bytes of a cast between f32 and 16 bits.
  static int64_t convert(mlir::Value v) { return elements(v) * 6; }
  /// Computes in f32 whatever is stored: a part of an adjoint, or beside a constant that 16 bits
  /// cannot hold.
  bool needsFull(mlir::Operation *op) const;
  /// Stored values that a pointwise op reads or makes.
  llvm::SmallVector<mlir::Value> touched(mlir::Operation *op) const;
  /// Bytes of the whole program.
  int64_t evaluate(llvm::function_ref<bool(mlir::Value)> isFull) const;

  const PrecisionFacts &facts;
  const Pins &pins;
  llvm::SmallVector<mlir::Value> values;
  llvm::SetVector<mlir::Operation *> followers;
};
} // namespace ampc
#endif
