// Cost model of the cut: bytes that a program moves under given storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_STORAGECOST_H
#define LIB_PRECISION_POLICIES_STORAGECOST_H

#include "lib/Precision/Policies/HardConstraints.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// Cost of storing values; the minimum cut and the comparison of policies use the same terms.
///
/// A stored value costs its bytes to write, once per consumer, and once more if kept for the
/// backward pass. Pointwise ops with mixed storage compute in f32, and the necessary casts move
/// bytes, too. Casts at the result of a contraction and around ops that compute in f32 anyway are
/// part of such kernels and free; a contraction of an f32 value needs a rounded copy. Example: an
/// f32 value of 100 elements with one pointwise consumer costs 4 * 100 * 2 = 800 bytes.
class StorageCost {
public:
  StorageCost(const PrecisionAnalysis &facts, const HardConstraints &hardConstraints);
  bool isStored(mlir::Value v) const { return facts.isReal(v) && !facts.isDuplicable(v); }
  /// Bytes moved for the value in all rounds, stored in f32 (`full`) or in 16 bits.
  int64_t store(mlir::Value v, bool full) const;
  /// Bytes of a cast between f32 and 16 bits: 4 + 2 per element of all rounds.
  static int64_t convert(mlir::Value v) { return elementsOfAllRounds(v) * 6; }
  static int64_t elementsOfAllRounds(mlir::Value v);
  /// Whether the op computes in f32 under any storage: an intermediate of an adjoint, or an op with
  /// a constant that 16 bits cannot hold.
  bool needsFull(mlir::Operation *op) const;
  /// Stored values that a pointwise op reads or produces; the sources of copies.
  llvm::SmallVector<mlir::Value> touched(mlir::Operation *op) const;
  /// Bytes moved by the whole program.
  int64_t evaluate(llvm::function_ref<bool(mlir::Value)> isFull) const;

  const PrecisionAnalysis &facts;
  const HardConstraints &hardConstraints;
  llvm::SmallVector<mlir::Value> values;
  llvm::SetVector<mlir::Operation *> followers;
};
} // namespace ampc
#endif
