// Assignment of kernels to micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PLANNING_MICROBATCHES_H
#define LIB_KERNEL_PLANNING_MICROBATCHES_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc {
/// First micro-batch that needs each op of a program. A step with `micro_batches = n` holds the
/// activations of a single micro-batch if every kernel that micro-batch i needs runs before the
/// first kernel of micro-batch i + 1:
///
///   forward 0, backward 0, forward 1, backward 1, ..., update
///
/// An op is needed by its own micro-batch (the number is in the op's origin) or by the micro-batch
/// of a consumer, whichever is first: a weight of the loss that is computed from the labels of
/// micro-batch 3 and scales the gradients of micro-batch 0 belongs to micro-batch 0. Updates belong
/// to the last micro-batch. All ops of a step without micro-batches belong to micro-batch 0.
///
/// A total of all micro-batches, such as the number of labels that count, is needed by micro-batch
/// 0. The kernels that lead to the total are a prologue, in the order of the micro-batches as well,
/// so that a single share of the prologue is held at a time:
///
///   squares 0, sum 0, squares 1, sum 1, ..., total, forward 0, backward 0, ...
class MicroBatches {
public:
  explicit MicroBatches(mlir::Block &block);
  int64_t of(mlir::Operation *op) const { return placeOf(op).first; }
  /// Micro-batch that needs the op, and the share of the prologue (-n to -1), or 0.
  using SchedulePosition = std::pair<int64_t, int64_t>;
  SchedulePosition placeOf(mlir::Operation *op) const { return places.lookup(op); }
  /// Gives `now`, a new op, the entry of `old`.
  void replace(mlir::Operation *old, mlir::Operation *now) {
    if (auto known = places.find(old); known != places.end())
      assign(now, known->second);
  }
  void assign(mlir::Operation *op, SchedulePosition place) { places[op] = place; }
  /// To be called before `op` is erased: a new op may have the address of an erased op.
  void forget(mlir::Operation *op) { places.erase(op); }

private:
  llvm::DenseMap<mlir::Operation *, SchedulePosition> places; ///< (0, 0) for ops without an entry
};
} // namespace ampc
#endif
