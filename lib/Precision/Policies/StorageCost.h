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
/// backward pass; each round of a loop counts. Pointwise ops with mixed storage compute in f32, and
/// the necessary casts move bytes, too. Casts at the result of a contraction and around ops that
/// compute in f32 anyway are part of such kernels and free; a contraction of an f32 value needs a
/// rounded copy. Example: an f32 value of 100 elements with one pointwise consumer costs 4 * 100 *
/// 2 = 800 bytes. If the consumer is in a loop of 35 rounds and the value is computed in front, the
/// value costs 4 * 100 * (1 + 35) bytes.
class StorageCost {
public:
  StorageCost(const PrecisionAnalysis &facts, const HardConstraints &hardConstraints);
  bool isStored(mlir::Value v) const { return facts.isReal(v) && !facts.isDuplicable(v); }
  /// Bytes moved for the value in all rounds, stored in f32 (`full`) or in 16 bits.
  int64_t store(mlir::Value v, bool full) const;
  /// Bytes of a cast of the value, where it is computed, between f32 and 16 bits: 4 + 2 per element
  /// of all rounds.
  static int64_t convert(mlir::Value v) { return elementsWritten(v) * 6; }
  /// Bytes of a cast in front of an op that reads the value, in every round of the op's loops.
  static int64_t convertFor(mlir::Operation *consumer, mlir::Value v);
  /// Whether the op computes in f32 under any storage: an intermediate of an adjoint, or an op with
  /// a constant that 16 bits cannot hold.
  bool needsFull(mlir::Operation *op) const;
  /// Stored values that a pointwise op reads or produces.
  llvm::SmallVector<mlir::Value> touched(mlir::Operation *op) const;
  /// Bytes moved by the whole program.
  int64_t evaluate(llvm::function_ref<bool(mlir::Value)> isFull) const;

  const PrecisionAnalysis &facts;
  const HardConstraints &hardConstraints;
  llvm::SmallVector<mlir::Value> values;
  llvm::SetVector<mlir::Operation *> followers;

private:
  static int64_t elementsWritten(mlir::Value v);
};

/// A value that pointwise ops of a block read in another type: one cast, in front of the first
/// consumer.
using SharedCast = std::pair<mlir::Value, mlir::Block *>;
} // namespace ampc
#endif
